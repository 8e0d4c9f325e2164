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
    /** How often each preset is emitted, for each turn that is asked for, before any is measured. */
    private static final int WARM_UP = 100;
    /** And in a turn, whose time is that of one in the mean. */
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
        int turns = bench.settings().turns();
        for (int i = 0; i < turns; i++) {
            bench.progress().at("emitting presets", i, 2L * turns);
            presets.forEach(preset -> emit(preset, WARM_UP));
        }
        List<double[]> micros = presets.stream().map(_ -> new double[turns]).toList();
        for (int turn = 0; turn < turns; turn++) {
            bench.progress().at("emitting presets", turns + turn, 2L * turns);
            for (int i = 0; i < presets.size(); i++) {
                long start = System.nanoTime();
                emit(presets.get(i), TIMES);
                micros.get(i)[turn] = (System.nanoTime() - start) / 1e3 / TIMES;
            }
        }
        bench.progress().at("emitting presets", 2L * turns, 2L * turns);
        for (int i = 0; i < presets.size(); i++) {
            bench.add(Row.of(name(), presets.get(i).name(), Row.OURS, Unit.MICROSECONDS, Spread.of(micros.get(i)),
                    Verdict.NO_OUTPUT).with("source", emit(presets.get(i), 1)));
        }
    }

    /** Builds and emits a preset so often. @return characters of the source */
    private static int emit(Preset preset, int times) {
        int length = 0;
        for (int i = 0; i < times; i++) {
            length = CudaEmitter.emit(preset.build(ElementType.F32).program()).text().length();
        }
        return length;
    }
}
