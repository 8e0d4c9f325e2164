package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.kernel.GridBarrier;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Preset;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * How fast each preset is checked for hazards, on one core, and a kernel whose blocks all meet. Right is what is found
 * to have no hazard, and whose run leaves what the kernel does.
 */
public final class CheckSuite extends Suite {
    private static final long ROWS = 1024;
    private static final long COLUMNS = 1024;
    private static final int ALIGNMENT = 256;
    /** Windows of warm-up of each at most: what they share is warm after the first. */
    private static final int WARM_UP = 15;
    private static final String WORK = "checking presets";
    private static final int MOST_TURNS = 7;
    /** Every preset is to be checked at this rate at least. */
    private static final double LEAST_MEGABYTES = 20;
    /** Blocks that meet are to be checked in this time at most. */
    private static final double MOST_MILLIS = 1000;

    private final List<Preset> presets;
    private final GridBarrier barrier;

    /** @param presets what is measured */
    public CheckSuite(List<Preset> presets) {
        this(presets, new GridBarrier(1024, 128));
    }

    CheckSuite(List<Preset> presets, GridBarrier barrier) {
        super("check", "checking every preset, and a barrier of a whole grid, for hazards", false);
        this.presets = List.copyOf(presets);
        this.barrier = barrier;
    }

    @Override
    public void run(Bench bench) {
        for (int i = 0; i < presets.size(); i++) {
            int number = i;
            Preset preset = presets.get(i);
            bench.attempt(name(), preset.name(), Row.OURS, Unit.MEGABYTES_PER_SECOND,
                    () -> measure(bench, preset, number));
        }
        measureBarrier(bench);
        bench.progress().at(WORK, presets.size() + 1, presets.size() + 1);
    }

    private void measure(Bench bench, Preset preset, int number) {
        ElementwiseKernel kernel = preset.build(ElementType.F32);
        Launch launch = kernel.launch(List.of(ROWS, COLUMNS), 0);
        long bytes = ROWS * COLUMNS * kernel.type().bytes();
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = List.of(arena.allocate(bytes, ALIGNMENT), arena.allocate(bytes, ALIGNMENT),
                    arena.allocate(Math.max(1, kernel.workspaceBytes(launch)), ALIGNMENT));
            check(bench, number, launch, memory, () -> { },
                    (millis, findings) -> Row.of(name(), preset.name(), Row.OURS, Unit.MEGABYTES_PER_SECOND,
                    millis.as(taken -> 2 * bytes / 1e3 / taken), findings == 0 ? Verdict.VERIFIED : Verdict.WRONG)
                    .moving(2 * bytes).with("size", bytes)
                    .by("blocks", launch.blocks()).by("threads", launch.program().threads())
                    .beside("20 MB/s", LEAST_MEGABYTES, 1.0));
        }
    }

    private void measureBarrier(Bench bench) {
        Launch launch = barrier.launch();
        long bytes = barrier.arrayBytes();
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = List.of(arena.allocate(bytes, ALIGNMENT), arena.allocate(bytes, ALIGNMENT),
                    arena.allocate(bytes, ALIGNMENT), arena.allocate(ValueLayout.JAVA_INT));
            MemorySegment source = memory.getFirst();
            for (long i = 0; i < bytes / Integer.BYTES; i++) {
                source.setAtIndex(ValueLayout.JAVA_INT, i, (int) i);
            }
            check(bench, presets.size(), launch, memory, () -> memory.get(3).fill((byte) 0),
                    (millis, findings) -> Row.of(name(), "grid-barrier", Row.OURS, Unit.MILLISECONDS, millis,
                            findings == 0 && isMoved(source, memory.get(2)) ? Verdict.VERIFIED : Verdict.WRONG)
                            .by("blocks", barrier.blocks()).by("threads", barrier.threads())
                            .beside("1 s", MOST_MILLIS, 1.0));
        }
    }

    /** Whether each block shows the part of the one behind it. */
    private boolean isMoved(MemorySegment source, MemorySegment result) {
        int words = barrier.blocks() * barrier.threads();
        for (int i = 0; i < words; i++) {
            if (result.getAtIndex(ValueLayout.JAVA_INT, i)
                    != source.getAtIndex(ValueLayout.JAVA_INT, (i + barrier.threads()) % words)) {
                return false;
            }
        }
        return true;
    }

    /** A row of the times of checks, in ms, and of how much all of them have found. */
    private interface Rated extends BiFunction<Spread, Integer, Row> {
    }

    /**
     * Checks until that is warm, then turn by turn, and adds the row.
     *
     * @param number of what is checked, from 0
     * @param before makes memory ready for a check
     */
    private void check(Bench bench, int number, Launch launch, List<MemorySegment> memory, Runnable before,
            Rated rated) {
        int turns = Math.min(MOST_TURNS, bench.settings().turns());
        long steps = turns + 1L;
        int[] findings = new int[1];
        Supplier<Double> check = () -> {
            before.run();
            long start = System.nanoTime();
            HazardReport report = HazardCheck.check(launch, memory);
            double millis = (System.nanoTime() - start) / 1e6;
            findings[0] += report.findings().size();
            return millis;
        };
        bench.progress().at(WORK, number * steps, (presets.size() + 1) * steps);
        String note = WarmUp.of(bench, WARM_UP).take(() -> new double[] {check.get()}).note(0);
        double[] millis = new double[turns];
        for (int turn = 0; turn < turns; turn++) {
            millis[turn] = check.get();
            Row row = rated.apply(Spread.of(Arrays.copyOf(millis, turn + 1)), findings[0]).noting(
                    findings[0] == 0 ? "" : findings[0] + " findings").notingToo(note);
            if (turn + 1 < turns) {
                bench.soFar(turn + 1, turns, List.of(row));
            } else {
                bench.add(row);
            }
            bench.progress().at(WORK, number * steps + turn + 1, (presets.size() + 1) * steps);
        }
    }
}
