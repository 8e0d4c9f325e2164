package dev.tilewright.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Presets as they stand beside the schedules that were found best: how near they are by what the library brings, and
 * that the page on performance says so. A default that changes is to be measured anew.
 */
class DefaultSchedulesTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path PAGE = ROOT.resolve("docs/performance.md");
    private static final List<String> GPUS = List.of("NVIDIA H200", "NVIDIA H100 80GB HBM3");
    private static final long LARGE = 1L << 30;
    private static final long SMALL = 64L << 20;
    /** A default is at least that near to the best, for a large array and for a small one. */
    private static final double NEAR = 0.99;
    private static final double NEAR_IF_SMALL = 0.96;

    /** Presets that are not near the best on each GPU: the page says why. */
    private static final Set<String> BELOW = Set.of("bulk-add", "tensor-copy-32b", "tensor-copy-64b",
            "tensor-copy-128b", "tensor-scale");

    /** What presets were when shipped.tuning was measured, with "default GB/s" there. */
    private static final Map<String, String> STOOD = Map.ofEntries(
            Map.entry("vector-copy", "loads=1 threads=256 tile=4096B, 1 tile a block"),
            Map.entry("cp-async-pipeline", "stages=2 threads=256 tile=4096B, 1 tile a block"),
            Map.entry("cp-async-pipeline-2d", "stages=3 threads=256 tile=64x256B, 1 tile a block"),
            Map.entry("cp-async-scale", "stages=2 threads=256 tile=4096B, 1 tile a block"),
            Map.entry("bulk-copy", "stages=4 threads=32 tile=16384B, 1 tile a block"),
            Map.entry("bulk-copy-token", "stages=4 threads=32 tile=16384B, 1 tile a block"),
            Map.entry("bulk-add", "stages=4 threads=256 tile=16384B, 1 tile a block"),
            Map.entry("tensor-copy", "stages=4 threads=32 tile=16x512B, 1 tile a block"),
            Map.entry("tensor-copy-1d", "stages=4 threads=32 tile=1024B, 2 tiles a block"),
            Map.entry("tensor-copy-3d", "stages=4 threads=32 tile=2x8x256B, 1 tile a block"),
            Map.entry("tensor-copy-4d", "stages=4 threads=32 tile=1x4x8x256B, 1 tile a block"),
            Map.entry("tensor-copy-5d", "stages=4 threads=32 tile=1x2x4x4x256B, 1 tile a block"),
            Map.entry("tensor-copy-32b", "stages=4 threads=256 tile=64x32B, 4 tiles a block"),
            Map.entry("tensor-copy-64b", "stages=4 threads=256 tile=64x64B, 2 tiles a block"),
            Map.entry("tensor-copy-128b", "stages=4 threads=256 tile=64x128B, 1 tile a block"),
            Map.entry("tensor-scale", "stages=4 threads=256 tile=64x128B, 1 tile a block"),
            Map.entry("tensor-rebind", "blocks-per-slab=8 stages=4 threads=32 tile=16x1024B, 1 tile a block"));

    private static TunedPreset best(String preset, String gpu, long bytes) {
        return Tuning.shipped().lines().stream().filter(line -> line.preset().equals(preset) && line.bytes() == bytes
                && line.measurement().gpu().equals(gpu) && line.type() == ElementType.F32).findFirst().orElseThrow();
    }

    private static ElementwiseKernel standing(Preset preset, int rank) {
        return preset.build(ElementType.F32, rank, Schedule.DEFAULT);
    }

    /** The preset as it stands, for such an array. */
    private static String schedule(Preset preset, List<Long> shape) {
        Schedule settings = preset.settings(ElementType.F32, shape.size(), Schedule.DEFAULT);
        Schedule said = Schedule.DEFAULT;
        for (String name : List.of("blocks-per-slab", "loads", "stages", "threads")) {
            if (settings.has(name)) {
                said = said.with(name, settings.get(name).orElseThrow());
            }
        }
        ElementwiseKernel kernel = standing(preset, shape.size());
        List<Integer> tile = kernel.tile();
        int blocks = kernel.launch(shape, 0).blocks();
        int each = Stream.iterate(1, n -> 2 * n).limit(8)
                .filter(n -> kernel.launch(shape, 0, GridPolicy.tilesEach(n)).blocks() == blocks).findFirst()
                .orElseThrow();
        return said.with("tile", tile.stream().limit(tile.size() - 1).map(extent -> extent + "x")
                .collect(Collectors.joining()) + tile.getLast() * ElementType.F32.bytes() + "B")
                .with(GridPolicy.tilesEach(each)).toString();
    }

    private static boolean isBest(Preset preset, TunedPreset best) {
        Schedule own = preset.settings(best.type(), best.shape().size(), Schedule.DEFAULT);
        ElementwiseKernel kernel = standing(preset, best.shape().size());
        int blocks = kernel.launch(best.shape(), 0).blocks();
        return own.options().equals(preset.settings(best.type(), best.shape().size(), best.schedule()).options())
                && blocks == best.schedule().grid().map(grid -> kernel.launch(best.shape(), 0, grid).blocks())
                .orElse(blocks);
    }

    /** How near a preset as it stands is to the best. */
    private static double near(Preset preset, String gpu, long bytes) {
        TunedPreset best = best(preset.name(), gpu, bytes);
        assertEquals(STOOD.get(preset.name()), schedule(preset, best.shape()),
                () -> preset.name() + " is not what was measured: tune it anew");
        return isBest(preset, best) ? 1 : 1 / best.measurement().ratioToDefault();
    }

    /** The presets with a measured schedule; a new preset may come before its measurement does. */
    private static List<Preset> measured(List<Preset> presets) {
        return presets.stream().filter(Tuning.shipped()::has).toList();
    }

    @Test
    void whatWasMeasuredStaysMeasured() {
        List<Preset> presets = new ArrayList<>(Presets.ALL);
        presets.add(new Preset("planted", VectorCopy.MECHANISM, "copies", Schedule.DEFAULT));
        assertEquals(STOOD.keySet(), measured(presets).stream().map(Preset::name).collect(Collectors.toSet()));
    }

    @Test
    void defaultsAreNearTheBestOnBothGpus() {
        Set<String> below = new TreeSet<>();
        for (Preset preset : measured(Presets.ALL)) {
            for (String gpu : GPUS) {
                if (near(preset, gpu, LARGE) < NEAR) {
                    below.add(preset.name());
                }
                double small = near(preset, gpu, SMALL);
                assertTrue(small > NEAR_IF_SMALL, () -> preset.name() + " of 64 MiB on " + gpu + ": " + small);
            }
        }
        assertEquals(BELOW, below);
    }

    /** The page's table of defaults is what the logs say. */
    @Test
    void thePageSaysHowNear() throws IOException {
        List<String> expected = new ArrayList<>();
        for (Preset preset : measured(Presets.ALL)) {
            List<String> cells = new ArrayList<>(List.of("`" + preset.name() + "`",
                    schedule(preset, best(preset.name(), GPUS.getFirst(), LARGE).shape())));
            for (String gpu : GPUS) {
                for (long bytes : new long[] {LARGE, SMALL}) {
                    cells.add(String.format(Locale.ROOT, "%.3f", near(preset, gpu, bytes)));
                }
            }
            expected.add("| " + String.join(" | ", cells) + " |");
        }
        String page = Files.readString(PAGE);
        int begin = page.indexOf("\n## Defaults\n");
        assertTrue(begin >= 0, "the page has a section 'Defaults'");
        List<String> rows = Arrays.stream(page.substring(begin + 1).split("\n## ")[0].split("\n"))
                .filter(line -> line.startsWith("| `")).toList();
        assertEquals(String.join("\n", expected), String.join("\n", rows));
    }
}
