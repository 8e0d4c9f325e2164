package dev.tilewright.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.Thorough;
import dev.tilewright.json.JsonFields;
import dev.tilewright.ptx.Target;
import dev.tilewright.recording.RecordingFile;
import dev.tilewright.recording.mechanism.EncodeRows;
import dev.tilewright.tensormap.call.EncodeCall;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** 16,000 calls of an H200's driver (native-tests/recordings): accept or refuse, the bytes, and the way back. */
class RecordedEncodesTest {

    private static List<JsonFields> rows(String recording) {
        return RecordingFile.read(Path.of(System.getProperty("tilewright.root", "."), "native-tests", "recordings",
                recording + ".jsonl.gz")).rows().stream().map(line -> JsonFields.parse(line.text(), "row", 16))
                .toList();
    }

    /** Of encodings; read once, for it takes long. */
    private static final List<JsonFields> ENCODED = rows("encode");

    /** That each row agrees is held by {@code RecordingReplayTest}. */
    @Test
    void theDriverAcceptedSome() {
        Map<String, Long> accepted = ENCODED.stream().filter(row -> row.integer("result") == 0).collect(Collectors
                .groupingBy(row -> row.text("mode") + ", interleave " + row.integer("interleave"),
                        Collectors.counting()));
        assertEquals(5252, accepted.get("tile, interleave 0"));
        assertEquals(84, accepted.get("im2col, interleave 2"));
    }

    @Test
    void everyRecordedDescriptorDecodesToItsCall() throws IOException {
        int decoded = 0;
        for (JsonFields row : ENCODED) {
            if (row.integer("result") == 0 && Thorough.takes(decoded++, 4)) {
                TensorMapDescriptor descriptor = TensorMapDescriptor.ofHex(row.text("map"));
                DecodedTensorMap back = descriptor.decode();
                assertEquals(EncodeRows.call(row), back.call());
                assertTrue(back.unknowns().stream().noneMatch(u -> u.contains("0x") || u.contains("refuses")),
                        () -> back.unknowns().toString());
            }
        }
        assertEquals(8119, decoded);
    }

    @Test
    void theFastCheckAgreesWithTheRules() throws IOException {
        for (int i = 0; i < ENCODED.size(); i++) {
            if (Thorough.takes(i, 4)) {
                FastCheckTest.assertAgrees(EncodeRows.call(ENCODED.get(i)));
            }
        }
    }

    /** Copies were recorded through maps that the driver had encoded; addresses there are offsets in a window. */
    @Test
    void recordedCopiesCountTheBytesThatTheirMapsSay() throws IOException {
        int counted = 0;
        for (String file : List.of("tile-load", "im2col-load", "interleave-load", "store-reduce")) {
            for (JsonFields row : rows(file)) {
                EncodeCall call = EncodeRows.call(row);
                assertEquals(List.of(), Validation.of(call, Target.SM_90).errors(), call::toString);
                if (row.has("tx")) {
                    assertEquals(row.integer("tx"), TensorMap.of(call).transactionBytes(), call::toString);
                    counted++;
                }
                if (row.text("kind").equals("load") && !file.equals("interleave-load")) {
                    assertTrue(row.integer("written") <= TensorMap.of(call).sharedBytes(), call::toString);
                }
            }
        }
        assertEquals(4600, counted);
    }

    @Test
    void integersBeyond64BitsAreRefusedByName() {
        String row = "{\"mode\":\"tile\",\"dtype\":0,\"address\":18446744073709551600,"
                + "\"dim\":[18446744073709551615],\"stride\":[],\"box\":[-16],\"elementStride\":[1],"
                + "\"interleave\":0,\"swizzle\":0,\"l2\":0,\"oob\":0}";
        EncodeCall call = EncodeRows.call(JsonFields.parse(row, "row", 16));
        assertEquals(-16, call.address());
        assertEquals(List.of("address-range", "dim-range", "box-range"),
                Validation.of(call, Target.SM_90).errors().stream().map(v -> v.rule().id()).toList());
        JsonFields larger = JsonFields.parse(row.replace("551615", "551616"), "row", 16);
        assertEquals("field 'dim[0]' must fit in 64 bits, got 18446744073709551616",
                assertThrows(BadRequestException.class, () -> EncodeRows.call(larger)).getMessage());
    }
}
