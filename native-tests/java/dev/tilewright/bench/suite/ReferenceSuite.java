package dev.tilewright.bench.suite;

import com.sun.management.OperatingSystemMXBean;
import dev.tilewright.BadRequestException;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * How fast the reference runs copies of a matrix on the CPU, beside {@link MemorySegment#copy} of the same bytes. All
 * take turns, so that what else the machine does falls on all of them.
 */
public final class ReferenceSuite extends Suite {
    private static final long MEGABYTE = 1 << 20;
    private static final long COLUMNS = 16384;
    private static final String FILLING = "filling an array";
    private static final String YARDSTICK = "MemorySegment.copy";
    private static final String WORK = "running copies in the reference";
    /** Windows of warm-up at most. */
    private static final int WARM_UP = 100;
    /** Of the yardstick, on one thread. */
    private static final Map<String, Double> DEMANDED =
            Map.of("bulk-copy", 0.5, "tensor-copy", 0.3, "tensor-copy-128b", 0.05);

    /** One side's work, and what it leaves. */
    private record Side(String subject, String threads, Runnable work, List<Double> micros, boolean[] right) {
    }

    /** Copies by the presets. */
    public ReferenceSuite() {
        super("reference", "copies run on the CPU, against MemorySegment.copy of the same bytes", false);
    }

    @Override
    public void run(Bench bench) {
        for (long size : bench.settings().sizes(64 * MEGABYTE)) {
            bench.attempt(name(), "copy", Row.OURS, Unit.GIGABYTES_PER_SECOND, () -> {
                try (Arena arena = Arena.ofShared()) {
                    run(bench, Math.max(1, size / COLUMNS / 4), arena);
                }
            });
        }
    }

    private void run(Bench bench, long rows, Arena arena) {
        long bytes = rows * COLUMNS * 4;
        refuseWhatDoesNotFit(bytes);
        bench.progress().at(FILLING, 0, bytes);
        MemorySegment source = arena.allocate(bytes, 4096);
        MemorySegment result = arena.allocate(bytes, 4096);
        SplittableRandom random = new SplittableRandom(bench.settings().seed());
        for (long at = 0; at < bytes; at += Long.BYTES) {
            source.set(ValueLayout.JAVA_LONG, at, random.nextLong());
            if (at % MEGABYTE == 0) {
                bench.progress().at(FILLING, at, bytes);
            }
        }
        bench.progress().at(FILLING, bytes, bytes);
        List<Side> sides = new ArrayList<>();
        sides.add(side(YARDSTICK, "1", () -> MemorySegment.copy(source, 0, result, 0, bytes)));
        for (String preset : DEMANDED.keySet().stream().sorted().toList()) {
            ElementwiseKernel kernel = Presets.named(preset).build(ElementType.F32, 2, Schedule.DEFAULT);
            Launch launch = kernel.launch(List.of(rows, COLUMNS), 0);
            List<MemorySegment> memory = List.of(source, result);
            sides.add(side(preset, "1", () -> Reference.run(launch, memory, ReferenceOptions.DEFAULT.sequential())));
            sides.add(side(preset, "all", () -> Reference.run(launch, memory, ReferenceOptions.DEFAULT)));
        }
        WarmUp.Outcome warmth = WarmUp.of(bench, WARM_UP).take(() -> sides.stream().mapToDouble(
                side -> takeTurn(side, source, result, true)).toArray(), bench.progress());
        int turns = bench.settings().turns();
        for (int turn = 0; turn < turns; turn++) {
            bench.progress().at(WORK, turn, turns);
            for (Side side : sides) {
                takeTurn(side, source, result, false);
            }
            bench.soFar(turn + 1, turns, rows(sides, warmth, bytes));
        }
        bench.progress().at(WORK, turns, turns);
        rows(sides, warmth, bytes).forEach(bench::add);
    }

    private static void refuseWhatDoesNotFit(long bytes) {
        long memory = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        if (bytes > memory / 3) {
            throw new BadRequestException("an array of " + (bytes >> 20) + " MiB and its copy do not fit this machine, "
                    + "which has " + (memory >> 20) + " MiB of memory: choose a smaller size");
        }
    }

    private static Side side(String subject, String threads, Runnable work) {
        return new Side(subject, threads, work, new ArrayList<>(), new boolean[] {true});
    }

    /** @param warmUp its result is compared, and its time is not counted @return µs */
    private static double takeTurn(Side side, MemorySegment source, MemorySegment result, boolean warmUp) {
        if (warmUp) {
            result.fill((byte) 0xA5);
        }
        long start = System.nanoTime();
        side.work.run();
        double micros = (System.nanoTime() - start) / 1e3;
        if (warmUp) {
            side.right[0] &= source.mismatch(result) < 0;
        } else {
            side.micros.add(micros);
        }
        return micros;
    }

    private List<Row> rows(List<Side> sides, WarmUp.Outcome warmth, long bytes) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < sides.size(); i++) {
            Side side = sides.get(i);
            Spread rate = Spread.of(side.micros.stream().mapToDouble(m -> m).toArray()).gigabytesPerSecond(2 * bytes);
            boolean ours = i > 0;
            Row row = Row.of(name(), ours ? side.subject : "copy", ours ? Row.OURS : YARDSTICK,
                    Unit.GIGABYTES_PER_SECOND, rate, side.right[0] ? Verdict.VERIFIED : Verdict.WRONG)
                    .moving(2 * bytes).with("size", bytes).with("cores", side.threads).noting(warmth.note(i));
            rows.add(ours ? row.beside(rows.getFirst(), side.threads.equals("1") ? DEMANDED.get(side.subject) : null)
                    : row);
        }
        return rows;
    }
}
