package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.device.Checks;
import dev.tilewright.bench.device.Content;
import dev.tilewright.bench.device.WorkArrays;
import dev.tilewright.bench.kernel.Broadcast;
import dev.tilewright.bench.kernel.RingSum;
import dev.tilewright.bench.kernel.ThreadBroadcast;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.rival.RivalSides;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Loads of a cluster's blocks for each other against each block's own: an array that is copied to several, and one of
 * which every block of a cluster reads all tiles, as matrix products do.
 */
public final class MulticastSuite extends Suite {
    private static final String COPIED = "broadcast";
    private static final String READ = "read by every block of a cluster";

    private final RivalSides sides;

    /** @param sides who is measured beside ours */
    public MulticastSuite(RivalSides sides) {
        super("multicast", "tiles that blocks of a cluster load for each other, against each its own and C++", true);
        this.sides = sides;
    }

    @Override
    public void run(Bench bench) {
        for (long bytes : bench.settings().sizes(1L << 30)) {
            bench.attempt(name(), COPIED, Row.OURS, Unit.GIGABYTES_PER_SECOND, () -> copied(bench, bytes));
            bench.attempt(name(), READ, Row.OURS, Unit.GIGABYTES_PER_SECOND, () -> read(bench, bytes));
        }
    }

    private void copied(Bench bench, long bytes) {
        List<Row> rivals = new RivalsBeside(bench, name(), sides).kernels(COPIED, Set.of("broadcast-vector"), bytes);
        for (int copies : new int[] {2, 4}) {
            try (WorkArrays arrays = new WorkArrays(bench.gpu(), bytes, copies * bytes, Content.WORDS,
                    bench.settings().seed());
                    WorkRows rows = new WorkRows(bench, name(), arrays)) {
                for (Work work : copying(bytes, copies)) {
                    rows.measure(work, () -> arrays.wrong(Checks.REPEATED, check -> check
                            .set("count", copies * bytes / Integer.BYTES).set("words", bytes / Integer.BYTES)),
                            rivals.stream().filter(row -> row.means().getOrDefault("kernel", "")
                                    .startsWith("broadcast" + copies)).toList());
                }
            }
        }
    }

    /** An array that is copied to several, in every way. */
    static List<Work> copying(long bytes, int copies) {
        List<Work> all = new ArrayList<>();
        for (int each : new int[] {1, 4}) {
            ThreadBroadcast kernel = new ThreadBroadcast(copies, each);
            all.add(copying(bytes, copies, "registers", each * 4096, kernel.program(), _ -> kernel.launch(bytes))
                    .as("broadcast-vector"));
        }
        for (boolean multicast : new boolean[] {false, true}) {
            for (int tile : new int[] {4096, 16384}) {
                Broadcast kernel = new Broadcast(copies, tile, multicast);
                all.add(copying(bytes, copies, multicast ? "multicast" : "own loads", tile, kernel.program(),
                        _ -> kernel.launch(bytes)));
            }
        }
        return all;
    }

    private static Work copying(long bytes, int copies, String loads, int tile, TileProgram program,
            Function<Integer, Launch> launch) {
        return Work.moving(COPIED, Work.parameters("size", bytes, "copies", copies, "loads", loads), program, launch,
                (1 + copies) * bytes).by("tile=" + tile + "B");
    }

    /** Counts the bytes that reach shared memory. */
    private void read(Bench bench, long bytes) {
        List<Row> rivals = new RivalsBeside(bench, name(), sides)
                .kernels(READ, Set.of("shared-read", "shared-read-multicast"), bytes);
        try (WorkArrays arrays = new WorkArrays(bench.gpu(), bytes, bytes, Content.WORDS, bench.settings().seed());
                WorkRows rows = new WorkRows(bench, name(), arrays)) {
            long[] totals = arrays.each(Checks.WORD_TOTAL, check -> check.set("count", bytes / Integer.BYTES));
            for (int readers : new int[] {2, 4}) {
                for (Work work : reading(bytes, readers)) {
                    rows.measure(work, () -> wrong(arrays.heads(readers), totals),
                            rivals.stream().filter(row -> row.means()
                            .getOrDefault("kernel", "").startsWith("shared-read" + readers)).toList());
                }
            }
        }
    }

    /** An array of which every block of a cluster reads all tiles, in both ways. */
    static List<Work> reading(long bytes, int readers) {
        List<Work> all = new ArrayList<>();
        for (boolean multicast : new boolean[] {false, true}) {
            for (int[] ring : new int[][] {{16384, 4, 8}, {32768, 6, 8}}) {
                RingSum kernel = new RingSum(ring[0], ring[1], ring[2], readers, multicast, false);
                all.add(Work.moving(READ, Work.parameters("size", bytes, "cluster", readers, "loads",
                        multicast ? "multicast" : "own loads"), kernel.program(),
                        resident -> kernel.launch(bytes, resident / readers * readers), readers * bytes).ontoZeros()
                        .by("stages=" + ring[1] + " tile=" + ring[0] + "B")
                        .as(multicast ? "shared-read-multicast" : "shared-read"));
            }
        }
        return all;
    }

    /** How many words are not the sums of their sets. */
    static long wrong(int[][] heads, long[] totals) {
        long wrong = 0;
        for (int set = 0; set < heads.length; set++) {
            for (int head : heads[set]) {
                wrong += head == (int) totals[set] ? 0 : 1;
            }
        }
        return wrong;
    }
}
