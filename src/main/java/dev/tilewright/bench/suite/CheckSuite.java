package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.HazardBenchmark;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.Preset;
import java.util.List;

/** How fast each preset is checked for hazards. */
public final class CheckSuite implements Suite {
    private static final long ROWS = 1024;
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
        return "checking every preset for hazards, bytes of its arrays read plus written";
    }

    @Override
    public boolean needsGpu() {
        return false;
    }

    @Override
    public void run(Bench bench) {
        for (int i = 0; i < presets.size(); i++) {
            bench.progress().at("checking presets", i, presets.size());
            HazardBenchmark.Row row = HazardBenchmark.run(List.of(presets.get(i)), ROWS).getFirst();
            long moved = 2 * row.arrayBytes();
            bench.add(Row.of(name(), row.preset(), Row.OURS, Unit.MEGABYTES_PER_SECOND,
                    row.millis().as(millis -> moved / 1e3 / millis),
                    row.findings() == 0 ? Verdict.VERIFIED : Verdict.WRONG).moving(moved).with("size", row.arrayBytes())
                    .noting(row.findings() == 0 ? "" : row.findings() + " findings"));
        }
        bench.progress().at("checking presets", presets.size(), presets.size());
    }
}
