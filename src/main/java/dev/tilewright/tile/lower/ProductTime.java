package dev.tilewright.tile.lower;

import dev.tilewright.tile.lower.analysis.Epilogue;
import dev.tilewright.tile.lower.analysis.Indexes;
import java.util.Locale;
import java.util.Map;

/**
 * About how long a product takes whose tiles are shared out over multiprocessors: enough to compare tiles with each
 * other. Rates are those of a multiprocessor of Hopper: a {@code wgmma} of 64 x n sums and 32 bytes along k takes n / 2
 * cycles and some.
 *
 * @param tiles in all, with those outside the tensor that a cluster at the edge takes
 * @param turns tiles that the busiest multiprocessor takes one after the other
 * @param cycles of a multiprocessor
 */
record ProductTime(long tiles, long turns, double cycles) {
    private static final int ROWS = 64;
    private static final int STEP_BYTES = 32;
    /** Beside those of its sums; measured on an H200, as that of a step. */
    private static final double CYCLES_AN_INSTRUCTION = 16;
    /** Until a stage is there, its products are started and it is given back. */
    private static final double CYCLES_A_STEP = 280;
    /** Until 64 rows of a turn's sums are taken to totals, where no others are multiplied meanwhile. */
    private static final double CYCLES_A_PROMOTION = 250;
    private static final double MULTIPLY_ADDS_A_CYCLE = 128;
    /**
     * How much longer products of f64 take where each quarter of a multiprocessor has one warp alone, which multiplies
     * nothing while it reads; measured on an H200.
     */
    private static final double ONE_WARP_EACH = 1.3;
    /** Of L2, while all multiprocessors read. */
    private static final double L2_BYTES_A_CYCLE = 48;
    /**
     * What is done to a sum, whether a quarter of a multiprocessor has one warp that does it or two: each waits for its
     * own results; measured on an H200 by GELU of 32 to 128 sums of a thread.
     */
    private static final double CYCLES_AN_OPERATION = 2.8;
    /** Until a block's first copies are there, and from its last product to its end. */
    private static final double START_AND_END = 2500;
    /** Results that threads take from registers to shared memory. */
    private static final double STORED_BYTES_A_CYCLE = 32;

    /**
     * @param extents of all dimensions, by name
     * @param epilogue of each element
     */
    static ProductTime of(ProductPattern pattern, long tiles, Map<String, Long> extents, int multiprocessors,
            Epilogue epilogue) {
        int rows = pattern.sums().get(0);
        int columns = pattern.sums().get(1);
        long steps = pattern.nest().turns(new Indexes(Map.of(), extents)::of).constant().orElseThrow()
                / pattern.steps();
        int stepBytes = pattern.a().k() * pattern.a().factor().type().bytes();
        double each = pattern.products() * (columns / 2.0 + CYCLES_AN_INSTRUCTION);
        double waits = !pattern.isFused() && pattern.groups() == 1 ? ONE_WARP_EACH : 1;
        double multiplied = pattern.byThreads() ? rows * columns * pattern.a().k() / MULTIPLY_ADDS_A_CYCLE * waits
                : each * rows / ROWS * stepBytes / STEP_BYTES;
        double read = stepBytes * pattern.operands().stream().mapToDouble(operand -> lines(operand, extents)).sum()
                / L2_BYTES_A_CYCLE;
        int blocks = pattern.cluster().blocks();
        long turns = Math.ceilDiv(tiles / blocks, Math.max(1, multiprocessors / blocks));
        double promoted = pattern.promotion().isEmpty() || pattern.hasRoomForTwoParts() ? 0
                : pattern.blocks() * CYCLES_A_PROMOTION;
        double stage = multiplied + promoted + (pattern.byThreads() ? 0 : CYCLES_A_STEP);
        double cycles = START_AND_END + turns * (steps * Math.max(stage, read)
                + rows * columns * 2 / STORED_BYTES_A_CYCLE
                + epilogue.operations() * pattern.ofThread() * CYCLES_AN_OPERATION);
        return new ProductTime(tiles, turns, cycles);
    }

    /** Rows or columns that are read, those twice whose bytes lie across two lines of L2. */
    private static double lines(Operand operand, Map<String, Long> extents) {
        return (double) operand.inside(extents) / operand.sharers() * (operand.isAcrossLines(extents) ? 2 : 1);
    }

    /** {@code 128 of them, 1 at most on each multiprocessor, about 9,700 cycles}. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,d of them, %s on each multiprocessor, about %,d cycles", tiles,
                turns == 1 ? "1 at most" : "up to " + turns, Math.round(cycles / 100) * 100);
    }
}
