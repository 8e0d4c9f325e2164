package dev.tilewright.bench.suite;

import dev.tilewright.Counted;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.WorkArrays;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.program.Launch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Measures kernels in turns with the device's own copy, checks what they have written, and puts each beside the fastest
 * rivals that do the same work: {@link FastestRivals}.
 */
final class WorkRows implements AutoCloseable {
    /** What is smaller says nothing about the memory. */
    private static final long LEAST_COPIED = 1 << 20;
    /** The kernel before has warmed the GPU up; each needs a part of that alone. */
    private static final double ALREADY_WARM = 4;
    /** What computes all the time works so long before its turns, and in each, as its rivals do. */
    private static final double SUSTAINED_MILLIS = 100;

    private final Bench bench;
    private final String suite;
    private final WorkArrays arrays;
    private final DeviceTurns turns;
    private final DeviceTurns sustained;

    WorkRows(Bench bench, String suite, WorkArrays arrays) {
        this.bench = bench;
        this.suite = suite;
        this.arrays = arrays;
        this.turns = new DeviceTurns(bench.gpu(), bench.settings().warmUpMillis() / ALREADY_WARM);
        this.sustained = DeviceTurns.sustained(bench.gpu(), SUSTAINED_MILLIS);
    }

    /**
     * Measures a kernel and adds its row; what it lacks becomes a row that says so.
     *
     * @param wrong counts what is wrong in the results of one start on each set of arrays
     * @param rivals rows of the same work by others, which have been added already
     * @return its row, if it was measured
     */
    Optional<Row> measure(Work work, LongSupplier wrong, List<Row> rivals) {
        Optional<Row> row = take(work, wrong, rivals);
        row.ifPresent(bench::add);
        return row;
    }

    /** Measures a kernel without adding its row; what it lacks becomes a row that says so. */
    Optional<Row> take(Work work, LongSupplier wrong, List<Row> rivals) {
        return take(work, wrong, rivals, Optional.empty());
    }

    /**
     * Others that take turns with a kernel which is bound by arithmetic.
     *
     * @param row what is said of them, of the µs of one start
     */
    record Opponent(DeviceTurns.Work work, Function<Spread, Row> row) { }

    /** Measures a kernel without adding its row, and an opponent in turns with it, whose row is added. */
    Optional<Row> take(Work work, LongSupplier wrong, List<Row> rivals, Optional<Opponent> opponent) {
        List<Row> made = new ArrayList<>();
        bench.attempt(suite, work.subject(), Row.OURS, work.unit(),
                () -> made.add(measured(work, wrong, rivals, opponent)));
        return made.stream().findFirst();
    }

    private Row measured(Work work, LongSupplier wrong, List<Row> rivals, Optional<Opponent> opponent) {
        DeviceTurns device = isBoundByMemory(work) ? turns : sustained;
        try (Kernel kernel = bench.gpu().load(work.program())) {
            // Of clusters fewer than of as many single blocks: one more would start when the others are done.
            Launch launch = work.launch().apply(kernel.residentClusters() * work.program().cluster().count());
            List<KernelLaunch> launches = new ArrayList<>();
            for (int place = 0; place < arrays.sets(); place++) {
                launches.add(kernel.prepare(launch, arrays.in(place), arrays.out(place)).on(device.stream()));
            }
            arrays.spoil(work.before());
            launches.forEach(KernelLaunch::start);
            long before = wrong.getAsLong();
            List<DeviceTurns.Work> sides = new ArrayList<>();
            sides.add((_, place) -> launches.get(place % launches.size()).start());
            // What is bound by arithmetic has no rest beside copies: cuBLAS's product has none either.
            if (isBoundByMemory(work)) {
                sides.add(arrays.copying());
            } else {
                opponent.ifPresent(other -> sides.add(other.work()));
            }
            List<Spread> micros = device.take(bench.settings().turns(), sides);
            arrays.spoil(work.before());
            launches.forEach(KernelLaunch::start);
            List<Row> others = new ArrayList<>(rivals);
            opponent.ifPresent(other -> {
                others.add(other.row().apply(micros.getLast()));
                bench.add(others.getLast());
            });
            return row(work, launch, isBoundByMemory(work) ? micros : micros.subList(0, 1),
                    before + wrong.getAsLong(), others);
        }
    }

    /** The turns of what is bound by arithmetic. */
    DeviceTurns sustained() {
        return sustained;
    }

    private boolean isBoundByMemory(Work work) {
        return work.unit() != Unit.TERAFLOPS && arrays.copiedBytes() >= LEAST_COPIED;
    }

    /** @param micros of the kernel, and of cuMemcpy if memory bounds it */
    private Row row(Work work, Launch launch, List<Spread> micros, long wrong, List<Row> rivals) {
        Spread own = micros.getFirst();
        Spread figure = work.unit() == Unit.TERAFLOPS ? own.teraflops(work.operations())
                : own.gigabytesPerSecond(work.bytes());
        Row ours = Row.of(suite, work.subject(), Row.OURS, work.unit(), figure,
                wrong == 0 ? Verdict.VERIFIED : Verdict.WRONG)
                .moving(work.bytes()).computing(work.operations()).with(work.parameters()).by(work.schedule())
                .by(work.means()).by("blocks", launch.blocks());
        double memcpy = micros.size() == 1 ? 0 : micros.get(1).gigabytesPerSecond(arrays.copiedBytes()).median();
        if (memcpy > 0) {
            ours = ours.beside(Row.MEMCPY, memcpy, null).beside("rating", bench.machine().ratedGigabytesPerSecond(),
                    null);
        }
        ours = FastestRivals.beside(ours, rivals, work.mechanisms(), null);
        return wrong == 0 ? ours : ours.noting(Counted.of(wrong, "element")
                + (wrong == 1 ? " is wrong" : " are wrong"));
    }

    @Override
    public void close() {
        turns.close();
        sustained.close();
    }
}
