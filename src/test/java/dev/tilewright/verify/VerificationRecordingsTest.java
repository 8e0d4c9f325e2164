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
    void copiesAndTensorMapsAreReplayed() {
        verification.recordings(Path.of(System.getProperty("tilewright.root", "."), "native-tests/recordings"));
        assertEquals(List.of("replay tile-load.jsonl.gz PASSED", "replay store-reduce.jsonl.gz PASSED",
                "replay encode-interleaved.jsonl.gz PASSED", "replay encode.jsonl.gz PASSED"),
                heard.stream().map(e -> e.group() + " " + e.name() + " " + e.outcome()).toList());
    }

    @Test
    void whatIsNotThereIsSkippedAndWhatDisagreesFails() throws IOException {
        Path file = Files.writeString(folder.resolve("encode.jsonl.gz"), "{\"kind\":\"encode\",\"mode\":\"tile\",\"dtype\":0,"
                + "\"address\":4096,\"dim\":[64],\"stride\":[],\"box\":[16],\"elementStride\":[1],\"interleave\":0,\"swizzle\":0,"
                + "\"l2\":0,\"oob\":0,\"result\":1}");
        verification.recordings(folder);
        assertEquals(3, verification.summary().count(Outcome.SKIPPED));
        assertEquals("1 of 1 rows disagree: [" + file + ":1: refused by the driver, accepted by pure Java]",
                heard.getLast().detail());
    }
}
