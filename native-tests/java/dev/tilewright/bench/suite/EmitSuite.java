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
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.TilePreset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * How long it takes to build and emit each preset, once all are warm: of tile kernels from the lambda to the source,
 * which is tracing, lowering and emitting.
 */
public final class EmitSuite extends Suite {
    /** Windows of warm-up at most. */
    private static final int WARM_UP = 100;
    /** A turn emits a preset again and again for so long: its time is the median. */
    private static final double TURN_MILLIS = 10;
    private static final Target TARGET = Target.SM_90A;
    private static final String WORK = "emitting presets";

    private final List<Source> sources;

    /** @param text makes it anew */
    private record Source(String name, Supplier<String> text) {
        static Source of(Preset preset) {
            return new Source(preset.name(), () -> CudaEmitter.emit(preset.build(ElementType.F32).program()).text());
        }

        static Source of(TilePreset preset) {
            return new Source(preset.name(), () -> CudaEmitter.emit(preset.kernel().lowered(TARGET, preset.extents())
                    .program()).text());
        }

        int length() {
            return text.get().length();
        }
    }

    private EmitSuite(String name, String description, Stream<Source> sources) {
        super(name, description, false);
        this.sources = sources.toList();
    }

    /** {@code emit}: of presets that move arrays. */
    public static EmitSuite of(List<Preset> presets) {
        return new EmitSuite("emit", "building and emitting every preset", presets.stream().map(Source::of));
    }

    /** {@code lower}: of tile kernels. */
    public static EmitSuite ofTiles(List<TilePreset> presets) {
        return new EmitSuite("lower", "tracing, lowering and emitting every tile kernel that ships",
                presets.stream().map(Source::of));
    }

    @Override
    public void run(Bench bench) {
        if (sources.isEmpty()) {
            return;
        }
        WarmUp.Outcome warmth = WarmUp.of(bench, WARM_UP).take(() -> sources.stream().mapToDouble(
                source -> Repeated.once(1, source::length)).toArray(), bench.progress());
        int turns = bench.settings().turns();
        double[][] micros = new double[sources.size()][turns];
        int[] lengths = sources.stream().mapToInt(Source::length).toArray();
        for (int turn = 0; turn < turns; turn++) {
            bench.progress().at(WORK, turn, turns);
            for (int i = 0; i < micros.length; i++) {
                micros[i][turn] = Repeated.micros(TURN_MILLIS, 1, sources.get(i)::length);
            }
            bench.soFar(turn + 1, turns, rows(micros, turn + 1, lengths, warmth));
        }
        bench.progress().at(WORK, turns, turns);
        rows(micros, turns, lengths, warmth).forEach(bench::add);
    }

    private List<Row> rows(double[][] micros, int turns, int[] lengths, WarmUp.Outcome warmth) {
        List<Row> rows = new ArrayList<>();
        for (int i = 0; i < micros.length; i++) {
            rows.add(Row.of(name(), sources.get(i).name(), Row.OURS, Unit.MICROSECONDS,
                    Spread.of(Arrays.copyOf(micros[i], turns)), Verdict.NO_OUTPUT).by("source", lengths[i])
                    .noting(warmth.note(i)));
        }
        return rows;
    }
}
