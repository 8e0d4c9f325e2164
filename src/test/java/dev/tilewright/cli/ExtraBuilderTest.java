package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.bench.suite.CopyRows;
import dev.tilewright.builder.DirectCopy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.CaseRunner;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCases;
import dev.tilewright.verify.SmallCase;
import dev.tilewright.verify.Verification;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A new builder is its own file and its place among the presets: the command, verification, the hazard check and
 * benchmarks find everything else, an option of its own included, in what it declares.
 */
class ExtraBuilderTest {
    static final PresetCatalog WITH_IT = new PresetCatalog(
            Stream.concat(Presets.ALL.stream(), Stream.of(DirectCopy.PRESET)).toList());

    @TempDir
    Path folder;

    private static PipedCommand command(String line) {
        return PipedCommand.run(WITH_IT, line.split(" "));
    }

    @Test
    void helpListsItsOptions() {
        List<String> lines = command("run direct --help").lines();
        assertEquals("direct: copies an array without shared memory, by ld.global (sm_80 or later)", lines.get(2));
        assertEquals(List.of(
                "  --tile            extents of a tile, outermost first, in elements or bytes (64x128B): 1 dimension"
                        + " (default: 1024)",
                "  --threads         threads of one block: 32 to 1024, a multiple of 32 (here: 64)",
                "  --step            the operation on each element: copy, scale or add (default: copy)",
                "  --per-thread      elements that one thread moves in a row: 1 to 4 (default: 1)"),
                lines.subList(5, 9));
        assertTrue(command("run --help").out()
                .matches("(?s).*\n      --per-thread=N +elements that one thread moves in a row: 1 to 4\n.*"));
        assertTrue(command("emit --help").out().contains("--per-thread=N"));
        assertTrue(!PipedCommand.run("", "run", "--help").out().contains("per-thread"));
    }

    @Test
    void theListHasIt() throws IOException {
        assertEquals("direct                ld.global             sm_80   copies an array without shared memory "
                + "(schedule not measured yet)",
                command("list").lines().get(WITH_IT.presets().size() - 1));
        var list = new ObjectMapper().readTree(command("list --json").out());
        assertEquals("[\"--tile\",\"--threads\",\"--step\",\"--per-thread\"]",
                list.get(Presets.ALL.size()).get("options").toString());
    }

    @Test
    void itsOptionIsRead() {
        String source = command("emit direct --per-thread 3 --step add --threads 96").out();
        assertTrue(source.contains("3 elements in a row, step: add") && source.contains("96 threads"), source);
        assertEquals(command("emit direct --per-thread 2 --tile 16").out(),
                command("emit direct --tile 64B --per-thread 2").out());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "direct --per-thread x | --per-thread takes a whole number, got 'x'",
        "direct --per-thread 5 | direct-copy: per-thread is 1 to 4, got 5",
        "direct --tile 2x8 | a tile of direct-copy has 1 dimension, got 2: 2x8",
        "direct --threads 7 | a block has a multiple of 32 threads, at most 1024, got 7",
        "direct --stages 2 | preset 'direct' has no option --stages; it has --tile, --threads, --step, --per-thread",
        "bulk-copy --per-thread 2 | preset 'bulk-copy' has no option --per-thread; it has --tile, --stages, --threads, "
        + "--step, --walk, --roles, --wait, --cache", "direkt | there is no preset 'direkt': did you mean 'direct'?"})
    void whatIsRefused(String options, String message) {
        assertEquals("tilewright: " + message, command("emit " + options).refusal());
    }

    @Test
    void anArrayGoesThroughIt() {
        NpyFiles files = new NpyFiles(folder);
        files.floats("x.npy", 7L, 301L);
        String result = folder.resolve("y.npy").toString();
        assertEquals(new PipedCommand(0, "direct f32 7x301 on the reference executor: 8.2 KiB written to " + result
                + ", every byte equals a direct computation\n", ""),
                command("run direct --per-thread 4 --tile 100 --check --executor reference --input "
                        + folder.resolve("x.npy") + " --output " + result));
    }

    @Test
    void randomCasesGoThroughItsRangeAndAreRight() {
        CopyCases drawn = new CopyCases(List.of(DirectCopy.PRESET), 5);
        List<CopyCase> cases = Stream.generate(drawn::next).limit(60).toList();
        Set<String> values = cases.stream().flatMap(c -> c.changes().get("per-thread").stream())
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Set.of("1", "2", "3", "4"), values);
        List<CheckSummary.Entry> failed = new ArrayList<>();
        Verification verification = new Verification(e -> {
            if (e.outcome() != CheckSummary.Outcome.PASSED) {
                failed.add(e);
            }
        });
        CaseRunner.run(verification, "reference", CaseDevice.reference(ReferenceOptions.DEFAULT), cases);
        assertEquals(List.of(), failed);
        assertEquals(60, verification.summary().count(CheckSummary.Outcome.PASSED));
    }

    @Test
    void itIsCheckedForHazardsInSmallCases() {
        CopyCase small = SmallCase.of(DirectCopy.PRESET, Schedule.parse("per-thread=2 tile=40"), ElementType.F32);
        assertEquals(3, small.tilesPerBlock());
        assertEquals(3, small.launch().blocks());
        PipedCommand check = command("check direct --per-thread 2 --tile 40");
        assertEquals(0, check.code(), check.out() + check.err());
        assertEquals("presets 1 clean 1 mutants 0 found 0 missed 0", check.lines().getLast());
    }

    @Test
    void benchmarksMeasureIt() {
        assertEquals("direct-copy", CopyRows.defaults(WITH_IT.mechanisms()).getLast().name());
        List<String> swept = CopyRows.sweep(WITH_IT.mechanisms()).stream()
                .filter(row -> row.name().startsWith("direct"))
                .map(row -> row.schedule().apply(132).toString()).toList();
        // 9 is none of its values.
        assertEquals(10, swept.size());
        assertEquals(List.of("per-thread=1, 1 tile a block", "per-thread=2, 1 tile a block"), swept.subList(0, 2));
        assertEquals("per-thread=2, 132 blocks", swept.getLast());
    }

    @Test
    void settingsSayWhatItIsBuiltWith() {
        Preset preset = WITH_IT.named("direct");
        assertEquals("per-thread=4 step=copy threads=64 tile=1024",
                preset.settings(ElementType.U8, 1, Schedule.parse("per-thread=4")).toString());
    }
}
