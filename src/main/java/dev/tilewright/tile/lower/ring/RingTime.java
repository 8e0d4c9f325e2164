package dev.tilewright.tile.lower.ring;

import dev.tilewright.NotNull;
import dev.tilewright.program.Warp;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.Locale;

/**
 * About how long a product takes whose factors threads copy ahead: enough to compare tiles with each other. Rates are
 * those of a multiprocessor of compute capability 8.0.
 *
 * @param tiles in all
 * @param turns tiles that the busiest multiprocessor takes
 * @param cycles of a multiprocessor
 */
public record RingTime(long tiles, long turns, double cycles) {
    /** Sums that a thread has room for, beside what it multiplies. */
    private static final int MOST_SUMS = 128;
    private static final int LEAST_THREADS = 128;
    private static final int MOST_THREADS = 256;
    /** A product of f64 takes as long as of that many bits. */
    private static final int OF_F64 = 256;
    /** Of 16-bit factors. */
    private static final double MULTIPLY_ADDS_A_CYCLE = 1024;
    private static final double SHARED_BYTES_A_CYCLE = 128;
    /** Of L2, while all multiprocessors read. */
    private static final double L2_BYTES_A_CYCLE = 40;
    /** Until threads have met, and the first of what has landed is read. */
    private static final double CYCLES_A_TURN = 150;
    /** Until a block's first copies are there, and from its last product to its end. */
    private static final double START_AND_END = 3000;
    private static final double STORED_BYTES_A_CYCLE = 32;

    /** Threads of a block that share the sums of a tile: the fewest that have room for them; 0 where too many do. */
    public static int threads(RingPattern pattern, List<Integer> sums) {
        NotNull.all("pattern, sums", pattern, sums);
        long each = (long) pattern.products().size() * (pattern.loop().parts() > 1 ? 2 : 1)
                * Math.max(1, pattern.products().getFirst().product().c().type().bytes() / Integer.BYTES);
        long threads = Math.max(LEAST_THREADS, Math.ceilDiv(each * sums.get(0) * sums.get(1), MOST_SUMS));
        return threads > MOST_THREADS ? 0 : (int) threads;
    }

    /**
     * The time of a launch.
     *
     * @param sums extents of a tile's
     * @param turns of the loop
     * @param tiles in all
     */
    public static RingTime of(RingPattern pattern, List<Integer> sums, long turns, long tiles, int multiprocessors) {
        NotNull.all("pattern, sums", pattern, sums);
        RingProduct product = pattern.products().getFirst();
        ValueType type = product.product().a().type();
        int rows = sums.get(0);
        int columns = sums.get(1);
        double each = pattern.products().size() * (double) rows * columns * product.steps() * product.depth();
        int bits = type == ValueType.F64 ? OF_F64 : type.bits();
        double multiplied = each * bits / Short.SIZE / MULTIPLY_ADDS_A_CYCLE;
        int warps = threads(pattern, sums) / Warp.LANES;
        // A warp's part is as near to a square as it goes.
        double side = Math.sqrt((double) rows * columns / warps);
        double read = pattern.bytes() + pattern.products().size() * warps * 2 * side * product.steps() * 32;
        double turn = CYCLES_A_TURN + Math.max(multiplied, Math.max(read / SHARED_BYTES_A_CYCLE,
                pattern.bytes() / L2_BYTES_A_CYCLE));
        long most = Math.ceilDiv(tiles, multiprocessors);
        return new RingTime(tiles, most, START_AND_END + most * (turns * turn
                + (double) rows * columns * 2 / STORED_BYTES_A_CYCLE));
    }

    /** {@code 128 of them, 1 at most on each multiprocessor, about 9,700 cycles}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,d of them, %s on each multiprocessor, about %,d cycles", tiles,
                turns == 1 ? "1 at most" : "up to " + turns, Math.round(cycles / 100) * 100);
    }
}
