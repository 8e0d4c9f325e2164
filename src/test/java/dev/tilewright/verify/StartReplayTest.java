package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.TensorDataType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of kind {@code start}, in the form in which {@code native-tests/unaligned-starts} writes them. */
class StartReplayTest {
    @TempDir
    Path folder;

    /** A row of a matrix of 64 x 6 elements. @param fault what the hardware did */
    private static String row(String way, TensorDataType type, int c0, String fault) {
        int row = 64 * type.bytes();
        return """
                {"kind":"start","way":"%s","mode":"tile","dtype":%d,"dim":[64,6],"stride":[%d],"box":[%d,4],\
                "elementStride":[1,1],\
                "interleave":0,"swizzle":0,"l2":0,"oob":0,"address":0,"coord":[%d,1],"fault":"%s"}"""
                .formatted(way, type.ordinal(), row, 16 / type.bytes(), c0, fault);
    }

    private RecordingReplay replay(List<String> rows) throws IOException {
        return new RecordingReplay().file(Files.write(folder.resolve("starts.jsonl"), rows));
    }

    @Test
    void aFirstCoordinateFaultsWhereItIsNoMultipleOf16Bytes() throws IOException {
        Random random = new Random(16);
        List<String> right = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            TensorDataType type = TensorDataType.values()[random.nextInt(TensorDataType.values().length)];
            boolean load = random.nextBoolean();
            int c0 = random.nextInt(load ? -80 : 0, 80);
            boolean faults = c0 * type.bytes() % 16 != 0;
            right.add(row(load ? "load" : "store", type, c0, faults ? "IllegalInstruction" : ""));
            wrong.add(row(load ? "load" : "store", type, c0, faults ? "" : "IllegalInstruction"));
        }
        assertEquals("replayed 2000 agreed 2000 disagreed 0", replay(right).lastLine());
        assertEquals("replayed 2000 agreed 0 disagreed 2000", replay(wrong).lastLine());
    }

    @Test
    void whatDiffersIsSaid() throws IOException {
        RecordingReplay replay = replay(List.of(row("add", TensorDataType.UINT32, 2, ""),
                row("load", TensorDataType.FLOAT16, 8, "IllegalInstruction")));
        assertEquals(List.of("start add tile", "start load tile"), List.copyOf(replay.counts().keySet()));
        assertTrue(replay.disagreements().getFirst().what()
                .startsWith("the reference refuses it (coordinate 0 is 2, 8 bytes "
                + "into the row, which must be a multiple of 16"), replay.disagreements().getFirst().what());
        assertEquals("the reference takes it, the recording says IllegalInstruction",
                replay.disagreements().getLast().what());
    }

    @Test
    void aRowOfNoKnownCopyIsRefused() {
        assertTrue(assertThrows(BadRequestException.class, () ->
                replay(List.of(row("fetch", TensorDataType.UINT8, 0, "")))).getMessage()
                .contains("field 'way' must be one of"));
    }
}
