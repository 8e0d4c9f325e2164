package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.device.Checks;
import dev.tilewright.bench.device.WorkArrays;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.rival.RivalSides;
import dev.tilewright.program.Launch;
import java.util.List;
import java.util.Set;

/**
 * Tiles that are read and not written: bytes read in a second, of the figure that cuMemcpy reaches reading and writing.
 */
public final class LoadSuite extends WordsSuite {
    private static final String SUBJECT = "tile loads";
    /** What is demanded of cuMemcpy's figure: a memory that only reads need not turn round. */
    private static final double DEMANDED = 1.07;

    /** A kernel, and how many of its blocks a multiprocessor gets. */
    private record Form(TileReads kernel, int blocksEach) { }

    /**
     * Those found fastest on an H200, of tiles of 8 to 64 KiB and 2 to 12 stages ({@code copy-candidates.log}): 128 to
     * 192 KiB under way on a multiprocessor.
     */
    private static final List<Form> FORMS = List.of(
            new Form(new TileReads(32768, 3, 256), 2),
            new Form(new TileReads(32768, 6, 256), 1),
            new Form(new TileReads(16384, 6, 256), 2),
            new Form(new TileReads(16384, 4, 256), 2),
            new Form(new TileReads(16384, 3, 128), 4));

    private final RivalSides sides;

    /** @param sides who is measured beside ours */
    public LoadSuite(RivalSides sides) {
        super("load", "tiles that are read and not written, against cuMemcpy's figure and C++", SUBJECT);
        this.sides = sides;
    }

    @Override
    void measure(Bench bench, long bytes, WorkArrays arrays, WorkRows rows) {
        List<Row> rivals = new RivalsBeside(bench, name(), sides).kernels(SUBJECT,
                Set.of("read-vector", "read-async", "read-bulk"), bytes);
        long[] expected = arrays.each(Checks.WORDS_XORED, check -> check.set("count", bytes / Integer.BYTES));
        for (Form form : FORMS) {
            TileReads kernel = form.kernel();
            int blocks = form.blocksEach() * bench.gpu().info().multiprocessors();
            Launch launch = kernel.launch(bytes, blocks);
            long words = kernel.resultBytes(launch) / Integer.BYTES;
            Work work = Work.moving(SUBJECT, Work.parameters("size", bytes), kernel.program(), _ -> launch, bytes)
                    .by("stages=" + kernel.stages() + " threads=" + kernel.workers() + " tile=" + kernel.tileBytes()
                            + "B").as("read-bulk");
            rows.take(work, () -> wrong(arrays, expected, words), rivals)
                    .ifPresent(row -> bench.add(row.demanding(Row.MEMCPY, DEMANDED)));
        }
    }

    /** How many results are not the exclusive or of their array. */
    private static long wrong(WorkArrays arrays, long[] expected, long words) {
        long[] found = arrays.each(Checks.RESULTS_XORED, check -> check.set("count", words));
        long wrong = 0;
        for (int i = 0; i < expected.length; i++) {
            wrong += found[i] == expected[i] ? 0 : 1;
        }
        return wrong;
    }
}
