package dev.tilewright.bench.suite;

import dev.tilewright.Counted;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.WorkArrays;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.Opponent;
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
    /**
     * What computes all the time works so long before each of its turns, and in them, as its rivals do: {@code
     * products.cpp}.
     */
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
        return take(work, wrong, Opponent.NONE, _ -> rivals);
    }

    /**
     * Measures a kernel, without adding its row, in turns with an opponent.
     *
     * @param rivals gives the rows of the opponent, which has had its turns then, and of others
     */
    Optional<Row> take(Work work, LongSupplier wrong, Opponent opponent, Function<Opponent, List<Row>> rivals) {
        List<Row> made = new ArrayList<>();
        bench.attempt(suite, work.subject(), Row.OURS, work.unit(),
                () -> made.add(measured(work, wrong, opponent, rivals)));
        return made.stream().findFirst();
    }

    private Row measured(Work work, LongSupplier wrong, Opponent opponent, Function<Opponent, List<Row>> rivals) {
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
            DeviceTurns.Work start = (_, place) -> launches.get(place % launches.size()).start();
            // What is bound by arithmetic has no rest beside copies: cuBLAS's product has none either.
            List<Spread> micros = isBoundByMemory(work) ? turns.take(bench.settings().turns(),
                    List.of(start, arrays.copying()))
                    : List.of(sustained(start, opponent));
            arrays.spoil(work.before());
            launches.forEach(KernelLaunch::start);
            return row(work, launch, micros, before + wrong.getAsLong(), rivals.apply(opponent));
        }
    }

    /** Turns of a kernel that are each warmed up for, with those of another between them. */
    private Spread sustained(DeviceTurns.Work start, Opponent opponent) {
        int count = bench.settings().turns();
        if (opponent == Opponent.NONE) {
            return sustained.take(count, List.of(start)).getFirst();
        }
        double[] micros = new double[count];
        for (int turn = 0; turn < count; turn++) {
            opponent.turn();
            micros[turn] = sustained.take(1, List.of(start)).getFirst().median();
        }
        return Spread.of(micros);
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
                .moving(work.bytes()).computing(work.operations());
        for (var one : work.parameters().entrySet()) {
            ours = ours.with(one.getKey(), one.getValue());
        }
        ours = ours.with("blocks", launch.blocks());
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
