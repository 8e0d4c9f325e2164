package dev.tilewright.bench.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.bench.kernel.ThreadSum.Updates;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every kernel that suites measure, on small and ragged arrays: right bytes, no findings. */
class BenchKernelsTest {
    private static final int STALE = 0xCDCD_CDCD;

    private static int[] words(int count, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return random.ints(count).toArray();
    }

    private static int[] stale(int count) {
        int[] words = new int[count];
        Arrays.fill(words, STALE);
        return words;
    }

    private static int[] transposed(int[] in, int height, int width) {
        return IntStream.range(0, in.length).map(i -> in[i % height * width + i / height]).toArray();
    }

    @ParameterizedTest
    @CsvSource({"32, 32, 1, 32, 32", "32, 32, 2, 4, 100", "64, 64, 8, 68, 132", "64, 32, 4, 100, 60",
            "128, 64, 2, 260, 64", "64, 64, 2, 200, 72"})
    void swizzledTranspose(int rows, int columns, int band, int height, int width) {
        int[] in = words(height * width, 1);
        assertArrayEquals(transposed(in, height, width), KernelRuns.run(
                new SwizzledTranspose(rows, columns, band).launch(height, width), in, stale(in.length)));
    }

    @ParameterizedTest
    @OrdinaryShare(2)
    @EnumSource
    void threadTranspose(TileRows tile) {
        int[] in = words(35 * 67, 2);
        for (int[] form : new int[][] {{32, 256}, {32, 128}, {64, 256}, {64, 512}}) {
            assertArrayEquals(transposed(in, 35, 67), KernelRuns.run(
                    new ThreadTranspose(tile, form[0], form[1]).launch(35, 67), in, stale(in.length)),
                    () -> Arrays.toString(form));
        }
    }

    @ParameterizedTest
    @OrdinaryShare(2)
    @EnumSource
    void columnReads(TileRows tile) {
        int[] in = words(1024, 3);
        int[] expected = IntStream.range(0, 2 * ColumnReads.THREADS)
                .map(t -> 3 * Arrays.stream(in, t % 32 * 32, t % 32 * 32 + 32).sum()).toArray();
        assertArrayEquals(expected, KernelRuns.run(new ColumnReads(tile).launch(2, 3), in, stale(expected.length)));
    }

    @ParameterizedTest
    @OrdinaryShare(2)
    @CsvSource({"1, false", "2, false", "2, true", "4, true", "4, false", "8, true"})
    void broadcast(int copies, boolean multicast) {
        for (int count : new int[] {4, 256, 1028, 8 * 256 + 12}) {
            int[] in = words(count, 4);
            assertArrayEquals(IntStream.range(0, copies * count).map(i -> in[i % count]).toArray(),
                    KernelRuns.run(new Broadcast(copies, 1024, multicast).launch(4L * count), in,
                    stale(copies * count)));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 4", "4, 2"})
    void threadBroadcast(int copies, int each) {
        int count = 256 * 4 * each + 20;
        int[] in = words(count, 5);
        assertArrayEquals(IntStream.range(0, copies * count).map(i -> in[i % count]).toArray(),
                KernelRuns.run(new ThreadBroadcast(copies, each).launch(4L * count), in, stale(copies * count)));
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @CsvSource({"1, false", "2, true", "2, false", "4, true", "8, true"})
    void ringSum(int readers, boolean multicast) {
        RingSum kernel = new RingSum(2048, 2, 2, readers, multicast, false);
        for (int count : new int[] {4, 512, 7 * 512 + 36}) {
            int[] in = words(count, 6);
            int[] sums = new int[readers];
            Arrays.fill(sums, 5 + Arrays.stream(in).sum());
            assertArrayEquals(sums, KernelRuns.run(kernel.launch(4L * count, 2 * readers), in,
                    IntStream.generate(() -> 5).limit(readers).toArray()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void threadSum(Updates updates) {
        for (int count : new int[] {4, 512, 7 * 512 + 36}) {
            int[] in = words(count, 7);
            assertEquals(Arrays.stream(in).sum(),
                    KernelRuns.run(new ThreadSum(64, 2, updates, false).launch(4L * count, 3), in,
                    new int[1])[0]);
        }
    }

    @Test
    void sumsOfFloats() {
        int[] whole = new SplittableRandom(8).ints(4000, -8, 9).toArray();
        int[] in = Arrays.stream(whole).map(x -> Float.floatToRawIntBits(x)).toArray();
        int expected = Float.floatToRawIntBits(Arrays.stream(whole).sum());
        assertEquals(expected, KernelRuns.run(new RingSum(2048, 3, 2, 1, false, true).launch(16_000, 3), in,
                new int[1])[0]);
        assertEquals(expected, KernelRuns.run(new ThreadSum(64, 2, Updates.BLOCKS, true).launch(16_000, 3), in,
                new int[1])[0]);
    }

    @ParameterizedTest
    @EnumSource
    void accumulate(Accumulate.Method way) {
        for (int count : new int[] {4, 1024, 9000}) {
            int[] in = words(count, 9);
            int[] before = words(count, 10);
            assertArrayEquals(IntStream.range(0, count).map(i -> in[i] + before[i]).toArray(), KernelRuns.run(
                    new Accumulate(way, way == Accumulate.Method.BULK ? 4096 : 2).launch(4L * count), in, before));
        }
    }

    @ParameterizedTest
    @CsvSource({"6, 8, 20, 36", "14, 16, 5, 4", "3, 248, 7, 300"})
    void neighbours(int rows, int columns, int height, int width) {
        int[] in = words(height * width, 11);
        int[] expected = IntStream.range(0, in.length).map(i -> (i < width ? 0 : in[i - width])
                + (i + width < in.length ? in[i + width] : 0) + (i % width == 0 ? 0 : in[i - 1])
                + (i % width == width - 1 ? 0 : in[i + 1])).toArray();
        assertArrayEquals(expected, KernelRuns.run(new Neighbours(rows, columns).launch(height, width), in,
                stale(in.length)));
    }

    @Test
    void whatAKernelCannotDoIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> new SwizzledTranspose(48, 32, 1));
        assertThrows(IllegalArgumentException.class, () -> new ThreadTranspose(TileRows.PADDED, 48, 256));
        assertThrows(IllegalArgumentException.class, () -> new ThreadTranspose(TileRows.PADDED, 32, 96));
        assertThrows(IllegalArgumentException.class, () -> new SwizzledTranspose(64, 64, 1).launch(62, 64));
        assertThrows(IllegalArgumentException.class, () -> new Broadcast(1, 1024, true));
        assertThrows(IllegalArgumentException.class, () -> new Broadcast(2, 1024, true).launch(24));
        assertThrows(IllegalArgumentException.class, () -> new RingSum(2048, 2, 3, 1, false, false));
        assertThrows(IllegalArgumentException.class, () -> new Accumulate(Accumulate.Method.BULK, 24));
    }
}
