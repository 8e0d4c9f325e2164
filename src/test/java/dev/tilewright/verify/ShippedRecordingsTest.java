package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.recording.RecordingFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The recordings of the newer format that come with the project. */
class ShippedRecordingsTest {
    private static final Path FOLDER = Path.of(System.getProperty("tilewright.root", "."),
            "native-tests/recordings/sm_90");

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(f -> f.toString().endsWith(".jsonl.gz")).sorted().toList();
        }
    }

    @Test
    void everyRowAgrees() throws IOException {
        RecordingReplay replay = new RecordingReplay();
        files().forEach(replay::file);
        assertEquals(List.of(), replay.disagreements());
        assertEquals(new RecordingReplay.Count(23_800, 0, 0), replay.total());
    }

    @Test
    void eachSaysWhereItIsFrom() throws IOException {
        for (Path file : files()) {
            assertEquals("NVIDIA H200 (compute capability 9.0, driver 580.159.04, CUDA 13.0)",
                    RecordingFile.read(file).header().orElseThrow().origin());
        }
    }
}
