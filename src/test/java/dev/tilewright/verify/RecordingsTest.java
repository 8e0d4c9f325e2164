package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reading recordings, whole and damaged. */
class RecordingsTest {
    private static final String LOAD = "{\"kind\":\"load\",\"mode\":\"tile\",\"dtype\":9,\"address\":816,\"dim\":[5,8,6,4],"
            + "\"stride\":[16,128,768],\"box\":[16,2,10,12],\"elementStride\":[1,1,1,2],\"interleave\":0,\"swizzle\":1,"
            + "\"l2\":3,\"oob\":1,\"coord\":[-8,1,-10,0],\"seed\":1,\"tx\":3840,\"fnv\":\"f6995e695ef5f025\",\"smem\":31744,"
            + "\"bytes\":\"00ff7f\"}";

    @TempDir
    Path folder;

    private RecordingsRow only(String line) {
        return read(line).getFirst();
    }

    private List<RecordingsRow> read(String text) {
        try {
            return Recordings.read(Files.writeString(folder.resolve("rows.jsonl"), text));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aRowIsReadWhole() {
        RecordingsRow row = only(LOAD);
        assertEquals("rows.jsonl:1", row.place());
        assertEquals("load", row.kind());
        assertEquals("tile", row.mode());
        assertEquals(new TiledTensorMap(TensorDataType.BFLOAT16, List.of(5L, 8L, 6L, 4L), List.of(16L, 128L, 768L),
                List.of(16, 2, 10, 12), List.of(1, 1, 1, 2), Interleave.NONE, Swizzle.B32, L2Promotion.B256, OobFill.NAN),
                row.tiledMap());
        assertArrayEquals(new int[] {-8, 1, -10, 0}, row.coordinates());
        assertEquals(816, row.number("address"));
        assertEquals(0xF6995E695EF5F025L, row.hash());
        assertArrayEquals(new byte[] {0, -1, 0x7F}, row.bytes().orElseThrow());
        assertTrue(only(LOAD.replace(",\"bytes\":\"00ff7f\"", "")).bytes().isEmpty());
    }

    @Test
    void gzippedFilesAreKnownByTheirContent() throws IOException {
        Path file = folder.resolve("rows");
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
            out.write((LOAD + "\n\n" + LOAD + "\n").getBytes(StandardCharsets.UTF_8));
        }
        assertEquals(List.of("rows:1", "rows:3"), Recordings.read(file).stream().map(RecordingsRow::place).toList());
    }

    @Test
    void anEmptyFileHasNoRows() {
        assertEquals(List.of(), read(""));
    }

    @Test
    void filesThatCannotBeReadAreNamed() throws IOException {
        Path missing = folder.resolve("missing.jsonl");
        BadRequestException e = assertThrows(BadRequestException.class, () -> Recordings.read(missing));
        assertEquals("cannot read the recording " + missing + ": there is no such file", e.getMessage());
        Path cut = Files.write(folder.resolve("cut.gz"), new byte[] {0x1F, (byte) 0x8B, 8, 0, 0});
        assertEquals("cannot read the recording " + cut + ": its gzip data ends too early",
                assertThrows(BadRequestException.class, () -> Recordings.read(cut)).getMessage());
    }

    @Test
    void linesThatAreNoRowsAreNamed() {
        assertTrue(assertThrows(BadRequestException.class, () -> read(LOAD + "\n{\"kind\":")).getMessage()
                .startsWith("rows.jsonl:2: the JSON ends too early: "));
        for (String line : List.of("{}", "{\"kind\":3}", "{\"kind\":null}")) {
            assertEquals("rows.jsonl:1 is not a row of a recording: it has no \"kind\"",
                    assertThrows(BadRequestException.class, () -> read(line)).getMessage());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "\"tx\":3840, | | rows.jsonl:1: a load row must have \"tx\"",
        "\"tx\":3840 | \"tx\":1.5 | rows.jsonl:1: \"tx\" must be whole, got 1.5",
        "\"tx\":3840 | \"tx\":-1 | rows.jsonl:1: \"tx\" must be in [0, 232448], got -1",
        "\"smem\":31744 | \"smem\":232449 | rows.jsonl:1: \"smem\" must be in [0, 232448], got 232449",
        "\"address\":816 | \"address\":1048577 | rows.jsonl:1: \"address\" must be in [0, 1048576], got 1048577",
        "\"dtype\":9 | \"dtype\":13 | rows.jsonl:1: \"dtype\" must be in [0, 12], got 13",
        "\"swizzle\":1 | \"swizzle\":7 | rows.jsonl:1: \"swizzle\" must be in [0, 6], got 7",
        "[16,2,10,12] | [16,2,10,4294967308] | rows.jsonl:1: \"box\" must be 32-bit numbers, got [16,2,10,4294967308]",
        "[16,2,10,12] | [16,2,10,true] | rows.jsonl:1: \"box\" must be whole, got true",
        "f6995e695ef5f025 | xyz | rows.jsonl:1: \"fnv\" must be a 64-bit number in hex",
        "00ff7f | 0 | rows.jsonl:1: \"bytes\" must be pairs of hex digits"})
    void fieldsOutOfRangeAreNamed(String text, String replacement, String message) {
        RecordingsRow row = only(LOAD.replace(text, replacement == null ? "" : replacement).replace("[-8,1,-10,0]", "[0,0,0,0]"));
        BadRequestException e = assertThrows(BadRequestException.class, () -> {
            Replay.row(row, Replay.ReplayMode.BOX);
            row.hash();
        });
        assertEquals(message, e.getMessage());
    }
}
