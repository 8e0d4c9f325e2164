package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.examples.Example;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The checked-in sources in {@code kernels/} are what the builders and the examples make now; {@code
 * scripts/update-kernels} renews them, those of the examples through this test with {@code -Dtilewright.update=true}.
 */
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
    @EnumSource
    void isWhatTheExampleMakes(Example example) throws IOException {
        Path source = KERNELS.resolve(example.source() + ".cu");
        String text = CudaEmitter.emit(example.program()).text();
        if (Boolean.getBoolean("tilewright.update")) {
            Files.writeString(source, text);
        }
        assertEquals(Files.readString(source), text);
    }

    @ParameterizedTest
    @MethodSource("presets")
    void emittingTwiceGivesTheSameText(Preset preset) {
        assertEquals(CudaEmitter.emit(preset.build(ElementType.F64).program()),
                CudaEmitter.emit(preset.build(ElementType.F64).program()));
    }

    @Test
    void everySourceBelongsToAPresetOrAnExample() throws IOException {
        try (Stream<Path> files = Files.list(KERNELS)) {
            assertEquals(Stream.concat(Presets.ALL.stream().map(Preset::name), Arrays.stream(Example.values())
                    .map(Example::source))
                    .map(name -> name + ".cu").collect(Collectors.toSet()),
                    files.map(p -> p.getFileName().toString()).filter(n -> n.endsWith(".cu"))
                    .collect(Collectors.toSet()));
        }
    }
}
