package application;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Shape;
import dev.tilewright.program.ElementStep;

/** Doubles the elements of a matrix on the GPU, or without one on the CPU. */
public class Application {
    public static void main(String[] args) {
        float[] matrix = new float[64 * 64];
        matrix[65] = 21;
        ElementwiseKernel doubling = TensorCopy.of(ElementType.F32).tile(8, 32).step(ElementStep.SCALE).build();
        try (Gpu gpu = Gpu.openOrEmulated(System.err::println);
                Kernel kernel = gpu.load(doubling);
                Buffer<float[]> from = gpu.upload(matrix);
                Buffer<float[]> to = gpu.floats(matrix.length)) {
            kernel.prepare(Shape.of(64, 64), from, to).set("scalar", 2).start();
            System.out.println(to.download()[65]);
        }
    }
}
