package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.kernel.GridBarrier;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.hazard.HazardCheck;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * How fast each preset is checked for hazards, on one core, and a kernel whose blocks all meet. Right is what is found
 * to have no hazard, and whose run leaves what the kernel does.
 */
public final class CheckSuite implements Suite {
    private static final long ROWS = 1024;
    private static final long COLUMNS = 1024;
    private static final int ALIGNMENT = 256;
    /** Each is checked so often, and for so long, before it is measured. */
    private static final int WARM_UP = 2;
    private static final double WARM_UP_MILLIS = 400;
    private static final int MOST_TURNS = 7;
    /** Every preset is to be checked at this rate at least. */
    private static final double LEAST_MEGABYTES = 20;
    /** Blocks that meet are to be checked in this time at most. */
    private static final double MOST_MILLIS = 1000;
    private static final GridBarrier BARRIER = new GridBarrier(1024, 128);

    private final List<Preset> presets;

    /** @param presets what is measured */
    public CheckSuite(List<Preset> presets) {
        this.presets = List.copyOf(presets);
    }

    @Override
    public String name() {
        return "check";
    }

    @Override
    public String description() {
        return "checking every preset, and a barrier of a whole grid, for hazards";
    }

    @Override
    public boolean needsGpu() {
        return false;
    }

    @Override
    public void run(Bench bench) {
        for (int i = 0; i < presets.size(); i++) {
            bench.progress().at("checking presets", i, presets.size() + 1);
            Preset preset = presets.get(i);
            bench.attempt(name(), preset.name(), Row.OURS, Unit.MEGABYTES_PER_SECOND, () -> measure(bench, preset));
        }
        bench.progress().at("checking presets", presets.size(), presets.size() + 1);
        measureBarrier(bench);
        bench.progress().at("checking presets", presets.size() + 1, presets.size() + 1);
    }

    private void measure(Bench bench, Preset preset) {
        TileKernel kernel = preset.build(ElementType.F32);
        Launch launch = kernel.launch(List.of(ROWS, COLUMNS), 0);
        long bytes = ROWS * COLUMNS * kernel.type().bytes();
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = List.of(arena.allocate(bytes, ALIGNMENT), arena.allocate(bytes, ALIGNMENT),
                    arena.allocate(Math.max(1, kernel.workspaceBytes(launch)), ALIGNMENT));
            Checked checked = check(bench, launch, memory, () -> { });
            bench.add(Row.of(name(), preset.name(), Row.OURS, Unit.MEGABYTES_PER_SECOND,
                    checked.millis.as(millis -> 2 * bytes / 1e3 / millis),
                    checked.findings == 0 ? Verdict.VERIFIED : Verdict.WRONG).moving(2 * bytes).with("size", bytes)
                    .with("blocks", launch.blocks()).with("threads", launch.program().threads())
                    .beside("20 MB/s", LEAST_MEGABYTES, 1.0)
                    .noting(checked.findings == 0 ? "" : checked.findings + " findings"));
        }
    }

    private void measureBarrier(Bench bench) {
        Launch launch = BARRIER.launch();
        long bytes = BARRIER.arrayBytes();
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = List.of(arena.allocate(bytes, ALIGNMENT), arena.allocate(bytes, ALIGNMENT),
                    arena.allocate(bytes, ALIGNMENT), arena.allocate(ValueLayout.JAVA_INT));
            MemorySegment source = memory.getFirst();
            for (long i = 0; i < bytes / Integer.BYTES; i++) {
                source.setAtIndex(ValueLayout.JAVA_INT, i, (int) i);
            }
            Checked checked = check(bench, launch, memory, () -> memory.get(3).fill((byte) 0));
            boolean right = checked.findings == 0 && isMoved(source, memory.get(2));
            bench.add(Row.of(name(), "grid-barrier", Row.OURS, Unit.MILLISECONDS, checked.millis,
                    right ? Verdict.VERIFIED : Verdict.WRONG).with("blocks", BARRIER.blocks())
                    .with("threads", BARRIER.threads()).beside("1 s", MOST_MILLIS, 1.0)
                    .noting(checked.findings == 0 ? "" : checked.findings + " findings"));
        }
    }

    /** Whether each block shows the part of the one behind it. */
    private static boolean isMoved(MemorySegment source, MemorySegment result) {
        int words = BARRIER.blocks() * BARRIER.threads();
        for (int i = 0; i < words; i++) {
            if (result.getAtIndex(ValueLayout.JAVA_INT, i)
                    != source.getAtIndex(ValueLayout.JAVA_INT, (i + BARRIER.threads()) % words)) {
                return false;
            }
        }
        return true;
    }

    private record Checked(Spread millis, int findings) {
    }

    /** @param before makes memory ready for a check */
    private static Checked check(Bench bench, Launch launch, List<MemorySegment> memory, Runnable before) {
        double[] millis = new double[Math.min(MOST_TURNS, bench.settings().turns())];
        int findings = 0;
        double warm = 0;
        for (int i = -WARM_UP; i < millis.length; i++) {
            before.run();
            long start = System.nanoTime();
            HazardReport report = HazardCheck.check(launch, memory);
            double taken = (System.nanoTime() - start) / 1e6;
            findings += report.findings().size();
            warm += taken;
            if (i >= 0) {
                millis[i] = taken;
            } else if (i == -1 && warm < WARM_UP_MILLIS) {
                i--;
            }
        }
        return new Checked(Spread.of(millis), findings);
    }
}
