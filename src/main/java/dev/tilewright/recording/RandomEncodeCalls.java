package dev.tilewright.recording;

import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.Im2colCall;
import dev.tilewright.tensormap.call.TiledCall;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/**
 * Encode calls by chance, the same for the same seed: most of their arguments are sensible, so that many calls are
 * accepted, and some are at or beyond the end of a range. Encoders are recorded, and held against each other, with
 * these.
 */
public final class RandomEncodeCalls {

    private static final long[] LENGTH_EDGES = {0, -1, 1L << 32, (1L << 32) + 1, (1L << 31) - 1,
            1L << 31, (1L << 31) + 7,
        (1L << 31) - (1 << 15), 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE};
    private static final long[] STRIDE_EDGES = {0, 8, 16, -16, 1L << 36, (1L << 40) - 16, 1L << 40, Long.MIN_VALUE,
        Long.MAX_VALUE};
    private static final long[] SMALL_EDGES = {0, -1, 1, 8, 9, 255, 256, 257, 1024, 1025,
            1L << 31, 1L << 32, Long.MIN_VALUE};
    private static final long[] ADDRESS_EDGES = {0, 8, 16, 1L << 47, (1L << 57) - 32, 1L << 57, 1L << 63, -32};

    private final SplittableRandom random;
    private double edges;

    public RandomEncodeCalls(long seed) {
        random = new SplittableRandom(seed);
    }

    /** The next call: tiled or im2col, half of each. */
    public EncodeCall next() {
        edges = new double[] {0, 0.02, 0.08, 0.25}[random.nextInt(4)];
        return random.nextBoolean() ? tiled() : im2col();
    }

    private TiledCall tiled() {
        int rank = rank(1);
        return new TiledCall(type(), address(), dims(rank), strides(rank),
                list(rank, d -> edge(SMALL_EDGES, () -> d == 0 ? 8L * random.nextInt(1, 17) : random.nextInt(1, 9))),
                steps(rank), interleave(), small(4), small(4), small(2));
    }

    private Im2colCall im2col() {
        int rank = rank(3);
        long end = 1L << (rank <= 3 ? 15 : rank == 4 ? 7 : 4);
        long[] corners = {end - 1, -end, end, -end - 1, Long.MAX_VALUE, Long.MIN_VALUE, 0};
        int spatial = Math.max(0, rank - 2);
        return new Im2colCall(type(), address(), dims(rank), strides(rank),
                list(spatial, s -> edge(corners, () -> random.nextInt(-9, 9))),
                list(spatial, s -> edge(corners, () -> random.nextInt(-9, 9))),
                edge(SMALL_EDGES, () -> 4L * random.nextInt(1, 33)), edge(SMALL_EDGES, () -> random.nextInt(1, 200)),
                steps(rank), interleave(), small(4), small(4), small(2));
    }

    private int rank(int least) {
        return (int) edge(new long[] {0, 1, 2, 6}, () -> random.nextInt(least, 6));
    }

    private long type() {
        return edge(new long[] {-1, 13, 14, 15, 16, Long.MAX_VALUE}, () -> random.nextInt(13));
    }

    private long address() {
        return edge(ADDRESS_EDGES, () -> 32 * random.nextLong(1, 1L << 42));
    }

    private List<Long> dims(int rank) {
        return list(rank, d -> edge(LENGTH_EDGES, () -> random.nextLong(1, 1L << random.nextInt(4, 33))));
    }

    private List<Long> strides(int rank) {
        return list(Math.max(0, rank - 1),
                d -> edge(STRIDE_EDGES, () -> 32 * random.nextLong(1L << random.nextInt(1, 36))));
    }

    private List<Long> steps(int rank) {
        return list(rank, d -> edge(SMALL_EDGES, () -> random.nextInt(8) == 0 ? random.nextInt(1, 9) : 1));
    }

    private long interleave() {
        return edge(new long[] {1, 2, 3, -1}, () -> random.nextInt(3) == 0 ? random.nextInt(3) : 0);
    }

    private long small(int values) {
        return edge(new long[] {-1, 4, 5, 6, 7, Long.MIN_VALUE}, () -> random.nextInt(values));
    }

    private long edge(long[] edgeValues, LongSupplier sensible) {
        return random.nextDouble() < edges ? edgeValues[random.nextInt(edgeValues.length)] : sensible.getAsLong();
    }

    private interface Entry {
        long at(int index);
    }

    private static List<Long> list(int size, Entry entry) {
        List<Long> list = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            list.add(entry.at(i));
        }
        return list;
    }
}
