package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.examples.Example;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The checked-in sources in {@code kernels/} are what the builders, the tile kernels and the examples make now; {@code
 * scripts/update-kernels} renews them, those of the latter two through this test with {@code
 * -Dtilewright.update=true}.
 */
class KernelSourcesTest {
    private static final String FEW_ROWS = ".m16.cu";
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
        hold(KERNELS.resolve(example.source() + ".cu"), CudaEmitter.emit(example.program()).text());
    }

    static Stream<TilePreset> tilePresets() {
        return TilePresets.ALL.stream();
    }

    /** For sm_90a, and in a file of its own for the least target where that has another. */
    @ParameterizedTest
    @MethodSource("tilePresets")
    void isWhatTheTileKernelMakes(TilePreset preset) throws IOException {
        String source = text(preset, Target.SM_90A);
        hold(KERNELS.resolve(preset.name() + ".cu"), source);
        String least = text(preset, preset.minimumTarget());
        Path file = leastSource(preset);
        if (!least.equals(source)) {
            hold(file, least);
        } else if (Boolean.getBoolean("tilewright.update")) {
            Files.deleteIfExists(file);
        }
        assertEquals(!least.equals(source), Files.exists(file), file + " is there where it differs");
    }

    /** Of few rows, whose warps copy what they multiply. */
    @ParameterizedTest
    @ValueSource(strings = {"gemm-w4", "gemm-w8"})
    void isWhatTheTileKernelMakesOfFewRows(String name) throws IOException {
        TilePreset preset = TilePresets.find(name).orElseThrow();
        Map<String, Long> extents = new HashMap<>(preset.extents());
        extents.put("m", 16L);
        hold(KERNELS.resolve(name + FEW_ROWS), CudaEmitter.emit(preset.kernel().lowered(Target.SM_90A, extents)
                .program()).text());
    }

    private static Path leastSource(TilePreset preset) {
        return KERNELS.resolve(preset.name() + "." + preset.minimumTarget() + ".cu");
    }

    private static String text(TilePreset preset, Target target) {
        return CudaEmitter.emit(preset.kernel().lowered(target, preset.extents()).program()).text();
    }

    private static void hold(Path source, String text) throws IOException {
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
            Stream<String> names = Stream.of(Presets.ALL.stream().map(Preset::name),
                    Arrays.stream(Example.values()).map(Example::source),
                    TilePresets.ALL.stream().map(TilePreset::name)).flatMap(some -> some).map(name -> name + ".cu");
            Stream<String> least = TilePresets.ALL.stream().map(KernelSourcesTest::leastSource)
                    .map(file -> file.getFileName().toString());
            Set<String> there = files.map(p -> p.getFileName().toString()).filter(n -> n.endsWith(".cu"))
                    .collect(Collectors.toSet());
            Set<String> wanted = names.collect(Collectors.toSet());
            assertTrue(there.containsAll(wanted), there::toString);
            there.removeAll(wanted);
            there.removeAll(least.toList());
            there.removeAll(Set.of("gemm-w4" + FEW_ROWS, "gemm-w8" + FEW_ROWS));
            assertEquals(Set.of(), there);
        }
    }
}
