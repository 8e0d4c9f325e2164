package dev.tilewright.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The table that the library brings: whole, of kernels that there are, and what the builders' defaults come from. */
class ShippedTuningTest {
    /** The GPU that the builders' defaults come from. */
    private static final String GPU = "NVIDIA H200";
    private static final long LARGE = 1L << 30;
    /** A default may be this much slower than the schedule that was found best; it may suit more. */
    private static final double SLACK = 1.01;

    /** Presets whose defaults are more than a hundredth slower than what was found best for 1 GiB, and why. */
    private static final Map<String, String> DIFFERENT = reasons(
            Map.of("the default is a pipeline of several large tiles, and one small tile a block is faster",
                    List.of("cp-async-pipeline", "cp-async-scale", "tensor-copy-3d"),
                    "what was found chooses a grid, roles or a cache priority, which the preset leaves as they are",
                    List.of("tensor-copy-1d", "tensor-copy-32b", "tensor-copy-64b", "tensor-copy-128b", "tensor-scale")));

    private static Map<String, String> reasons(Map<String, List<String>> presets) {
        Map<String, String> reasons = new TreeMap<>();
        presets.forEach((reason, names) -> names.forEach(name -> reasons.put(name, reason)));
        return reasons;
    }

    private static List<TunedPreset> lines() {
        return Tuning.shipped().lines();
    }

    @Test
    void everyPresetIsThereInTwoSizes() {
        Set<String> gpus = lines().stream().map(line -> line.measurement().gpu()).collect(Collectors.toSet());
        assertTrue(gpus.contains(GPU), gpus::toString);
        for (String gpu : gpus) {
            for (Preset preset : Presets.ALL) {
                List<Long> sizes = lines().stream().filter(line -> line.preset().equals(preset.name())
                        && line.measurement().gpu().equals(gpu)).map(TunedPreset::bytes).sorted().toList();
                assertEquals(List.of(64L << 20, LARGE), sizes, () -> preset.name() + " on " + gpu);
            }
        }
        assertEquals(2 * Presets.ALL.size() * gpus.size(), lines().size());
    }

    @Test
    void everyScheduleMakesItsKernel() {
        for (TunedPreset line : lines()) {
            Preset preset = Presets.named(line.preset());
            TunedKernel kernel = Tuning.shipped().kernel(preset, line.type(), line.shape(), line.measurement().gpu(), Target.SM_90A);
            assertEquals(line, kernel.source().orElseThrow(), kernel::reason);
            TileKernel same = preset.build(line.type(), line.shape().size(), line.schedule().options());
            assertEquals(same.program(), kernel.program());
            assertTrue(kernel.launch(line.shape(), 0).blocks() > 0);
        }
    }

    @Test
    void measurementsAreWholeAndNoneIsSlowerThanThePreset() {
        for (TunedPreset line : lines()) {
            Measurement m = line.measurement();
            assertTrue(m.turns() >= 5 && m.candidates() > 1, line::toString);
            assertTrue(m.ratioToDefault() >= 1 && m.ratioToDefault() < 3, line::toString);
            assertTrue(m.ratioToMemcpy() > 0.5 && m.ratioToMemcpy() < 1.1, line::toString);
        }
    }

    /** The options of a table's line that a preset has otherwise by default. */
    private static List<String> differences(TunedPreset line) {
        Preset preset = Presets.named(line.preset());
        Map<String, String> own = preset.settings(line.type(), line.shape().size(), Map.of());
        Map<String, String> found = preset.settings(line.type(), line.shape().size(), line.schedule().options());
        List<String> differences = new ArrayList<>();
        line.schedule().options().keySet().forEach(option -> {
            if (!own.get(option).equals(found.get(option))) {
                differences.add("--" + option + " " + own.get(option) + ", best " + found.get(option));
            }
        });
        TileKernel kernel = preset.build(line.type(), line.shape().size(), line.schedule().options());
        long blocks = kernel.launch(line.shape(), 0).blocks();
        long best = line.schedule().grid().map(grid -> kernel.launch(line.shape(), 0, grid).blocks()).orElse((int) blocks);
        if (blocks != best) {
            differences.add("best " + line.schedule().gridText());
        }
        return differences;
    }

    @Test
    void defaultsAreWhatWasFoundBestOrSayWhyNot() {
        Map<String, String> different = lines().stream().filter(line -> line.measurement().gpu().equals(GPU) && line.bytes() == LARGE
                        && line.type() == ElementType.F32 && line.measurement().ratioToDefault() > SLACK
                        && !differences(line).isEmpty())
                .collect(Collectors.toMap(TunedPreset::preset, line -> differences(line) + ", "
                        + line.measurement().ratioToDefault(), (a, b) -> a, TreeMap::new));
        assertEquals(DIFFERENT.keySet(), different.keySet(), different::toString);
    }
}
