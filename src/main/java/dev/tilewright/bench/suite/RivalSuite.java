package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.rival.RivalRows;
import dev.tilewright.bench.rival.RivalSides;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What others reach on this machine for work of every kind, beside cuMemcpy in the same turns: the C++ kernels that no
 * other suite measures, cuBLAS' products, PyTorch and Triton. What ours are to be compared with, also where ours are
 * not written yet.
 */
public final class RivalSuite implements Suite {
    private static final Map<String, Set<String>> MECHANISMS = new LinkedHashMap<>();
    private static final int COLUMNS = 4096;
    private static final long SIDE = 8192;
    /** f32 is eight times slower than the rest: smaller. */
    private static final long SIDE_F32 = 4096;
    private static final List<String> TYPES = List.of("bf16", "f16", "f8", "tf32", "f32");
    /** The tutorials' array: 10^8 floats. */
    private static final long TUTORIAL_BYTES = 400_000_000;

    static {
        MECHANISMS.put("copy of 4-byte aligned data", Set.of("async-4", "async-4-pipeline"));
        MECHANISMS.put("scale", Set.of("scale-vector", "scale-warps"));
        MECHANISMS.put("read", Set.of("read-vector", "read-async", "read-bulk"));
        MECHANISMS.put("transpose", Set.of("transpose", "transpose-padded"));
        MECHANISMS.put("accumulate", Set.of("accumulate-vector", "accumulate-red", "accumulate-bulk"));
        MECHANISMS.put("broadcast", Set.of("broadcast-vector"));
        MECHANISMS.put("read by every block of a cluster", Set.of("shared-read", "shared-read-multicast"));
    }

    private final RivalSides rivals;

    /** @param rivals who is measured */
    public RivalSuite(RivalSides rivals) {
        this.rivals = rivals;
    }

    @Override
    public String name() {
        return "rivals";
    }

    @Override
    public String description() {
        return "what C++, cuBLAS, PyTorch and Triton reach for reads, transposes, sums, multicasts, products and more";
    }

    @Override
    public boolean needsGpu() {
        return true;
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
        for (long bytes : bench.settings().sizes(1L << 30)) {
            MECHANISMS.forEach((subject, mechanisms) -> parts.add(
                    () -> rows.kernels(subject, mechanisms, bytes, seed, turns).forEach(bench::add)));
        }
        parts.add(() -> rows.kernels("tutorial", Set.of("tutorial-async", "tutorial-tensor"), TUTORIAL_BYTES, seed,
                turns)
                .forEach(bench::add));
        for (String type : TYPES) {
            long n = side(type);
            parts.add(() -> rows.product("product", type, true, n, n, n, seed, turns).forEach(bench::add));
        }
    }

    private static void python(Bench bench, RivalRows rows, List<Runnable> parts) {
        long seed = bench.settings().seed();
        int turns = bench.settings().turns();
        for (long bytes : bench.settings().sizes(1L << 30)) {
            List<Long> matrix = List.of(Math.max(1, bytes / Float.BYTES / COLUMNS), (long) COLUMNS);
            for (String work : List.of("copy", "clone", "transpose", "sum", "softmax", "layer-norm")) {
                parts.add(() -> rows.python(work, work, "f32", matrix, seed, turns).forEach(bench::add));
            }
        }
        for (String type : TYPES) {
            long n = side(type);
            parts.add(() -> rows.python("product", "product", type, List.of(n, n, n), seed, turns).forEach(bench::add));
        }
        parts.add(() -> rows.python("attention", "attention", "bf16", List.of(4L, 32L, 4096L, 128L), seed, turns)
                .forEach(bench::add));
    }

    private static long side(String type) {
        return type.equals("f32") ? SIDE_F32 : SIDE;
    }
}
