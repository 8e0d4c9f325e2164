package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.device.Checks;
import dev.tilewright.bench.device.Content;
import dev.tilewright.bench.device.WorkArrays;
import dev.tilewright.bench.kernel.Accumulate;
import dev.tilewright.bench.kernel.RingSum;
import dev.tilewright.bench.kernel.ThreadSum.Updates;
import dev.tilewright.bench.kernel.ThreadSum;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.rival.RivalSides;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Sums of an array, by ordinary loads and by a ring of tiles, and arrays that are added to others: by loads and stores,
 * by {@code red}, and by bulk copies that add.
 */
public final class ReduceSuite extends WordsSuite {
    private static final String SUM = "sum";
    private static final String ADD = "accumulate";
    private static final int STALE_WORD = 0xCDCD_CDCD;
    private static final long COLUMNS = 4096;

    private final RivalSides sides;

    /** @param sides who is measured beside ours */
    public ReduceSuite(RivalSides sides) {
        super("reduce", "sums and arrays that are added to others, by loads, atomics and bulk reductions, against C++ "
                + "and PyTorch", SUM);
        this.sides = sides;
    }

    @Override
    void measure(Bench bench, long bytes, WorkArrays arrays, WorkRows rows) {
        RivalsBeside others = new RivalsBeside(bench, name(), sides);
        accumulate(others, rows, arrays, bytes);
        List<Row> rivals = others.kernels(SUM, Set.of("read-vector", "read-async", "read-bulk"), bytes);
        long[] totals = arrays.each(Checks.WORD_TOTAL, check -> check.set("count", bytes / Integer.BYTES));
        sums(bytes, false).forEach(work -> rows.measure(work,
                () -> MulticastSuite.wrong(arrays.heads(1), totals), rivals));
        arrays.fill(Content.WHOLE_F32, bench.settings().seed());
        long[] whole = arrays.each(Checks.WHOLE_TOTAL, check -> check.set("count", bytes / Integer.BYTES));
        for (int set = 0; set < whole.length; set++) {
            whole[set] = Float.floatToRawIntBits(whole[set]);
        }
        List<Row> python = others.python(SUM, "sum", "f32", List.of(bytes / Float.BYTES / COLUMNS, COLUMNS));
        sums(bytes, true)
                .forEach(work -> rows.measure(work, () -> MulticastSuite.wrong(arrays.heads(1), whole), python));
    }

    private static void accumulate(RivalsBeside others, WorkRows rows, WorkArrays arrays, long bytes) {
        List<Row> rivals = others.kernels(ADD, Set.of("accumulate-vector", "accumulate-red", "accumulate-bulk"), bytes);
        List<Work> all = accumulations(bytes);
        for (int i = 0; i < all.size(); i++) {
            others.bench().progress().at("adding arrays", i, all.size());
            rows.measure(all.get(i), () -> arrays.wrong(Checks.ADDED, check -> check
                            .set("count", bytes / Integer.BYTES).set("before", Integer.toUnsignedLong(STALE_WORD))),
                            rivals);
        }
        others.bench().progress().at("adding arrays", all.size(), all.size());
    }

    /** Arrays that are added to others, in every way. */
    static List<Work> accumulations(long bytes) {
        return Stream.of(new Accumulate(Accumulate.Method.LOADS_AND_STORES, 1),
                new Accumulate(Accumulate.Method.LOADS_AND_STORES, 4), new Accumulate(Accumulate.Method.RED, 1),
                new Accumulate(Accumulate.Method.BULK, 4096), new Accumulate(Accumulate.Method.BULK, 16384))
                .map(kernel -> {
            int tile = kernel.method() == Accumulate.Method.BULK ? kernel.size() : 4096 * kernel.size();
            return Work.moving(ADD, Work.parameters("size", bytes, "way",
                    kernel.method().name().toLowerCase(Locale.ROOT).replace('_', ' ')), kernel.program(),
                    _ -> kernel.launch(bytes), 3 * bytes).by("tile=" + tile + "B")
                    .as("accumulate-" + rival(kernel.method()));
        }).toList();
    }

    /** What the C++ kernels that do it in the same way are called after {@code accumulate-}. */
    private static String rival(Accumulate.Method way) {
        return switch (way) {
            case LOADS_AND_STORES -> "vector";
            case RED -> "red";
            case BULK -> "bulk";
        };
    }

    /** Sums of an array, in every way. */
    static List<Work> sums(long bytes, boolean floats) {
        List<Work> all = new ArrayList<>();
        String type = floats ? "f32" : "u32";
        for (int[] shape : floats ? new int[][] {{512, 4}} : new int[][] {{512, 4}, {256, 8}}) {
            for (Updates updates : floats ? List.of(Updates.BLOCKS) : List.of(Updates.BLOCKS, Updates.THREADS)) {
                ThreadSum kernel = new ThreadSum(shape[0], shape[1], updates, floats);
                all.add(Work.moving(SUM, Work.parameters("size", bytes, "type", type, "loads", "threads", "added by",
                        updates.name().toLowerCase(Locale.ROOT)), kernel.program(),
                        resident -> kernel.launch(bytes, resident), bytes).ontoZeros()
                        .by("tile=" + 16 * shape[0] * shape[1] + "B").as("read-vector"));
            }
        }
        for (int[] ring : new int[][] {{16384, 4, 4}, {32768, 3, 8}, {32768, 6, 8}}) {
            RingSum kernel = new RingSum(ring[0], ring[1], ring[2], 1, false, floats);
            all.add(Work.moving(SUM, Work.parameters("size", bytes, "type", type, "loads", "bulk ring", "added by",
                    "blocks"), kernel.program(), resident -> kernel.launch(bytes, resident), bytes).ontoZeros()
                    .by("stages=" + ring[1] + " tile=" + ring[0] + "B").as("read-bulk"));
        }
        return all;
    }
}
