package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.Thorough;
import dev.tilewright.builder.ClearingCopy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Presets;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.layout.ElementType;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** {@code check}: presets are clean, and every mistake in them is found. */
class CheckCommandTest {
    private static final Pattern LAST =
            Pattern.compile("presets (\\d+) clean (\\d+) mutants (\\d+) found (\\d+) missed (\\d+)");

    /** Another builder's among them. Each time, .ci/run documents checks all that ship, mutants, too. */
    @Test
    @EnabledIfSystemProperty(named = "tilewright.thorough", matches = "true")
    void everyPresetIsClean() {
        PresetCatalog all = ExtraBuilderTest.WITH_IT;
        PipedCommand command = PipedCommand.run(all, "check", "--all");
        assertEquals(0, command.code(), command.out() + command.err());
        List<String> presets = Stream.concat(all.presets().stream().map(Preset::name), TilePresets.ALL.stream()
                .map(TilePreset::name)).toList();
        assertEquals("presets " + presets.size() + " clean " + presets.size() + " mutants 0 found 0 missed 0",
                command.lines().getLast());
        assertEquals(presets.stream().map(name -> name + ": clean in ").toList(), command.lines().stream()
                .limit(command.lines().size() - 1).map(l -> l.replaceFirst("(: clean in ).*", "$1")).distinct()
                .toList());
    }

    @Test
    void everyMutantHasALineAndNoneIsMissed() {
        int all = Mutants.of(Presets.named("tensor-copy").build(ElementType.F32).program()).size();
        PipedCommand command = PipedCommand.run("", "check", "tensor-copy", "--mutants", "--tile", "8x16", "--seeds",
                "3");
        assertEquals(0, command.code(), command.out() + command.err());
        Matcher last = LAST.matcher(command.lines().getLast());
        assertTrue(last.matches(), command.lines().getLast());
        long harmless = command.lines().stream().filter(l -> l.startsWith("  harmless ")).count();
        assertEquals(all, Integer.parseInt(last.group(3)) + harmless);
        assertEquals(last.group(3), last.group(4));
        assertEquals(last.group(4),
                Long.toString(command.lines().stream().filter(l -> l.startsWith("  found    ")).count()));
    }

    @Test
    void bankConflictsAreCounted() throws Exception {
        PipedCommand command = PipedCommand.run("", "check", "tensor-scale", "--bank-conflicts");
        assertEquals(0, command.code(), command.out() + command.err());
        assertTrue(command.out().contains(" accesses of warps to shared memory in 3 blocks, "), command.out());
        assertTrue(command.lines().stream()
                .anyMatch(l -> l.matches(" +step \\d+ \\('.*'.*\\): \\d+ accesses, \\d+ wavefronts, ideal \\d+.*")),
                command.out());
        JsonNode banks = new ObjectMapper()
                .readTree(PipedCommand.run("", "check", "tensor-scale", "--bank-conflicts", "--json").out())
                .get("presets").get(0).get("bankConflicts");
        assertEquals(banks.get("ideal").asLong(), banks.get("wavefronts").asLong());
        assertEquals(16, banks.get("steps").get(0).get("worst").get("bytes").asInt());
    }

    /** Exit code 3: something that the check needs is not there. */
    @Test
    void whatOnlyNewerGpusHaveIsNotAnalysed() throws Exception {
        PresetCatalog newer = new PresetCatalog(List.of(ClearingCopy.PRESET));
        PipedCommand command = PipedCommand.run(newer, "check", "clearing", "--mutants");
        assertEquals(3, command.code(), command.out() + command.err());
        assertTrue(command.lines().getFirst().startsWith("clearing: clean as far as analysed in "), command.out());
        assertTrue(command.lines().get(1)
                .startsWith("  not analysed: st.bulk.weak.shared::cta (needs sm_100), step 1 ('clear', "),
                command.out());
        assertEquals("presets 1 clean 0 mutants 0 found 0 missed 0", command.lines().getLast());
        JsonNode launch = new ObjectMapper().readTree(PipedCommand.run(newer, "check", "clearing", "--json").out())
                .get("presets").get(0).get("launches").get(0);
        assertEquals("sm_100", launch.get("notAnalysed").get(0).get("needs").asText());
        assertTrue(launch.get("findings").isEmpty());
    }

    /** {@code PresetMutantsTest} finds it, too: one ordinary run in four has it from the command. */
    @Test
    void aMapThatIsChangedTooEarlyIsFound() {
        assumeTrue(Thorough.takes(0, 4), "one ordinary run in four");
        PipedCommand command = PipedCommand.run("", "check", "tensor-rebind", "--mutants", "--tile", "8x16", "--seeds",
                "1");
        assertEquals(0, command.code(), command.out() + command.err());
        assertTrue(command.lines().stream().anyMatch(l -> l.startsWith("  found    without-sync@10: ")
                && l.contains("missing-barrier")), command.out());
        assertTrue(command.lines().getLast().endsWith(" missed 0"), command.lines().getLast());
    }

    @Test
    void optionsOfThePresetCountAndJsonSaysTheSame() throws Exception {
        String[] line = {"check", "cp-async-scale", "--stages", "2", "--tile", "256", "--type", "f16", "--mutants",
            "--seeds", Integer.toString(Thorough.of(1, 6)), "--json"};
        PipedCommand command = PipedCommand.run("", line);
        JsonNode report = new ObjectMapper().readTree(command.out());
        assertEquals(0, command.code(), command.err());
        JsonNode preset = report.get("presets").get(0);
        assertEquals("cp-async-scale", preset.get("preset").asText());
        assertTrue(preset.get("clean").asBoolean());
        int count = report.get("found").asInt() + report.get("missed").asInt() + report.get("harmless").asInt();
        assertEquals(preset.get("mutants").size(), count);
        JsonNode mutant = preset.get("mutants").get(0);
        assertTrue(mutant.get("line").asInt() > 0 && mutant.get("step").asInt() > 0
                && !mutant.get("edit").asText().isEmpty(), mutant::toString);
        assertEquals(command.out(), PipedCommand.run("", line).out());
    }

    @Test
    void whatIsRefused() {
        refused("name a preset (see 'tilewright list'), a kernel of your own (--class-path PATH --program "
                + "CLASS#MEMBER), or give --all");
        refused("name a preset or give --all, not both: got 'bulk-copy' and --all", "bulk-copy", "--all");
        refused("--all checks every preset as it stands: name one preset to change its --stages", "--all", "--stages",
                "3");
        refused("there is no preset 'bulk-cop': did you mean 'bulk-copy'?", "bulk-cop");
        refused("--seeds must be at least 0, got -1", "bulk-copy", "--seeds", "-1");
        refused("--stages takes a whole number, got 'x'", "bulk-copy", "--stages", "x");
    }

    private static void refused(String message, String... options) {
        List<String> line = new java.util.ArrayList<>(List.of("check"));
        line.addAll(List.of(options));
        assertEquals("tilewright: " + message, PipedCommand.run("", line.toArray(String[]::new)).refusal());
    }
}
