package dev.tilewright.bench;

import dev.tilewright.builder.Preset;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.layout.ElementType;
import java.util.Arrays;
import java.util.List;

/** How long it takes to build and emit a preset's kernel, once warm. Runs anywhere. */
public final class EmitBenchmark {
    private static final int WARM_UP = 1500;
    private static final int TURNS = 301;

    /**
     * One measurement.
     *
     * @param medianMicros median time of building the program and emitting it
     * @param worstMicros the slowest of the measured turns
     */
    public record Row(String preset, int sourceBytes, double medianMicros, double worstMicros) {
    }

    private EmitBenchmark() {
    }

    /** Measures these presets. */
    public static List<Row> run(List<Preset> presets) {
        for (int i = 0; i < WARM_UP; i++) {
            presets.forEach(EmitBenchmark::emit);
        }
        return presets.stream().map(preset -> {
            long[] nanos = new long[TURNS];
            int length = 0;
            for (int i = 0; i < TURNS; i++) {
                long start = System.nanoTime();
                length = emit(preset);
                nanos[i] = System.nanoTime() - start;
            }
            Arrays.sort(nanos);
            return new Row(preset.name(), length, nanos[TURNS / 2] / 1e3, nanos[TURNS - 1] / 1e3);
        }).toList();
    }

    private static int emit(Preset preset) {
        return CudaEmitter.emit(preset.build(ElementType.F32).program()).text().length();
    }
}
