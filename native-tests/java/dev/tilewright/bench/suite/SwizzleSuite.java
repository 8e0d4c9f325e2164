package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.device.Checks;
import dev.tilewright.bench.device.Content;
import dev.tilewright.bench.device.WorkArrays;
import dev.tilewright.bench.kernel.ColumnReads;
import dev.tilewright.bench.kernel.SwizzledTranspose;
import dev.tilewright.bench.kernel.ThreadTranspose;
import dev.tilewright.bench.kernel.TileRows;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.rival.RivalSides;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.banks.BankConflicts;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What bank conflicts cost, predicted by running a block on the CPU and measured: transposes of a matrix, whose tiles
 * lie plain, padded or swizzled in shared memory, and columns read from there with nothing else to wait for.
 */
public final class SwizzleSuite extends Suite {
    private static final int COLUMNS = 16384;
    private static final int[][] TILES = {{32, 32, 8}, {64, 32, 8}, {32, 64, 8}, {64, 64, 1}, {64, 64, 8}, {64, 64, 32},
            {128, 64, 8}, {64, 128, 8}, {128, 128, 8}};
    /** Sides and threads of tiles that threads transpose: those of the C++ kernels. */
    private static final int[][] FORMS = {{32, 256}, {32, 128}, {64, 256}, {64, 512}};
    private static final int TILE_BYTES = 4096;
    private static final int READS = 200;
    /** As many as a multiprocessor has threads for. */
    private static final int BLOCKS_EACH = 4;

    private final RivalSides sides;
    private final int reads;
    private final int blocksEach;

    /** @param sides who is measured beside ours */
    public SwizzleSuite(RivalSides sides) {
        this(sides, READS, BLOCKS_EACH);
    }

    /**
     * @param reads how often each thread reads its row of a tile @param blocksEach blocks that read on each
     * multiprocessor; 0 for one in all
     */
    SwizzleSuite(RivalSides sides, int reads, int blocksEach) {
        super("swizzle", "transposes and column reads, with bank conflicts, against C++ and PyTorch", true);
        this.sides = sides;
        this.reads = reads;
        this.blocksEach = blocksEach;
    }

    @Override
    public void run(Bench bench) {
        columnReads(bench);
        for (long bytes : bench.settings().sizes(1L << 30)) {
            bench.attempt(name(), "transpose", Row.OURS, Unit.GIGABYTES_PER_SECOND, () -> transposes(bench, bytes));
        }
    }

    private void transposes(Bench bench, long bytes) {
        int width = (int) Math.min(COLUMNS, bytes / Integer.BYTES / 4);
        int height = Math.toIntExact(bytes / Integer.BYTES / width);
        RivalsBeside others = new RivalsBeside(bench, name(), sides);
        List<Row> rivals = new ArrayList<>(others.kernels("transpose", Stream.of(TileRows.values())
                .map(SwizzleSuite::mechanism).collect(Collectors.toSet()), bytes));
        rivals.addAll(others.python("transpose", "transpose", "f32", List.of((long) height, (long) width)));
        List<Work> all = transposes(bytes, height, width);
        try (WorkArrays arrays = new WorkArrays(bench.gpu(), bytes, bytes, Content.WORDS, bench.settings().seed());
                WorkRows rows = new WorkRows(bench, name(), arrays)) {
            for (int i = 0; i < all.size(); i++) {
                bench.progress().at("transposing", i, all.size());
                rows.measure(all.get(i), () -> arrays.wrong(Checks.TRANSPOSED, check -> check
                        .set("count", bytes / Integer.BYTES).set("rows", height).set("columns", width)), rivals);
            }
            bench.progress().at("transposing", all.size(), all.size());
        }
    }

    /** Transposes of a matrix through tiles that lie in every way. */
    static List<Work> transposes(long bytes, int height, int width) {
        List<Work> all = new ArrayList<>();
        for (int[] tile : TILES) {
            SwizzledTranspose kernel = new SwizzledTranspose(tile[0], tile[1], tile[2]);
            all.add(Work.moving("transpose", Work.parameters("size", bytes, "layout", "swizzled by TMA"),
                    kernel.program(), _ -> kernel.launch(height, width), 2 * bytes)
                    .by("tile=" + tile[0] + "x" + tile[1], "band", tile[2], "conflicts",
                            predicted(kernel.launch(tile[0], tile[1]), tile[0] * tile[1])));
        }
        for (TileRows tile : TileRows.values()) {
            for (int[] form : FORMS) {
                all.add(byThreads(new ThreadTranspose(tile, form[0], form[1]), bytes, height, width));
            }
        }
        return all;
    }

    private static Work byThreads(ThreadTranspose kernel, long bytes, int height, int width) {
        int side = kernel.side();
        return Work.moving("transpose", Work.parameters("size", bytes, "layout",
                kernel.tile().name().toLowerCase(Locale.ROOT) + " by threads"), kernel.program(),
                _ -> kernel.launch(height, width), 2 * bytes)
                .by("threads=" + kernel.threads() + " tile=" + side + "x" + side, "conflicts",
                        predicted(kernel.launch(side, side), side * side)).as(mechanism(kernel.tile()));
    }

    /** That of the C++ kernels whose tiles lie like this. */
    private static String mechanism(TileRows tile) {
        return switch (tile) {
            case PLAIN -> "transpose";
            case PADDED -> "transpose-padded";
            case SWIZZLED -> "transpose-swizzled";
            case XORED -> "transpose-xored";
        };
    }

    /**
     * Times of several layouts are in the proportion of what is predicted: each stands beside the one without
     * conflicts.
     */
    private void columnReads(Bench bench) {
        int blocks = Math.max(1, bench.gpu().info().multiprocessors() * blocksEach);
        long out = (long) blocks * ColumnReads.THREADS * Integer.BYTES;
        bench.attempt(name(), "column-read", Row.OURS, Unit.GIGABYTES_PER_SECOND, () -> {
            try (WorkArrays arrays = new WorkArrays(bench.gpu(), TILE_BYTES, out, Content.WORDS,
                    bench.settings().seed(), 1);
                    WorkRows rows = new WorkRows(bench, name(), arrays)) {
                Optional<Row> best = Optional.empty();
                for (TileRows tile : List.of(TileRows.PADDED, TileRows.SWIZZLED, TileRows.PLAIN)) {
                    ColumnReads kernel = new ColumnReads(tile);
                    Optional<Row> row = rows.take(Work.moving("column-read", Work.parameters("layout",
                            tile.name().toLowerCase(Locale.ROOT)), kernel.program(),
                            _ -> kernel.launch(blocks, reads), ColumnReads.bytesRead(blocks, reads))
                            .by("none", "conflicts", predicted(kernel.launch(1, 8), 1024)),
                            () -> arrays.wrong(Checks.ROW_SUMS, check -> check.set("count", out / Integer.BYTES)
                                    .set("turns", reads)), List.of());
                    if (best.isEmpty()) {
                        best = row;
                    }
                    double reference = best.map(first -> first.figure().median()).orElse(0.0);
                    row.ifPresent(one -> bench.add(one.beside("padded", reference, null)));
                }
            }
        });
    }

    /** How many times the wavefronts that shared memory needs at least a tile takes, by a run on the CPU. */
    private static String predicted(Launch launch, int words) {
        try (Arena arena = Arena.ofConfined()) {
            BankConflicts banks = BankConflicts.of(launch, List.of(arena.allocate(4L * words, 128),
                    arena.allocate(4L * words, 128)), ReferenceOptions.DEFAULT.withFirstBlocks(1));
            return String.format(Locale.ROOT, "%.2fx", (double) banks.wavefronts() / banks.ideal());
        }
    }
}
