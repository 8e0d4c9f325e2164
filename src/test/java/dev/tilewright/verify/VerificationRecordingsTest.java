package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.verify.CheckSummary.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code verify} makes of the recordings. */
class VerificationRecordingsTest {
    private final List<CheckSummary.Entry> heard = new ArrayList<>();
    private final Verification verification = new Verification(heard::add);

    @TempDir
    Path folder;

    @Test
    void allInAFolderAndBelowItAreReplayed() throws IOException {
        Path shipped = Path.of(System.getProperty("tilewright.root", "."), "native-tests/recordings");
        Files.createDirectory(folder.resolve("sm_90"));
        for (String name : List.of("tile-load.jsonl.gz", "sm_90/warp.jsonl.gz")) {
            Files.copy(shipped.resolve(name), folder.resolve(name));
        }
        Files.writeString(folder.resolve("README.md"), "no recording");
        verification.recordings(folder);
        assertEquals(List.of("replay sm_90/warp.jsonl.gz PASSED", "replay tile-load.jsonl.gz PASSED"),
                heard.stream().map(e -> e.group() + " " + e.name() + " " + e.outcome()).toList());
    }

    @Test
    void noRecordingsAreSkipped() {
        Path missing = folder.resolve("missing");
        verification.recordings(missing);
        assertEquals(new CheckSummary.Family("recordings", 0, 0, 1, 0, "there are no recordings in " + missing),
                verification.summary().families("replay").getFirst());
    }

    @Test
    void whatDisagreesFails() throws IOException {
        Path file = Files.writeString(folder.resolve("encode.jsonl.gz"),
                "{\"kind\":\"encode\",\"mode\":\"tile\",\"dtype\":0,"
                + "\"address\":4096,\"dim\":[64],\"stride\":[],\"box\":[16],\"elementStride\":[1],\"interleave\":0,"
                + "\"swizzle\":0,"
                + "\"l2\":0,\"oob\":0,\"result\":1}");
        verification.recordings(folder);
        assertEquals(1, verification.summary().count(Outcome.FAILED));
        assertEquals("1 of 1 row disagrees: [" + file + ":1: refused by the driver, accepted by pure Java]",
                heard.getLast().detail());
    }
}
