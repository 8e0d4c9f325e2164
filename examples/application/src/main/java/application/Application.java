package application;

import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.Drivers;
import dev.tilewright.gpu.TileRunner;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Multiplies a matrix by 2 on the GPU, or without one on the CPU. */
public class Application {
    public static void main(String[] args) {
        TileKernel kernel = TensorCopy.of(ElementType.F32).tile(8, 32).step(ElementStep.SCALE).build();
        try (Arena arena = Arena.ofShared(); Driver device = Drivers.gpuOrReference(System.err::println)) {
            MemorySegment matrix = arena.allocateFrom(ValueLayout.JAVA_FLOAT, new float[64 * 64]);
            MemorySegment doubled = arena.allocate(matrix.byteSize(), 16);
            matrix.setAtIndex(ValueLayout.JAVA_FLOAT, 65, 21);
            TileRunner.run(device, kernel, List.of(64L, 64L), Float.floatToRawIntBits(2), matrix, doubled);
            System.out.println(doubled.getAtIndex(ValueLayout.JAVA_FLOAT, 65));
        }
    }
}
