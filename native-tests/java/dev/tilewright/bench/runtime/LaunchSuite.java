package dev.tilewright.bench.runtime;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.rival.RivalProcess;

/** What a launch costs, in µs of one of 500 that are put in together. */
public final class LaunchSuite extends Suite {
    /**
     * A turn is short, 5 to 20 ms, and chance decides more than who launches: µs of one thread lie between 3.2 and 4.4
     * for every side, on one core as much as from core to core (measured on an H200's host), so many turns, on every
     * core in turn, say more than long ones: four times as many as of other suites, and one.
     */
    private static final int TIMES_TURNS = 4;

    private final RivalProcess rival;

    /** @param rival the C++ side */
    public LaunchSuite(RivalProcess rival) {
        super("launch", "a launch, prepared, as part of a graph, by java.lang.foreign and by JCuda, against C++, "
                + "by 1 and 8 threads", true);
        this.rival = rival;
    }

    @Override
    public void run(Bench bench) {
        LaunchCost launches = new LaunchCost(bench.gpu(), RivalKernels.packed());
        ContenderRows rows = new ContenderRows(bench, name(), rival);
        int rounds = TIMES_TURNS * bench.settings().turns() + 1;
        int step = 0;
        for (int threads : new int[] {1, 8}) {
            for (boolean empty : new boolean[] {true, false}) {
                int done = rounds * step++;
                launches.run(rounds, empty, threads, threads == 1 ? 1.05 : 1.10, rival, rows,
                        round -> bench.progress().at("launching", done + round, 4 * rounds));
            }
        }
        bench.progress().at("launching", 4 * rounds, 4 * rounds);
    }
}
