package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.gpu.device.Devices;
import dev.tilewright.recording.RecordingFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code record}: what it refuses, and what it writes of the reference executor, which stands in for a GPU here. */
class RecordCommandTest {
    private static final String KINDS = "encode, cp-async, bulk, reduction, load, multicast, store, remote, atomic, "
            + "warp, matrix,"
            + " map-change, preset, mma, wgmma";

    @TempDir
    Path folder;

    private static PipedCommand record(Path out, String... options) {
        List<String> line = new ArrayList<>(List.of("record", "--out", out.toString()));
        line.addAll(Arrays.asList(options));
        return PipedCommand.run("", line.toArray(String[]::new));
    }

    /** On the reference executor. */
    private Path recorded(String name, String... options) {
        Path file = folder.resolve(name);
        List<String> line = new ArrayList<>(List.of("--on-reference"));
        line.addAll(Arrays.asList(options));
        PipedCommand command = record(file, line.toArray(String[]::new));
        assertEquals(0, command.code(), command.err());
        return file;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void whatIsWrongIsSaidBeforeAGpuIsLookedFor() throws IOException {
        Path out = folder.resolve("a.jsonl.gz");
        assertEquals("tilewright: --kind must be one of " + KINDS + ", got 'dance'",
                record(out, "--kind", "warp,dance").refusal());
        assertEquals("tilewright: --kind must be one of " + KINDS + ", got ''", record(out, "--kind", "").refusal());
        assertEquals("tilewright: --cases must be in [1, 1000000], got 0", record(out, "--cases", "0").refusal());
        assertEquals("tilewright: --cases must be in [1, 1000000], got 1000001",
                record(out, "--cases", "1000001").refusal());
        assertTrue(PipedCommand.run("", "record").refusal().contains("--out"), "a file must be named");
        assertEquals(List.of(), names());
    }

    @Test
    void aPlaceThatCannotBeWrittenIsRefused() throws IOException {
        String refusal = record(folder).refusal();
        assertTrue(refusal.startsWith("tilewright: cannot write the recording " + folder + ": "), refusal);
        assertEquals(List.of(), names());
    }

    @Test
    void withoutAGpuAFileIsAsItWas() throws IOException {
        assumeTrue(Devices.probe().list().isEmpty(), "this machine has a GPU");
        Path out = Files.writeString(folder.resolve("a.jsonl"), "older");
        PipedCommand command = record(out, "--kind", "warp", "--cases", "2");
        assertEquals(3, command.code());
        assertEquals("", command.out());
        assertTrue(command.err().startsWith("tilewright: record needs a GPU, and there is none: "), command.err());
        assertEquals(1, command.err().lines().count());
        assertEquals("older", Files.readString(out));
        assertEquals(List.of("a.jsonl"), names());
    }

    @Test
    void kindsAreRecordedOnceEachAndReplayed() throws IOException {
        Path file = folder.resolve("a.jsonl");
        PipedCommand command = record(file, "--on-reference", "--kind", "warp,encode,matrix,warp", "--cases", "3",
                "--seed", "5");
        assertEquals(new PipedCommand(0, """
                encode         recorded 3
                matrix         recorded 3
                warp           recorded 3
                recorded 9 rows in %s
                """.formatted(file), ""), command);
        assertEquals(List.of("a.jsonl"), names());
        RecordingFile recording = RecordingFile.read(file);
        assertEquals(9, recording.rows().size());
        assertEquals(5, recording.header().orElseThrow().seed());
        PipedCommand replayed = PipedCommand.run("", "replay", file.toString());
        assertEquals(0, replayed.code(), replayed.err());
        assertTrue(replayed.out().endsWith("replayed 9 agreed 9 disagreed 0\n"), replayed.out());
    }

    @Test
    void aSeedGivesTheSameFile() throws IOException {
        String[] options = {"--kind", "atomic,encode", "--cases", "6"};
        byte[] first = Files.readAllBytes(recorded("a.jsonl.gz", options));
        assertArrayEquals(first, Files.readAllBytes(recorded("b.jsonl.gz", options)));
        byte[] other =
                Files.readAllBytes(recorded("c.jsonl.gz", "--kind", "atomic,encode", "--cases", "6", "--seed", "2"));
        assertNotEquals(Arrays.hashCode(first), Arrays.hashCode(other));
        assertFalse(names().stream().anyMatch(name -> name.contains("tmp")), "nothing else is left there");
    }

    @Test
    void aFileOfThatNameIsReplaced() throws IOException {
        Files.writeString(folder.resolve("a.jsonl"), "older");
        assertEquals(2, RecordingFile.read(recorded("a.jsonl", "--kind", "cp-async", "--cases", "2")).rows().size());
        assertEquals(List.of("a.jsonl"), names());
    }
}
