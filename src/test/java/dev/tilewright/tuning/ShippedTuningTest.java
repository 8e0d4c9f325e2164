package dev.tilewright.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.TileKernel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The table that the library brings: whole, and of kernels that there are. */
class ShippedTuningTest {
    /** The GPU that the builders' defaults come from. */
    private static final String GPU = "NVIDIA H200";
    private static final long LARGE = 1L << 30;
    private static final Path LOGS = Path.of(System.getProperty("tilewright.root", "."), "native-tests/logs");

    private static List<TunedPreset> lines() {
        return Tuning.shipped().lines();
    }

    private static List<Preset> measured() {
        return Presets.ALL.stream().filter(Tuning.shipped()::has).toList();
    }

    @Test
    void whyItCannotBeReadIsSaidEachTime() {
        Supplier<Tuning> broken = Tuning.ofResource("Tuning.class");
        for (int time = 0; time < 2; time++) {
            assertEquals("the library's table Tuning.class cannot be read: Tuning.class is no table of schedules: "
                    + "it is not UTF-8 text", assertThrows(IllegalStateException.class, broken::get).getMessage());
        }
    }

    /** A new preset needs no GPU to be added. */
    @Test
    void aPresetThatWasNotMeasuredIsBuiltAsItStandsAndSaysSo() {
        Preset planted = new Preset("planted", VectorCopy.MECHANISM, "copies", Schedule.parse("loads=4"));
        assertFalse(Tuning.shipped().has(planted));
        TunedKernel kernel = Tuning.shipped().kernel(planted, ElementType.F32, List.of(4096L, 4096L), GPU,
                Target.SM_90A);
        assertEquals("the preset as it stands: there is no measurement of planted of f32 with 2 dimensions on "
                + GPU + " (sm_90a)", kernel.reason());
        assertEquals(planted.build(ElementType.F32).program(), kernel.program());
    }

    @Test
    void everyMeasuredPresetIsThereInTwoSizes() {
        Set<String> gpus = lines().stream().map(line -> line.measurement().gpu()).collect(Collectors.toSet());
        assertTrue(gpus.contains(GPU), gpus::toString);
        for (String gpu : gpus) {
            for (Preset preset : measured()) {
                List<Long> sizes = lines().stream().filter(line -> line.preset().equals(preset.name())
                        && line.measurement().gpu().equals(gpu)).map(TunedPreset::bytes).sorted().toList();
                assertEquals(List.of(64L << 20, LARGE), sizes, () -> preset.name() + " on " + gpu);
            }
        }
        assertEquals(2 * measured().size() * gpus.size(), lines().size());
    }

    @Test
    void everyScheduleMakesItsKernel() {
        for (TunedPreset line : lines()) {
            Preset preset = Presets.named(line.preset());
            TunedKernel kernel = Tuning.shipped().kernel(preset, line.type(), line.shape(), line.measurement().gpu(),
                    Target.SM_90A);
            assertEquals(line, kernel.source().orElseThrow(), kernel::reason);
            ElementwiseKernel same = preset.build(line.type(), line.shape().size(), line.schedule());
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

    /** Each line is one of the logs. */
    @Test
    void logsSayTheSame() throws IOException {
        for (TunedPreset line : lines()) {
            String log =
                    Files.readString(LOGS.resolve(line.measurement().gpu().equals(GPU) ? "tune.log" : "tune-h100.log"));
            String shape = line.shape().stream().map(String::valueOf).collect(Collectors.joining("x"));
            Pattern text = Pattern.compile("(?m)^" + line.preset() + " f32 " + shape + ": .*: (\\d+) GB/s, ");
            Matcher found = text.matcher(log);
            assertTrue(found.find(), line::toString);
            assertEquals(Long.parseLong(found.group(1)), Math.round(line.measurement().gigabytesPerSecond()),
                    line::toString);
        }
    }

    /** A kernel that has changed since has no line until it is measured again: most have one. */
    @Test
    void linesOfTileKernelsAreOfKernelsThatShip() {
        int current = 0;
        for (TunedTiles line : Tuning.shipped().tiles()) {
            TileKernel kernel = ShippedTiles.kernel(line);
            assertEquals(kernel.dims().stream().map(Dim::name).collect(Collectors.toSet()), line.extents().keySet());
            assertTrue(line.turns() >= 5 && line.ratioToDefault() >= 1 && line.ratioToDefault() < 3, line::toString);
            if (ShippedTiles.isCurrent(line)) {
                if (Thorough.takes(current++, 5)) {
                    kernel.with(line.schedule()).lowered(line.target(), line.extents());
                }
                assertTrue(kernel.measured(line.target()).contains(line), line::toString);
            }
        }
        int all = Tuning.shipped().tiles().size();
        int so = current;
        assertTrue(so >= all / 2, () -> so + " of " + all + " lines are of kernels as they are: measure them anew, "
                + "with 'tilewright tune tiles'");
    }

    @Test
    void logsSayTheSameOfTileKernels() throws IOException {
        for (TunedTiles line : Tuning.shipped().tiles()) {
            assertTrue(says(Files.readString(ShippedTiles.log(line.gpu())), line), line::toString);
        }
    }

    private static boolean says(String log, TunedTiles line) {
        return log.contains("\n" + line.kernel() + " " + line.extentsText() + ": " + line.schedule()
                + String.format(Locale.ROOT, ": %.1f us, ", line.micros()));
    }

    @Test
    void whatIsMeasuredAnewTakesTheOldPlaceAndLinesOfChangedKernelsGo() {
        TunedTiles old = Tuning.shipped().tiles().stream().filter(ShippedTiles::isCurrent).findFirst().orElseThrow();
        TunedTiles changed = ShippedTiles.copy(old, "0123456789abcdef", old.gpu(), old.micros());
        TunedTiles faster = ShippedTiles.copy(old, old.bits(), old.gpu(), old.micros() / 2);
        TunedTiles elsewhere = ShippedTiles.copy(old, old.bits(), "NVIDIA H100 80GB HBM3", old.micros());
        Tuning table = Tuning.of(Tuning.shipped().lines()).withTiles(List.of(old, changed));
        assertEquals(Tuning.of(Tuning.shipped().lines()).withTiles(List.of(faster, elsewhere)),
                ShippedTiles.merged(table, List.of(faster, elsewhere)));
    }

    /** What {@code scripts/ship-tuning} starts. */
    @Test
    @EnabledIfSystemProperty(named = "tilewright.tuned", matches = ".+")
    void takesOverWhatWasMeasured() throws IOException {
        List<TunedTiles> measured = Tuning.load(Path.of(System.getProperty("tilewright.tuned"))).tiles();
        String log = Files.readString(Path.of(System.getProperty("tilewright.tuned.log")));
        assertEquals(1, measured.stream().map(TunedTiles::gpu).distinct().count());
        for (TunedTiles line : measured) {
            assertTrue(says(log, line) && log.contains("\n" + line.gpu() + "\n"), () -> "not of this log: " + line);
        }
        ShippedTiles.take(measured, log);
    }
}
