package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.bench.suite.StridedSuite.Boxed;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Boxes of small tensors on the CPU, both ways: every word of the result, also around the box. */
class StridedSuiteTest {
    private static final int WORDS = 4096;

    static Stream<Arguments> boxes() {
        return Stream.of(Arguments.of(new long[] {0, 64}, new int[] {4, 16}),
                Arguments.of(new long[] {0, 6, 32}, new int[] {2, 2, 8}),
                Arguments.of(new long[] {0, 4, 4, 32}, new int[] {2, 2, 1, 16}),
                Arguments.of(new long[] {0, 3, 4, 4, 32}, new int[] {1, 2, 2, 2, 8}));
    }

    @ParameterizedTest
    @MethodSource("boxes")
    void boxesComeOutAndGoIn(long[] inner, int[] tile) {
        Boxed boxed = Boxed.of(inner, 4L * WORDS);
        int[] in = new SplittableRandom(1).ints(WORDS).toArray();
        int[] out = new int[(int) boxed.words()];
        int[] tensor = new int[WORDS];
        Arrays.fill(tensor, -1);
        for (int i = 0; i < out.length; i++) {
            long rest = i;
            long at = boxed.first();
            long stride = 1;
            for (int d = inner.length - 1; d >= 0; d--) {
                at += rest % boxed.box()[d] * stride;
                rest /= boxed.box()[d];
                stride *= boxed.tensor()[d];
            }
            out[i] = in[(int) at];
            tensor[(int) at] = in[i];
        }
        assertArrayEquals(out, run(StridedSuite.work(boxed, tile, 4L * WORDS, true).launch().apply(1), in, out.length));
        assertArrayEquals(tensor, run(StridedSuite.work(boxed, tile, 4L * WORDS, false).launch().apply(1), in, WORDS));
    }

    private static int[] run(Launch launch, int[] in, int count) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(4L * in.length, 128);
            MemorySegment.copy(in, 0, source, ValueLayout.JAVA_INT, 0, in.length);
            MemorySegment result = arena.allocate(4L * count, 128).fill((byte) -1);
            Reference.run(launch, List.of(source, result));
            return result.toArray(ValueLayout.JAVA_INT);
        }
    }
}
