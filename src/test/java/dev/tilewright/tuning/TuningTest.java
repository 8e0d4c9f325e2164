package dev.tilewright.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Shape;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of schedules: text and back, look-ups, what is refused, and kernels by them. */
class TuningTest {
    private static final String GPU = "NVIDIA H200";
    private static final Measurement MEASURED = new Measurement(GPU, Target.SM_90A, "580.95.05",
            LocalDate.of(2026, 3, 1), 4210.25, 4180, 4200, 21, 60);
    private static final Schedule SCHEDULE = Schedule.parse("stages=3 tile=8192B, 264 blocks");

    private static TunedPreset line(String preset, ElementType type, Long... shape) {
        return new TunedPreset(preset, type, List.of(shape), SCHEDULE, MEASURED);
    }

    @Provide
    Arbitrary<List<TunedPreset>> lines() {
        Arbitrary<String> words = Arbitraries.strings().withCharRange('a', 'z').numeric().withChars("ABZ")
                .ofMinLength(1)
                .ofMaxLength(12);
        Arbitrary<String> names = Arbitraries.strings().ofMinLength(1).ofMaxLength(20).filter(name -> {
            try {
                return FieldText.requireText("name", name) != null;
            } catch (IllegalArgumentException e) {
                return false;
            }
        });
        Arbitrary<Optional<GridPolicy>> grids = Arbitraries.integers().between(1, 999_999_999)
                .flatMap(count -> Arbitraries.of(
                Optional.empty(), Optional.of(GridPolicy.tilesEach(count)), Optional.of(GridPolicy.over(count)),
                Optional.of(GridPolicy.waves(count, 1 + count / 3))));
        Arbitrary<Schedule> schedules = Combinators.combine(Arbitraries.maps(words, words).ofMaxSize(4), grids)
                .as(Schedule::new);
        Arbitrary<Double> rates = Arbitraries.doubles().between(0.1, 99_999_999).ofScale(3);
        Arbitrary<LocalDate> dates = Arbitraries.longs().between(LocalDate.of(2000, 1, 1).toEpochDay(),
                LocalDate.of(9999, 12, 31).toEpochDay()).map(LocalDate::ofEpochDay);
        Arbitrary<Integer> counts = Arbitraries.integers().between(1, 999_999_999);
        Arbitrary<Measurement> measurements = Combinators.combine(names.list().ofSize(2), Arbitraries.of(Target.KNOWN),
                dates, rates, rates, rates, counts, counts).as((texts, target, date, a, b, c, turns, candidates) ->
                new Measurement(texts.get(0), target, texts.get(1), date, a, b, c, turns, candidates));
        Arbitrary<List<Long>> shapes = Arbitraries.longs().between(1, 4000).list().ofMinSize(1).ofMaxSize(4);
        return Combinators.combine(words, Arbitraries.of(ElementType.class), shapes, schedules, measurements)
                .as(TunedPreset::new).list().ofMaxSize(6);
    }

    @Property(tries = 100)
    void whatIsWrittenIsRead(@ForAll("lines") List<TunedPreset> lines) {
        Tuning tuning = Tuning.of(lines);
        String text = tuning.text();
        Tuning read = TuningTable.read("x", text.getBytes(StandardCharsets.UTF_8));
        assertEquals(tuning, read);
        assertEquals(text, read.text());
        List<TunedPreset> shuffled = new ArrayList<>(tuning.lines());
        Collections.shuffle(shuffled, new Random(1));
        assertEquals(text, Tuning.of(shuffled).text());
        assertEquals(tuning, TuningTable.read("x", text.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8)));
    }

    @Property(tries = 100)
    void eachLineIsFoundByWhatItIsAbout(@ForAll("lines") List<TunedPreset> lines) {
        Tuning tuning = Tuning.of(lines);
        for (TunedPreset line : tuning.lines()) {
            TunedPreset found = tuning.find(line.measurement().gpu(), line.measurement().target(), line.preset(),
                    line.type(), line.shape()).orElseThrow();
            // Another of the same size may suit as well.
            assertEquals(line.type(), found.type());
            assertEquals(line.bytes(), found.bytes());
            assertEquals(line.measurement().gpu(), found.measurement().gpu());
            assertEquals(Optional.empty(), tuning.find(line.measurement().gpu() + "x", line.measurement().target(),
                    "no-" + line.preset(), line.type(), line.shape()));
        }
    }

    @Property(tries = 130)
    void aDamagedTableIsReadOrRefusedInASentence(@ForAll("lines") List<TunedPreset> lines, @ForAll long seed) {
        byte[] bytes = Tuning.of(lines).text().getBytes(StandardCharsets.UTF_8);
        SplittableRandom random = new SplittableRandom(seed);
        for (int n = 1 + random.nextInt(4); n > 0 && bytes.length > 1; n--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(3)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes = Arrays.copyOf(bytes, at);
                default -> bytes[at] = (byte) "|#\n =x0-".charAt(random.nextInt(8));
            }
        }
        try {
            Tuning read = TuningTable.read("some.tuning", bytes);
            assertEquals(read, TuningTable.read("again", read.text().getBytes(StandardCharsets.UTF_8)));
        } catch (BadRequestException e) {
            assertTrue(e.getMessage().startsWith("some.tuning"), e::getMessage);
            assertFalse(e.getMessage().contains("\n") || e.getMessage().contains("Exception"), e::getMessage);
        }
    }

    private static final TunedTiles TILES = new TunedTiles("softmax f32", "0123456789abcdef", Map.of("rows", 32768L,
            "columns", 4096L), Schedule.parse("threads=256"), GPU, Target.SM_90A, "580.95.05",
            LocalDate.of(2026, 11, 24), 253.26, 260, 21, 7);

    @Test
    void linesOfTileKernelsAreWrittenAndRead() {
        TunedTiles other = new TunedTiles("all", "0123456789abcdef", Map.of(), Schedule.DEFAULT, GPU, Target.SM_90A,
                "unknown", LocalDate.of(2026, 11, 24), 1, 1, 1, 1);
        Tuning both = Tuning.of(List.of(line("bulk-copy", ElementType.F32, 4096L))).withTiles(List.of(TILES, other));
        Tuning read = TuningTable.read("x", both.text().getBytes(StandardCharsets.UTF_8));
        assertEquals(both, read);
        assertEquals(List.of(other, TILES), read.tiles());
        assertEquals(both.text(), read.text());
        assertTrue(both.text().contains("tile kernel | NVIDIA H200 | sm_90a | softmax f32 | 0123456789abcdef | "
                + "columns=4096 rows=32768 | threads=256 | own  | 253.3 | 260.0 "), both::text);
        assertEquals("3 schedules", both.toString());
        TunedTiles later = new TunedTiles("softmax f32", TILES.bits(), TILES.extents(), Schedule.DEFAULT, GPU,
                Target.SM_90A, "1", LocalDate.of(2027, 1, 1), 2, 2, 2, 2);
        assertEquals(List.of(other, later), both.withTiles(List.of(later)).tiles());
        assertEquals(both, Tuning.EMPTY.withTiles(List.of(TILES)).orElse(both));
        assertTrue(both.hasTiles("softmax f32") && !both.hasTiles("softmax bf16"));
    }

    @Test
    void faultsOfATileKernelsLineAreNamed() {
        String text = Tuning.EMPTY.withTiles(List.of(TILES)).text();
        String at = "h.tuning, line 5: ";
        assertEquals("h.tuning, line 6: line 5 is about the same launch on the same GPU: remove one of them",
                complaint(text + text.lines().toList().getLast().replace("softmax f32", "renamed") + "\n"));
        assertEquals(at + "extents is each dimension's extent once, such as 'm=8192 n=8192 k=8192', got 'columns=4096 "
                + "rows=0'", complaint(text.replace("rows=32768", "rows=0    ")));
        assertEquals(at + "a kernel's bits are 16 hexadecimal digits, got '0123456789ABCDEF'",
                complaint(text.replace("abcdef", "ABCDEF")));
        assertTrue(complaint(text.replace("| own ", "")).startsWith(at + "a schedule has 14 fields between '|' (kind, "
                + "GPU, "), complaint(text.replace("| own ", "")));
        assertEquals(at + "us is a number with one decimal such as 4103.5, got '253'",
                complaint(text.replace("253.3", "253")));
        assertTrue(complaint(text.replace("threads=256", "thread=256 ")).matches(at + "a tile kernel's schedule has no "
                + "option 'thread'; it has threads, .*: did you mean 'threads'\\?"));
        assertEquals(at + "a tile kernel's schedule has threads=257: choose 32, 64, 128, 256, 512 or 1024, such as "
                + "threads=256", complaint(text.replace("threads=256", "threads=257")));
    }

    private static String complaint(String text) {
        return assertThrows(BadRequestException.class, () -> TuningTable.read("h.tuning",
                text.getBytes(StandardCharsets.UTF_8)))
                .getMessage();
    }

    private static String complaint(String field, String instead) {
        String text = Tuning.of(List.of(line("bulk-copy", ElementType.F32, 4096L, 4096L))).text();
        assertTrue(text.contains(field), text);
        return complaint(text.replaceFirst("(?s)(.*)" + Pattern.quote(field), "$1" + instead));
    }

    @Test
    void faultsNameFileLineAndRule() {
        assertEquals("h.tuning, line 1: a table of schedules begins with 'tilewright tuning 1', got ''", complaint(""));
        assertEquals("h.tuning, line 1: this is a table of version 2, and this library reads version 1: measure anew "
                + "with "
                + "'tilewright tune'", complaint("tilewright tuning 2\n"));
        assertEquals("h.tuning, line 2: a schedule has 14 fields between '|' (GPU, target, preset, type, shape, "
                + "options, grid, GB/s, "
                + "default GB/s, cuMemcpy GB/s, turns, candidates, driver, date), got 2",
                complaint("tilewright tuning 1\na | b\n"));
        assertEquals("h.tuning, line 4: '90a' is not a target: write it as sm_80, sm_90 or sm_90a",
                complaint("sm_90a", "90a"));
        assertTrue(complaint("| f32", "| f33").startsWith("h.tuning, line 4: "));
        assertEquals("h.tuning, line 4: shape is 1 to 5 dimensions such as 65536x4096, got '4096x0'",
                complaint("4096x4096", "4096x0"));
        assertEquals("h.tuning, line 4: options name 'stages' twice", complaint("tile=", "stages="));
        assertEquals("h.tuning, line 4: options are such as 'stages=4 tile=64x128', or 'none', got 'stages'",
                complaint("stages=3", "stages"));
        assertEquals("h.tuning, line 4: grid is '2 tiles a block', '264 blocks', '2 tiles a block in waves of 264' or "
                + "'own', got '0 blocks'",
                complaint("264 blocks", "0 blocks"));
        assertEquals("h.tuning, line 4: GB/s is a number with one decimal such as 4103.5, got '4210,3'",
                complaint("4210.3", "4210,3"));
        assertEquals("h.tuning, line 4: a rate is from 0.1 to 1000000000 GB/s, got 0.0", complaint("4200.0", "0.0"));
        assertEquals("h.tuning, line 4: date is a date such as 2026-03-01, got '2026-02-30'",
                complaint("2026-03-01", "2026-02-30"));
        assertEquals("h.tuning, line 4: turns is a whole number from 1 to 999999999, got '-21'",
                complaint("| 21", "| -21"));
        String unknown = complaint("stages=3", "stage=3");
        assertTrue(unknown.matches("h.tuning, line 4: options of bulk-copy are .*\\bstages\\b.*, got 'stage': "
                + "did you mean 'stages'\\?"),
                unknown);
        String text = Tuning.of(List.of(line("bulk-copy", ElementType.F32, 4096L, 4096L))).text();
        assertEquals("h.tuning, line 5: line 4 is about the same arrays on the same GPU: remove one of them",
                complaint(text + text.lines().toList().get(3)));
    }

    @Test
    void filesThatAreNoTables(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x.tuning");
        assertEquals("cannot read " + file + ": there is no such file",
                assertThrows(BadRequestException.class, () -> Tuning.load(file)).getMessage());
        Files.write(file, new byte[] {(byte) 0xff, 0, 1});
        assertEquals(file + " is no table of schedules: it is not UTF-8 text",
                assertThrows(BadRequestException.class, () -> Tuning.load(file)).getMessage());
        Files.write(file, new byte[5 << 20]);
        assertTrue(assertThrows(BadRequestException.class, () -> Tuning.load(file)).getMessage()
                .contains("no table of schedules is so long"));
        assertThrows(BadRequestException.class, () -> Tuning.load(folder));
        assertThrows(BadRequestException.class, () -> Tuning.EMPTY.save(file.resolve("x.tuning")));
    }

    @Test
    void aFileKeepsWhatIsOfOtherGpus(@TempDir Path folder) {
        Path file = folder.resolve("x.tuning");
        TunedPreset own = line("bulk-copy", ElementType.F32, 4096L, 4096L);
        TunedPreset other = new TunedPreset("bulk-copy", ElementType.F32, List.of(4096L, 4096L), SCHEDULE,
                new Measurement("NVIDIA A100", Target.SM_80, "unknown", LocalDate.of(2026, 1, 1), 1500, 1500, 1400, 5,
                3));
        Tuning.of(List.of(own, other)).save(file);
        TunedPreset again = new TunedPreset("bulk-copy", ElementType.F32, List.of(4096L, 4096L),
                Schedule.DEFAULT, MEASURED);
        Tuning.load(file).with(List.of(again)).save(file);
        assertEquals(Tuning.of(List.of(again, other)), Tuning.load(file));
        assertEquals(List.of(own, other), Tuning.of(List.of(other, own)).orElse(Tuning.load(file)).lines().stream()
                .sorted((a, b) -> b.measurement().gpu().compareTo(a.measurement().gpu())).toList());
    }

    @Test
    void theNearestSizeIsTaken() {
        Tuning tuning =
                Tuning.of(List.of(line("bulk-copy", ElementType.F32, 65536L, 4096L),
                line("bulk-copy", ElementType.F32, 4096L, 4096L), line("bulk-copy", ElementType.F64, 4096L, 4096L)));
        assertEquals("65536x4096", found(tuning, ElementType.F32, 1 << 20, 4096));
        assertEquals("65536x4096", found(tuning, ElementType.F32, 20000, 4096));
        assertEquals("4096x4096", found(tuning, ElementType.F32, 10000, 4096));
        assertEquals("4096x4096", found(tuning, ElementType.F32, 512, 4096));
        assertEquals("none", found(tuning, ElementType.F32, 511, 4096));
        // Of another type where there is none of this; of other dimensions where the preset takes one long row.
        assertEquals("4096x4096", found(tuning, ElementType.F16, 4096, 4096));
        assertEquals("65536x4096", found(tuning, ElementType.F32, 1L << 28));
        assertEquals("65536x4096", found(tuning, ElementType.F32, 64, 1024, 4096));
        Tuning boxes = Tuning.of(List.of(line("tensor-copy", ElementType.F32, 4096L, 4096L)));
        assertEquals(Optional.empty(), boxes.find(GPU, Target.SM_90A, "tensor-copy", ElementType.F32,
                Shape.of(16, 1024, 1024)));
        assertEquals(Optional.empty(), tuning.find("NVIDIA H100", Target.SM_90A, "bulk-copy", ElementType.F32,
                Shape.of(4096, 4096)));
        assertEquals(Optional.empty(), tuning.find(GPU, Target.SM_90, "bulk-copy", ElementType.F32,
                Shape.of(4096, 4096)));
        assertThrows(IllegalArgumentException.class, () -> tuning.find(GPU, Target.SM_90A, "bulk-copy", ElementType.F32,
                List.of()));
    }

    private static String found(Tuning tuning, ElementType type, long... shape) {
        return tuning.find(GPU, Target.SM_90A, "bulk-copy", type, Shape.of(shape)).map(TunedPreset::shapeText)
                .orElse("none");
    }

    @Test
    void aKernelHasItsSchedule() {
        Preset preset = Presets.named("bulk-copy");
        Tuning tuning = Tuning.of(List.of(line("bulk-copy", ElementType.F32, 4096L, 4096L)));
        List<Long> shape = Shape.of(4096, 4096);
        TunedKernel kernel = tuning.kernel(preset, ElementType.F32, shape, GPU, Target.SM_90A);
        assertEquals(List.of(2048), kernel.tile());
        assertEquals(3, kernel.stages());
        assertEquals(tuning.lines().getFirst(), kernel.source().orElseThrow());
        assertEquals("stages=3 tile=8192B, 264 blocks: measured on NVIDIA H200 with 4096x4096 f32 on 2026-03-01",
                kernel.reason());
        ElementwiseKernel same = preset.build(ElementType.F32, 2, Schedule.parse("stages=3 tile=2048"));
        assertEquals(same.program(), kernel.program());
        Launch launch = kernel.launch(shape, 0);
        assertEquals(same.launch(shape, 0, GridPolicy.over(264)).blocks(), launch.blocks());
        assertTrue(launch.arguments().contains(new Argument.Int(32)), launch::toString);
        assertEquals(same.launch(shape, 0, GridPolicy.tilesEach(1)).blocks(),
                kernel.launch(shape, 0, GridPolicy.tilesEach(1)).blocks());
        // The same bytes of another type.
        assertEquals(List.of(4096), tuning.kernel(preset, ElementType.F16, Shape.of(8192, 4096), GPU, Target.SM_90A)
                .tile());
    }

    @Test
    void aPresetStandsWhereThereIsNoSchedule() {
        Preset preset = Presets.named("bulk-copy");
        TunedKernel kernel = Tuning.EMPTY.kernel(preset, ElementType.F32, Shape.of(100), GPU, Target.SM_90A);
        assertEquals(preset.build(ElementType.F32, 1, Schedule.DEFAULT).program(), kernel.program());
        assertEquals(Optional.empty(), kernel.source());
        assertEquals("the preset as it stands: there is no measurement of bulk-copy of f32 with 1 dimension on NVIDIA "
                + "H200 (sm_90a)", kernel.reason());
        assertEquals(preset.build(ElementType.F32).launch(Shape.of(100), 0).blocks(),
                kernel.launch(Shape.of(100), 0).blocks());
        // A measurement that there is, of arrays so large that it says nothing of this one, is not denied.
        assertEquals("the preset as it stands: the smallest array that was measured, 4096x4096 f32, is more than 8 "
                + "times as large as"
                + " 1000x64 f32 (bulk-copy of f32 with 2 dimensions on NVIDIA H200 (sm_90a))",
                Tuning.of(List.of(line("bulk-copy", ElementType.F32, 4096L, 4096L)))
                        .kernel(preset, ElementType.F32, Shape.of(1000, 64), GPU, Target.SM_90A).reason());
        Tuning unfit = Tuning.of(List.of(new TunedPreset("bulk-copy", ElementType.F32, Shape.of(4096, 4096),
                Schedule.parse("stages=99"), MEASURED)));
        TunedKernel fallen = unfit.kernel(preset, ElementType.F32, Shape.of(4096, 4096), GPU, Target.SM_90A);
        assertEquals(preset.build(ElementType.F32).program(), fallen.program());
        assertTrue(fallen.reason()
                .startsWith("the preset as it stands: the schedule measured on NVIDIA H200 with 4096x4096 f32 on "
                + "2026-03-01 does not suit: "), fallen::reason);
        Tuning unknown = Tuning.of(List.of(new TunedPreset("bulk-copy", ElementType.F32, Shape.of(4096, 4096),
                Schedule.parse("colour=red"), MEASURED)));
        assertTrue(unknown.kernel(preset, ElementType.F32, Shape.of(4096, 4096), GPU, Target.SM_90A).reason()
                .contains("no option --colour"));
    }

    @Test
    void recordsRefuseWhatWouldNotBeReadBack() {
        for (Schedule unreadable : List.of(Schedule.DEFAULT.with("a b", "1"), Schedule.DEFAULT.with("a", ""))) {
            assertThrows(IllegalArgumentException.class, () -> new TunedPreset("p", ElementType.F32, List.of(1L),
                    unreadable, MEASURED));
        }
        assertThrows(IllegalArgumentException.class, () -> new TunedPreset("p", ElementType.F32, List.of(0L), SCHEDULE,
                MEASURED));
        assertThrows(IllegalArgumentException.class, () -> new TunedPreset("p", ElementType.F32,
                Shape.of(1L << 40, 1L << 40), SCHEDULE, MEASURED));
        assertThrows(IllegalArgumentException.class, () -> new Measurement("a|b", Target.SM_90A, "1",
                LocalDate.of(2026, 1, 1), 1, 1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Measurement("#a", Target.SM_90A, "1",
                LocalDate.of(2026, 1, 1), 1, 1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Measurement("a", Target.SM_90A, "1",
                LocalDate.of(2026, 1, 1), Double.NaN, 1, 1, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Measurement("a", Target.SM_90A, "1",
                LocalDate.of(2026, 1, 1), 1, 1, 1, 0, 1));
        assertEquals(1.05, new Measurement("a", Target.SM_90A, "1", LocalDate.of(2026, 1, 1), 1050, 1000, 2000, 1, 1)
                .ratioToDefault(), 1e-9);
    }
}
