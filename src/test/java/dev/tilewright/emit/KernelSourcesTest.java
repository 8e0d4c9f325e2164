package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The checked-in sources in {@code kernels/} are what the builders make now; {@code scripts/update-kernels} renews them. */
class KernelSourcesTest {
    private static final Path KERNELS = Path.of(System.getProperty("tilewright.root", "."), "kernels");

    static Stream<Preset> presets() {
        return Presets.ALL.stream();
    }

    @ParameterizedTest
    @MethodSource("presets")
    void isWhatTheBuilderMakes(Preset preset) throws IOException {
        assertEquals(Files.readString(KERNELS.resolve(preset.name() + ".cu")),
                CudaEmitter.emit(preset.build(ElementType.F32).program()).text());
    }

    @ParameterizedTest
    @MethodSource("presets")
    void emittingTwiceGivesTheSameText(Preset preset) {
        assertEquals(CudaEmitter.emit(preset.build(ElementType.F64).program()),
                CudaEmitter.emit(preset.build(ElementType.F64).program()));
    }

    @Test
    void everySourceBelongsToAPreset() throws IOException {
        try (Stream<Path> files = Files.list(KERNELS)) {
            assertEquals(Presets.ALL.stream().map(p -> p.name() + ".cu").collect(Collectors.toSet()),
                    files.map(p -> p.getFileName().toString()).filter(n -> n.endsWith(".cu")).collect(Collectors.toSet()));
        }
    }
}
