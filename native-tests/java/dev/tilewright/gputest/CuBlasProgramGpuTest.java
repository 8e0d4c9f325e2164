package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.examples.CuBlasProgram;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.ptx.Target;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A kernel's result goes through cuBLAS and comes back, the same to the bit as computed directly. */
@Tag("gpu")
class CuBlasProgramGpuTest {
    private static final int N = 253;
    private static final List<String> NAMES = List.of("libcublas.so.13", "libcublas.so.12",
            "/usr/local/cuda/lib64/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so.12");

    @Test
    void aBufferGoesThroughCuBlas() {
        TestGpu.atLeast(Target.SM_80);
        SymbolLookup library = NAMES.stream().flatMap(name -> {
            try {
                return java.util.stream.Stream.of(SymbolLookup.libraryLookup(name, Arena.global()));
            } catch (IllegalArgumentException e) {
                return java.util.stream.Stream.empty();
            }
        }).findFirst().orElse(null);
        Assumptions.assumeTrue(library != null, () -> "no cuBLAS: none of " + NAMES + " loads");
        // Small whole numbers: sums are exact in any order.
        SplittableRandom random = new SplittableRandom(5);
        float[] a = new float[N * N];
        float[] b = new float[N * N];
        for (int i = 0; i < N * N; i++) {
            a[i] = random.nextInt(17) - 8;
            b[i] = random.nextInt(17) - 8;
        }
        float[] expected = new float[N * N];
        for (int row = 0; row < N; row++) {
            for (int k = 0; k < N; k++) {
                for (int column = 0; column < N; column++) {
                    expected[row * N + column] += 0.5f * a[row * N + k] * b[k * N + column];
                }
            }
        }
        for (int i = 0; i < N * N; i++) {
            expected[i] += 1;
        }
        try (Gpu gpu = Gpu.open()) {
            assertArrayEquals(expected, new CuBlasProgram(library).run(gpu, a, b, N, 0.5f));
        }
    }
}
