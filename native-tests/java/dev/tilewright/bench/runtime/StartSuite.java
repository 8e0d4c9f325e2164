package dev.tilewright.bench.runtime;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Scratch;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.rival.RivalProcess;
import dev.tilewright.gpu.cuda.LibCuda;

/** From the start of a process to its first tile, in ms of the clock on the wall. */
public final class StartSuite extends Suite {
    private static final int LEAST_TURNS = 7;
    private static final int COLD_TURNS = 3;
    private final RivalProcess rival;

    /** @param rival the C++ side */
    public StartSuite(RivalProcess rival) {
        super("start", "from process start to the first tile checked: driver alone, kernel cached, kernel "
                + "compiled; against C++", false);
        this.rival = rival;
    }

    /**
     * As on an idle machine where this is the first suite of the process. After others, this process has the driver
     * initialised, which spares the processes that are started a part of their work: the rows say so, and nothing is
     * demanded.
     */
    @Override
    public void run(Bench bench) {
        if (!LibCuda.presence().present()) {
            throw new MissingRequirementException("this needs a GPU: " + LibCuda.presence().why());
        }
        ContenderRows rows = new ContenderRows(bench, name(), rival);
        int rounds = Math.max(bench.settings().rounds(), LEAST_TURNS);
        String where = bench.isGpuOpen() ? ", beside a process on the GPU" : "";
        try (Scratch scratch = new Scratch()) {
            StartUp starts = new StartUp(scratch.folder());
            starts.run(rounds, "first tile checked, kernel cached" + where, bench.isGpuOpen() ? null : 1.5, rival,
                    rows);
            starts.runDriver(rounds, "GPU opened" + where, rows);
            starts.runCold(COLD_TURNS, "first tile checked, kernel compiled" + where, scratch.folder(), rows);
        }
    }
}
