package dev.tilewright.bench;

import dev.tilewright.bench.result.Spread;
import dev.tilewright.builder.Preset;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.layout.ElementType;
import java.util.List;

/** How long it takes to build and emit a preset's kernel, once warm. Runs anywhere. */
public final class EmitBenchmark {
    private static final int WARM_UP = 1500;
    private static final int TURNS = 301;

    /**
     * One measurement.
     *
     * @param micros µs of building the program and emitting it
     */
    public record Row(String preset, int sourceBytes, Spread micros) {
    }

    private EmitBenchmark() {
    }

    /** Measures these presets. */
    public static List<Row> run(List<Preset> presets) {
        for (int i = 0; i < WARM_UP; i++) {
            presets.forEach(EmitBenchmark::emit);
        }
        return presets.stream().map(preset -> {
            double[] micros = new double[TURNS];
            int length = 0;
            for (int i = 0; i < TURNS; i++) {
                long start = System.nanoTime();
                length = emit(preset);
                micros[i] = (System.nanoTime() - start) / 1e3;
            }
            return new Row(preset.name(), length, Spread.of(micros));
        }).toList();
    }

    private static int emit(Preset preset) {
        return CudaEmitter.emit(preset.build(ElementType.F32).program()).text().length();
    }
}
