package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.Preset;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.layout.ElementType;
import java.util.List;

/** How long it takes to build and emit each preset, once warm. */
public final class EmitSuite implements Suite {
    private static final int WARM_UP = 1500;
    /** Of each preset for each turn that is asked for. */
    private static final int TIMES = 20;

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
        for (int i = 0; i < WARM_UP; i++) {
            bench.progress().at("warming up", i, WARM_UP);
            presets.forEach(EmitSuite::emit);
        }
        bench.progress().at("warming up", WARM_UP, WARM_UP);
        for (Preset preset : presets) {
            double[] micros = new double[TIMES * bench.settings().turns()];
            int length = 0;
            for (int i = 0; i < micros.length; i++) {
                long start = System.nanoTime();
                length = emit(preset);
                micros[i] = (System.nanoTime() - start) / 1e3;
            }
            bench.add(Row.of(name(), preset.name(), Row.OURS, Unit.MICROSECONDS, Spread.of(micros), Verdict.NO_OUTPUT)
                    .with("source", length));
        }
    }

    private static int emit(Preset preset) {
        return CudaEmitter.emit(preset.build(ElementType.F32).program()).text().length();
    }
}
