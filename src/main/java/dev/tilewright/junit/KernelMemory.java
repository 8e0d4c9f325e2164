package dev.tilewright.junit;

import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The buffers of a builder's kernel, as {@link TileKernel#launch} numbers them: sources, result, workspace. */
final class KernelMemory {
    private static final long ALIGNMENT = 256;

    private KernelMemory() {
    }

    /** All of them, with zeros. */
    static List<MemorySegment> of(TileKernel kernel, Launch launch, List<Long> shape, Arena arena) {
        List<MemorySegment> memory = new ArrayList<>();
        for (int i = 0; i < kernel.step().inputs(); i++) {
            memory.add(arena.allocate(bytes(kernel.type(), shape), ALIGNMENT));
        }
        memory.add(arena.allocate(bytes(kernel.resultType(), shape), ALIGNMENT));
        memory.add(arena.allocate(kernel.workspaceBytes(launch), ALIGNMENT));
        return memory;
    }

    private static long bytes(ElementType type, List<Long> shape) {
        return shape.stream().reduce((long) type.bytes(), Math::multiplyExact);
    }
}
