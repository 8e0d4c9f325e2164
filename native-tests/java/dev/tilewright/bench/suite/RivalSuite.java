package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.rival.RivalRows;
import dev.tilewright.bench.rival.RivalSides;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What others reach on this machine where no other suite has work of ours beside them: the shapes that tutorials begin
 * with, products of further types, and more of PyTorch.
 */
public final class RivalSuite extends Suite {
    private static final int COLUMNS = 4096;
    private static final long SIDE = 8192;
    private static final List<String> TYPES = List.of("f16", "f8", "tf32");
    /** The tutorials' array: 10^8 floats. */
    private static final long TUTORIAL_BYTES = 400_000_000;

    private final RivalSides rivals;

    /** @param rivals who is measured */
    public RivalSuite(RivalSides rivals) {
        super("rivals", "what C++ and PyTorch reach where ours has nothing beside it: tutorials' shapes, "
                + "further products", true);
        this.rivals = rivals;
    }

    @Override
    public void run(Bench bench) {
        RivalRows rows = new RivalRows(name(), rivals.cpp(), rivals.python());
        List<Runnable> parts = new ArrayList<>();
        Optional<Row> withoutCpp = rows.withoutCpp();
        Optional<Row> withoutPython = rows.withoutPython();
        withoutCpp.ifPresent(bench::add);
        withoutPython.ifPresent(bench::add);
        if (withoutCpp.isEmpty()) {
            cpp(bench, rows, parts);
        }
        if (withoutPython.isEmpty()) {
            python(bench, rows, parts);
        }
        for (int i = 0; i < parts.size(); i++) {
            bench.progress().at("measuring rivals", i, parts.size());
            parts.get(i).run();
        }
        bench.progress().at("measuring rivals", parts.size(), parts.size());
    }

    private static void cpp(Bench bench, RivalRows rows, List<Runnable> parts) {
        long seed = bench.settings().seed();
        int turns = bench.settings().turns();
        Set<String> tutorials = Set.of("tutorial-async", "tutorial-tensor");
        parts.add(() -> rows.kernels("tutorial", tutorials, TUTORIAL_BYTES, seed, turns, bench::add));
    }

    private static void python(Bench bench, RivalRows rows, List<Runnable> parts) {
        long seed = bench.settings().seed();
        int turns = bench.settings().turns();
        for (long bytes : bench.settings().sizes(1L << 30)) {
            List<Long> matrix = List.of(Math.max(1, bytes / Float.BYTES / COLUMNS), (long) COLUMNS);
            for (String work : List.of("clone", "layer-norm")) {
                parts.add(() -> rows.python(work, work, "f32", matrix, seed, turns).forEach(bench::add));
            }
        }
        for (String type : TYPES) {
            parts.add(() -> rows.python("product", "product", type, List.of(SIDE, SIDE, SIDE), seed, turns)
                    .forEach(bench::add));
        }
        parts.add(() -> rows.python("attention", "attention", "bf16", List.of(4L, 32L, 4096L, 128L), seed, turns)
                .forEach(bench::add));
    }
}
