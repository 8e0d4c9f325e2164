package dev.tilewright.junit;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The buffers of a builder's kernel, as {@link ElementwiseKernel#launch} numbers them: sources, result, workspace. */
final class KernelMemory {
    private static final long ALIGNMENT = 256;

    private KernelMemory() { }

    /** All of them, with zeros. */
    static List<MemorySegment> of(ElementwiseKernel kernel, Launch launch, List<Long> shape, Arena arena) {
        List<MemorySegment> memory = new ArrayList<>();
        for (int i = 0; i < kernel.step().inputs(); i++) {
            memory.add(arena.allocate(bytes(kernel.type(), shape), ALIGNMENT));
        }
        memory.add(arena.allocate(bytes(kernel.resultType(), shape), ALIGNMENT));
        memory.add(arena.allocate(kernel.workspaceBytes(launch), ALIGNMENT));
        return memory;
    }

    /**
     * The one shape of a kernel's sources.
     *
     * @throws IllegalArgumentException unless they are as many as the step takes, of the kernel's type and one shape
     */
    static <A> List<Long> shape(ElementwiseKernel kernel, List<A> sources, Function<A, ElementType> type,
            Function<A, List<Long>> shape) {
        boolean alike = sources.stream().allMatch(s -> type.apply(s) == kernel.type())
                && sources.stream().map(shape).distinct().count() == 1;
        if (!alike || sources.size() != kernel.step().inputs()) {
            throw new IllegalArgumentException("kernel '" + kernel.program().name() + "' takes " + kernel.step()
                    .inputs() + " arrays of " + kernel.type() + " of one shape, got " + sources);
        }
        return shape.apply(sources.getFirst());
    }

    private static long bytes(ElementType type, List<Long> shape) {
        return shape.stream().reduce((long) type.bytes(), Math::multiplyExact);
    }
}
