package dev.tilewright.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Presets as they stand beside the schedules that were found best: how near they are by the logs, and that the page on
 * performance says so. A default that changes has no measurement before a log with one is named here.
 */
class DefaultSchedulesTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path PAGE = ROOT.resolve("docs/performance.md");
    private static final List<String> GPUS = List.of("NVIDIA H200", "NVIDIA H100 80GB HBM3");
    private static final long LARGE = 1L << 30;
    /** A default is at least that near to the best, for a large array. */
    private static final double NEAR = 0.99;
    /** The same for 64 MiB, where advice to L2 gains most: a default gives none. */
    private static final double NEAR_IF_SMALL = 0.95;
    /** What the page has where nothing was measured. */
    private static final String UNKNOWN = "–";

    /** Presets that are not near the best on each GPU: the page says why. */
    private static final Set<String> BELOW = Set.of("tensor-copy-128b", "tensor-scale");
    /** Presets that were changed by what the H200 said, and were not measured on an H100 since. */
    private static final Set<String> TO_BE_MEASURED = Set.of("cp-async-scale", "tensor-copy-1d", "tensor-copy-32b",
            "tensor-copy-64b");

    /** What presets were when shipped.tuning was measured, with "default GB/s" there. */
    private static final Map<String, String> STOOD = Map.ofEntries(
            Map.entry("vector-copy", "loads 1, threads 256, tile 4096B, 1 tile a block"),
            Map.entry("cp-async-pipeline", "stages 4, threads 256, tile 16384B, 1 tile a block"),
            Map.entry("cp-async-pipeline-2d", "stages 3, threads 256, tile 64x256B, 1 tile a block"),
            Map.entry("cp-async-scale", "stages 4, threads 256, tile 16384B, 1 tile a block"),
            Map.entry("bulk-copy", "stages 4, threads 32, tile 16384B, 1 tile a block"),
            Map.entry("bulk-copy-token", "stages 4, threads 32, tile 16384B, 1 tile a block"),
            Map.entry("bulk-add", "stages 4, threads 256, tile 16384B, 1 tile a block"),
            Map.entry("tensor-copy", "stages 4, threads 32, tile 16x512B, 1 tile a block"),
            Map.entry("tensor-copy-1d", "stages 4, threads 32, tile 1024B, 1 tile a block"),
            Map.entry("tensor-copy-3d", "stages 4, threads 32, tile 4x8x256B, 1 tile a block"),
            Map.entry("tensor-copy-4d", "stages 4, threads 32, tile 1x4x8x256B, 1 tile a block"),
            Map.entry("tensor-copy-5d", "stages 4, threads 32, tile 1x2x4x4x256B, 1 tile a block"),
            Map.entry("tensor-copy-32b", "stages 4, threads 256, tile 64x32B, 1 tile a block"),
            Map.entry("tensor-copy-64b", "stages 4, threads 256, tile 64x64B, 1 tile a block"),
            Map.entry("tensor-copy-128b", "stages 4, threads 256, tile 64x128B, 1 tile a block"),
            Map.entry("tensor-scale", "stages 4, threads 256, tile 64x128B, 1 tile a block"),
            Map.entry("tensor-rebind", "blocks-per-slab 8, stages 4, threads 32, tile 16x1024B, 1 tile a block"));

    /**
     * A line of a log that has what a schedule reached.
     *
     * @param log in native-tests/logs
     * @param begin of the line, after which the first "N of cuMemcpy" is the ratio, perhaps on the next line
     */
    private record Logged(String preset, String gpu, long bytes, String schedule, String log, String begin) {

        double ratio() {
            try {
                Matcher line = Pattern.compile(Pattern.quote(begin) + "[^\n]*?(?:\n +tilewright [^\n]*?)?\\b(\\d\\.\\d{3}) of cuMemcpy")
                        .matcher(Files.readString(ROOT.resolve("native-tests/logs").resolve(log)));
                assertTrue(line.find(), () -> log + " has no line that begins with '" + begin + "'");
                return Double.parseDouble(line.group(1));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Schedules that presets have now and had not when shipped.tuning was measured. */
    private static final List<Logged> LOGGED = List.of(
            new Logged("cp-async-pipeline", GPUS.get(1), LARGE, "stages 2, threads 256, tile 4096B, 1 tile a block",
                    "bench-sweep-h100.log",
                    "  cp-async-pipeline size 1 GiB, stages 2, threads 256, tile 4096B, tiles 1 a block, blocks 262144"),
            logged3d(GPUS.get(0), LARGE, "bench-copy.log", "1 GiB"),
            logged3d(GPUS.get(0), LARGE >> 4, "bench-copy.log", "64 MiB"),
            logged3d(GPUS.get(1), LARGE, "bench-copy-h100.log", "1 GiB"),
            logged3d(GPUS.get(1), LARGE >> 4, "bench-copy-h100.log", "64 MiB"),
            tuned("tensor-copy-1d", LARGE, "stages 4, threads 32, tile 1024B, 2 tiles a block",
                    "65536x4096: --stages 4 --tile 1024B, 2 tiles a block:"),
            tuned("tensor-copy-1d", LARGE >> 4, "stages 4, threads 32, tile 1024B, 2 tiles a block",
                    "4096x4096: --stages 4 --tile 1024B, 2 tiles a block:"),
            tuned("tensor-copy-32b", LARGE, "stages 4, threads 256, tile 64x32B, 4 tiles a block",
                    "65536x4096: --stages 4 --tile 64x32B, 4 tiles a block:"),
            tuned("tensor-copy-64b", LARGE, "stages 4, threads 256, tile 64x64B, 2 tiles a block",
                    "65536x4096: --stages 4 --tile 64x64B, 2 tiles a block:"));

    private static Logged logged3d(String gpu, long bytes, String log, String size) {
        return new Logged("tensor-copy-3d", gpu, bytes, "stages 4, threads 32, tile 2x8x256B, 1 tile a block", log,
                "  tensor-copy-3d size " + size + ", rows 512x1024, stages 4, tile 2x8x256B, tiles 1 tile a block");
    }

    private static Logged tuned(String preset, long bytes, String schedule, String begin) {
        return new Logged(preset, GPUS.get(0), bytes, schedule, "tune.log", preset + " f32 " + begin);
    }

    private static TunedPreset best(String preset, String gpu, long bytes) {
        return Tuning.shipped().lines().stream().filter(line -> line.preset().equals(preset) && line.bytes() == bytes
                && line.measurement().gpu().equals(gpu) && line.type() == ElementType.F32).findFirst().orElseThrow();
    }

    private static TileKernel standing(Preset preset, int rank) {
        return preset.build(ElementType.F32, rank, Map.of());
    }

    /** The preset as it stands, for such an array. */
    private static String schedule(Preset preset, List<Long> shape) {
        Map<String, String> settings = preset.settings(ElementType.F32, shape.size(), Map.of());
        List<String> parts = new ArrayList<>();
        for (String name : List.of("blocks-per-slab", "loads", "stages", "threads")) {
            if (settings.containsKey(name)) {
                parts.add(name + " " + settings.get(name));
            }
        }
        TileKernel kernel = standing(preset, shape.size());
        List<Integer> tile = kernel.tile();
        parts.add("tile " + tile.stream().limit(tile.size() - 1).map(extent -> extent + "x").collect(Collectors.joining())
                + tile.getLast() * ElementType.F32.bytes() + "B");
        int blocks = kernel.launch(shape, 0).blocks();
        int each = Stream.iterate(1, n -> 2 * n).limit(8)
                .filter(n -> kernel.launch(shape, 0, GridPolicy.tilesEach(n)).blocks() == blocks).findFirst().orElseThrow();
        parts.add(each + (each == 1 ? " tile a block" : " tiles a block"));
        return String.join(", ", parts);
    }

    private static boolean isBest(Preset preset, TunedPreset best) {
        Map<String, String> own = preset.settings(best.type(), best.shape().size(), Map.of());
        TileKernel kernel = standing(preset, best.shape().size());
        int blocks = kernel.launch(best.shape(), 0).blocks();
        return own.equals(preset.settings(best.type(), best.shape().size(), best.schedule().options()))
                && blocks == best.schedule().grid().map(grid -> kernel.launch(best.shape(), 0, grid).blocks()).orElse(blocks);
    }

    /** How near a preset as it stands is to the best, both as parts of cuMemcpy in their runs; empty if it was not measured. */
    private static OptionalDouble near(Preset preset, String gpu, long bytes) {
        TunedPreset best = best(preset.name(), gpu, bytes);
        Measurement m = best.measurement();
        String schedule = schedule(preset, best.shape());
        if (isBest(preset, best)) {
            return OptionalDouble.of(1);
        }
        if (schedule.equals(STOOD.get(preset.name()))) {
            return OptionalDouble.of(1 / m.ratioToDefault());
        }
        return LOGGED.stream().filter(l -> l.preset().equals(preset.name()) && l.gpu().equals(gpu) && l.bytes() == bytes
                && l.schedule().equals(schedule)).mapToDouble(l -> l.ratio() / m.ratioToMemcpy()).findFirst();
    }

    @Test
    void defaultsAreNearTheBestOnBothGpus() {
        Set<String> below = new TreeSet<>();
        Set<String> unknown = new TreeSet<>();
        for (Preset preset : Presets.ALL) {
            for (String gpu : GPUS) {
                OptionalDouble large = near(preset, gpu, LARGE);
                if (large.isEmpty()) {
                    assertEquals(GPUS.get(1), gpu, preset::name);
                    unknown.add(preset.name());
                } else if (large.getAsDouble() < NEAR) {
                    below.add(preset.name());
                }
                near(preset, gpu, LARGE >> 4).ifPresent(small -> assertTrue(small > NEAR_IF_SMALL,
                        () -> preset.name() + " of 64 MiB on " + gpu + ": " + small));
            }
        }
        assertEquals(BELOW, below);
        assertEquals(TO_BE_MEASURED, unknown);
    }

    /** The page's table of defaults is what the logs say. */
    @Test
    void thePageSaysHowNear() throws IOException {
        List<String> expected = new ArrayList<>();
        for (Preset preset : Presets.ALL) {
            List<String> cells = new ArrayList<>(List.of("`" + preset.name() + "`",
                    schedule(preset, best(preset.name(), GPUS.getFirst(), LARGE).shape())));
            for (String gpu : GPUS) {
                for (long bytes : new long[] {LARGE, LARGE >> 4}) {
                    OptionalDouble near = near(preset, gpu, bytes);
                    cells.add(near.isEmpty() ? UNKNOWN : String.format(Locale.ROOT, "%.3f", near.getAsDouble()));
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
