package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.ptx.Catalogue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ptx}, and the page that is made of it. */
class PtxCommandTest {

    @Test
    void oneLineForEachFormSorted() {
        PipedCommand command = PipedCommand.run("", "ptx", "--tsv");
        assertEquals(0, command.code());
        assertEquals("", command.err());
        List<String> lines = command.lines();
        assertEquals(Catalogue.forms().count(), lines.size());
        assertEquals(lines.stream().sorted().toList(), lines);
        assertEquals(lines.size(), new HashSet<>(lines).size());
        assertTrue(lines.stream().allMatch(l -> l.matches("[a-z][a-z0-9_.:A-Z]*\t[^\t]*\t\\d\\.\\d\tsm_\\d+[af]?")));
        assertTrue(lines.contains("cp.async.bulk.commit_group\t\t8.0\tsm_90"));
        assertTrue(lines.contains("cp.async.cg.shared.global\t[dst], [src], 16\t7.0\tsm_80"));
        assertTrue(lines.contains("cp.async.bulk.wait_group.read\tn\t8.0\tsm_90"));
        assertTrue(lines.contains("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes\t[dst], "
                + "[map, {c0, c1}], [mbar]"
                + "\t8.6\tsm_90"));
        assertTrue(lines.contains("elect.sync\t_|elected, members\t8.0\tsm_90"));
        assertTrue(lines.stream().noneMatch(l -> l.startsWith("cp.") && l.contains(".tile.")),
                "the default .tile is left out");
    }

    @Test
    void oneLineForEachInstruction() {
        PipedCommand command = PipedCommand.run("", "ptx");
        assertEquals(0, command.code());
        assertEquals(Catalogue.instructions().size() + 1, command.lines().size());
        assertEquals("instructions " + Catalogue.instructions().size() + " forms " + Catalogue.forms().count(),
                command.lines().getLast());
    }

    @ParameterizedTest
    @CsvSource({"sm_80, 7.0, CpAsync, 8", "sm_80, 9.0, CpAsync, 192", "sm_80, 9.0, BulkLoad, 0",
            "sm_90, 8.5, BulkLoad, 4",
        "sm_90, 8.6, BulkLoad, 6", "sm_90a, 8.0, setmaxnreg*, 2", "sm_90, 9.0, setmaxnreg*, 0",
        "sm_100a, 8.5, BulkLoad, 0"})
    void whatACompilerAndATargetHave(String target, String version, String name, int forms) {
        PipedCommand command = PipedCommand.run("", "ptx", name, "--target", target, "--ptx", version, "--tsv");
        assertEquals(forms == 0 ? 2 : 0, command.code());
        assertEquals(forms, command.lines().size());
        if (forms == 0) {
            assertEquals(List.of("tilewright: no form of '" + name + "' for " + target + " in PTX " + version
                    + ": 'tilewright ptx' lists the instructions"), command.err().lines().toList());
        }
    }

    @Test
    void theFormsOfOneInstruction() {
        assertEquals(2, PipedCommand.run("", "ptx", "griddep").code(),
                "whole words of an opcode, a record's name, or a pattern");
        PipedCommand command = PipedCommand.run("", "ptx", "griddepcontrol");
        assertEquals(List.of("Griddepcontrol: lets the next kernel start early, or waits for the one before"
                + " (PTX ISA, \"griddepcontrol\")",
                "  griddepcontrol{.launch_dependents|.wait}  (PTX 7.8 and sm_90 or later; 2 forms)"), command.lines());
    }

    @Test
    void asJson() throws IOException {
        JsonNode list = new ObjectMapper().readTree(PipedCommand.run("", "ptx", "StBulk", "--json").out());
        assertEquals(4, list.size());
        assertEquals("{\"instruction\":\"StBulk\",\"opcode\":\"st.bulk\",\"operands\":\"[dst], bytes, "
                + "0\",\"since\":\"8.6\","
                + "\"minimumTarget\":\"sm_100\",\"needs\":[\"PTX 8.6 and sm_100 or later\"],\"completion\":\"at "
                + "once\"}", ((com.fasterxml.jackson.databind.node.ObjectNode) list.get(0).deepCopy()).without(
                        List.of("accesses", "emitOnly", "evidence", "summary")).toString());
        assertEquals("bytes", list.get(0).at("/accesses/0/extent").asText());
        assertEquals("emitted, not run on the CPU", list.get(0).get("evidence").asText());
    }

    @ParameterizedTest
    @CsvSource({"--target, hopper", "--target, sm_95", "--ptx, new"})
    void wrongValues(String option, String value) {
        assertEquals(2, PipedCommand.run("", "ptx", option, value).code());
    }

    @Test
    void thePageIsWhatTheRecordsSay() throws IOException {
        Path page = Path.of(System.getProperty("tilewright.root", "."), "docs", "ptx.md");
        assertEquals(PipedCommand.run("", "ptx", "--markdown").out(), Files.readString(page),
                "run scripts/update-docs");
    }

    @Test
    void whatIsOnlyEmittedSaysSo() {
        assertTrue(PipedCommand.run("", "ptx", "st.bulk").out().contains("; emitted, not run on the CPU)"));
        assertTrue(PipedCommand.run("", "ptx", "--markdown").out()
                .contains("## StBulk\n\nSets bytes of shared memory to zero."
                + " Emitted only."));
    }
}
