package dev.tilewright.recording;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import dev.tilewright.OrdinaryShare;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.recording.mechanism.Mechanisms;
import dev.tilewright.recording.mechanism.RecordedMechanism;
import dev.tilewright.recording.mechanism.Recorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every mechanism is recorded on the reference executor. */
class RecorderTest {
    private static final int CASES = Thorough.of(8, 24);

    private static final Mechanisms MECHANISMS = new Mechanisms();

    @TempDir
    Path folder;

    static Stream<String> kinds() {
        return MECHANISMS.all().stream().map(RecordedMechanism::kind);
    }

    private Path record(String kind, String name, long seed) {
        Path file = folder.resolve(name);
        try (Gpu gpu = Gpu.emulated()) {
            RecordingWriter out = new RecordingWriter(file,
                    new RecordingHeader(DeviceDescription.of(gpu), seed, List.of(kind)));
            Recorder.Count count = new Recorder(gpu, seed)
                    .record(MECHANISMS.named(kind).orElseThrow(), CASES, out);
            out.finish();
            assertEquals(new Recorder.Count(kind, CASES, 0), count);
        }
        return file;
    }

    @ParameterizedTest
    @OrdinaryShare(4)
    @MethodSource("kinds")
    void theSameSeedGivesTheSameBytes(String kind) throws IOException {
        byte[] first = Files.readAllBytes(record(kind, "a.jsonl.gz", 7));
        assertArrayEquals(first, Files.readAllBytes(record(kind, "b.jsonl.gz", 7)));
        assertEquals(CASES, RecordingFile.read(folder.resolve("a.jsonl.gz")).rows().size());
    }
}
