package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.EmitBenchmark;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.Preset;
import java.util.List;

/** How long it takes to build and emit each preset, once warm. */
public final class EmitSuite implements Suite {
    private final List<Preset> presets;

    /** @param presets what is measured */
    public EmitSuite(List<Preset> presets) {
        this.presets = List.copyOf(presets);
    }

    @Override
    public String name() {
        return "emit";
    }

    @Override
    public String description() {
        return "building and emitting every preset";
    }

    @Override
    public boolean needsGpu() {
        return false;
    }

    @Override
    public void run(Bench bench) {
        for (EmitBenchmark.Row row : EmitBenchmark.run(presets)) {
            bench.add(Row.of(name(), row.preset(), Row.OURS, Unit.MICROSECONDS, row.micros(), Verdict.NO_OUTPUT)
                    .with("source", row.sourceBytes()));
        }
    }
}
