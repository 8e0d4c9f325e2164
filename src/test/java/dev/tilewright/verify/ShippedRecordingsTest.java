package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import dev.tilewright.recording.RecordingFile;
import dev.tilewright.recording.RecordingFile.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recordings of the newer format that come with the project. */
class ShippedRecordingsTest {
    private static final Path FOLDER = Path.of(System.getProperty("tilewright.root", "."),
            "native-tests/recordings/sm_90");

    @TempDir
    Path folder;

    private static List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(f -> f.toString().endsWith(".jsonl.gz")).sorted().toList();
        }
    }

    /** One row in 24, all with {@code -Dtilewright.thorough=true}, as {@code .ci/steps/33-kernels} does. */
    @Test
    void rowsAgree() throws IOException {
        RecordingReplay replay = new RecordingReplay();
        int rows = 0;
        int taken = 0;
        for (Path file : files()) {
            List<String> some = new ArrayList<>();
            for (Line row : RecordingFile.read(file).rows()) {
                if (Thorough.takes(rows++, 24)) {
                    some.add(row.text());
                }
            }
            taken += some.size();
            replay.file(Files.write(folder.resolve(file.getFileName().toString().replace(".gz", "")), some));
        }
        assertEquals(List.of(), replay.disagreements());
        assertEquals(new RecordingReplay.Count(taken, 0, 0), replay.total());
        assertEquals(23_800, rows);
    }

    @Test
    void eachSaysWhereItIsFrom() throws IOException {
        for (Path file : files()) {
            assertEquals("NVIDIA H200 (compute capability 9.0, driver 580.159.04, CUDA 13.0)",
                    RecordingFile.read(file).header().orElseThrow().origin());
        }
    }
}
