package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the suite makes of kernels before it measures them. */
class ComputeSuiteTest {
    private static final int SIDE = 256;
    private static final int DEPTH = 16;

    @Test
    void theStepThatIsNoPresetComputesWhatItSays() {
        ElementwiseKernel silu = ComputeSuite.silu();
        assertTrue(CudaEmitter.emit(silu.program()).text().contains("__global__"));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocate(400, 128);
            MemorySegment out = arena.allocate(400, 128);
            for (int i = 0; i < 100; i++) {
                in.setAtIndex(ValueLayout.JAVA_FLOAT, i, (i - 50) / 8f);
            }
            Reference.run(silu.launch(List.of(100L), Scalars.NONE), List.of(in, out));
            for (int i = 0; i < 100; i++) {
                double x = (i - 50) / 8f;
                double want = x / (1 + Math.exp(-x));
                assertEquals(want, out.getAtIndex(ValueLayout.JAVA_FLOAT, i), Math.abs(want) * 0x1p-20);
            }
        }
    }

    @Test
    void softmaxOfRowsIsFromTheFirstBufferToTheSecond() {
        int columns = 4096;
        float[] in = new float[2 * columns];
        float[] out = new float[in.length];
        for (int i = 0; i < in.length; i++) {
            in[i] = (float) Math.sin(i) * 20;
        }
        Reference.run(ComputeSuite.softmax(2, 256, Target.SM_90A), List.of(MemorySegment.ofArray(in),
                MemorySegment.ofArray(out)));
        for (int row = 0; row < in.length; row += columns) {
            double sum = IntStream.range(row, row + columns).mapToDouble(i -> Math.exp(in[i])).sum();
            for (int i = row; i < row + columns; i++) {
                double want = Math.exp(in[i]) / sum;
                assertEquals(want, out[i], want * 0x1p-18);
            }
        }
    }

    @Test
    void bothOperandsMayLieInOneBuffer() {
        long bytes = 4L * SIDE * DEPTH;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment operands = arena.allocate(2 * bytes, 128);
            MemorySegment product = arena.allocate(4L * SIDE * SIDE, 128);
            for (int i = 0; i < 2 * SIDE * DEPTH; i++) {
                operands.setAtIndex(ValueLayout.JAVA_FLOAT, i, i * 7 % 17 - 8);
            }
            Launch launch = ComputeSuite.onTwoBuffers(ComputeSuite.f32Product(SIDE, SIDE, DEPTH, 2), bytes);
            Reference.run(launch, List.of(operands, product));
            for (int i = 0; i < SIDE * SIDE; i++) {
                float sum = 0;
                for (int k = 0; k < DEPTH; k++) {
                    sum += operands.getAtIndex(ValueLayout.JAVA_FLOAT, (long) (i / SIDE) * DEPTH + k)
                            * operands.getAtIndex(ValueLayout.JAVA_FLOAT,
                            (long) SIDE * DEPTH + (long) k * SIDE + i % SIDE);
                }
                assertEquals(sum, product.getAtIndex(ValueLayout.JAVA_FLOAT, i));
            }
        }
    }

    @Test
    void mapsOfAllThreeMatricesGoWithThem() {
        List<Argument> arguments = ComputeSuite.onTwoBuffers(ComputeSuite.bf16Product(SIDE, SIDE, DEPTH, 2), 1024)
                .arguments();
        assertEquals(List.of(List.of(0L, 0L), List.of(0L, 1024L), List.of(1L, 0L)), arguments.stream()
                .filter(Argument.Tensor.class::isInstance).map(Argument.Tensor.class::cast)
                .map(tensor -> List.of((long) tensor.buffer(), tensor.offset())).toList());
    }
}
