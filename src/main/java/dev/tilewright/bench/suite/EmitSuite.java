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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** How long it takes to build and emit each preset, once all are warm. */
public final class EmitSuite extends Suite {
    /** Windows of warm-up at most. */
    private static final int WARM_UP = 100;
    /** A turn emits a preset again and again for so long: its time is the median. */
    private static final double TURN_MILLIS = 10;
    private static final String WORK = "emitting presets";

    private final List<Preset> presets;

    /** @param presets what is measured */
    public EmitSuite(List<Preset> presets) {
        super("emit", "building and emitting every preset", false);
        this.presets = List.copyOf(presets);
    }

    @Override
    public void run(Bench bench) {
        if (presets.isEmpty()) {
            return;
        }
        WarmUp.Outcome warmth = WarmUp.of(bench, WARM_UP).take(() -> presets.stream().mapToDouble(
                preset -> Repeated.once(1, () -> emit(preset))).toArray(), bench.progress());
        int turns = bench.settings().turns();
        double[][] micros = new double[presets.size()][turns];
        int[] lengths = presets.stream().mapToInt(EmitSuite::emit).toArray();
        for (int turn = 0; turn < turns; turn++) {
            bench.progress().at(WORK, turn, turns);
            for (int i = 0; i < micros.length; i++) {
                Preset preset = presets.get(i);
                micros[i][turn] = Repeated.micros(TURN_MILLIS, 1, () -> emit(preset));
            }
            bench.soFar(turn + 1, turns, rows(micros, turn + 1, lengths, warmth));
        }
        bench.progress().at(WORK, turns, turns);
        rows(micros, turns, lengths, warmth).forEach(bench::add);
    }

    private List<Row> rows(double[][] micros, int turns, int[] lengths, WarmUp.Outcome warmth) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < micros.length; i++) {
            rows.add(Row.of(name(), presets.get(i).name(), Row.OURS, Unit.MICROSECONDS,
                    Spread.of(Arrays.copyOf(micros[i], turns)), Verdict.NO_OUTPUT).with("source", lengths[i])
                    .noting(warmth.note(i)));
        }
        return rows;
    }

    /** Builds and emits a preset. @return characters of the source */
    private static int emit(Preset preset) {
        return CudaEmitter.emit(preset.build(ElementType.F32).program()).text().length();
    }
}
