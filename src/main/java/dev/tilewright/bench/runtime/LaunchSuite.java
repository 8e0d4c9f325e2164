package dev.tilewright.bench.runtime;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.rival.RivalProcess;

/** What a launch costs, in µs of one of 500 that are put in together. */
public final class LaunchSuite implements Suite {
    private static final int LEAST_TURNS_OF_ONE_THREAD = 9;
    private final RivalProcess rival;

    /** @param rival the C++ side */
    public LaunchSuite(RivalProcess rival) {
        this.rival = rival;
    }

    @Override
    public String name() {
        return "launch";
    }

    @Override
    public String description() {
        return "a launch, prepared, as part of a graph, by java.lang.foreign and by JCuda, against C++, by 1 and 8 threads";
    }

    @Override
    public boolean needsGpu() {
        return true;
    }

    @Override
    public void run(Bench bench) {
        Launches launches = new Launches(bench.gpu(), RivalKernels.packed());
        Sides rows = new Sides(bench, name(), rival);
        int step = 0;
        for (int threads : new int[] {1, 8}) {
            // A turn of one thread is short, and a host has its moods.
            int rounds = threads == 1 ? Math.max(bench.settings().rounds(), LEAST_TURNS_OF_ONE_THREAD)
                    : bench.settings().rounds();
            for (boolean empty : new boolean[] {true, false}) {
                bench.progress().at("launching", step++, 4);
                launches.run(rounds, empty, threads, threads == 1 ? 1.05 : 1.10, rival, rows);
            }
        }
        bench.progress().at("launching", 4, 4);
    }
}
