package dev.tilewright.recording.mechanism;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.Thorough;
import dev.tilewright.json.JsonFields;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.recording.RecordingFile;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What rows say, and that a row which does not agree is noticed. */
class RowKindTest {
    private static final Mechanisms MECHANISMS = new Mechanisms();

    private static Stream<JsonFields> rows(String recording) {
        return RecordingFile.read(Path.of(System.getProperty("tilewright.root", "."), "native-tests", "recordings",
                recording + ".jsonl.gz")).rows().stream().map(line -> JsonFields.parse(line.text(), "row", 1 << 20));
    }

    private static JsonFields first(String recording, Predicate<JsonFields> wanted) {
        return rows(recording).filter(wanted).findFirst().orElseThrow();
    }

    private static final JsonFields LOAD = first("tile-load", r -> r.has("bytes") && r.integer("dtype") == 7);
    private static final JsonFields STORE = first("store-reduce", r -> r.text("op").equals("store")
            && r.integer("changed") > 0 && r.integer("swizzle") == 3);

    @Test
    void aMapIsReadWhole() {
        JsonFields row = JsonFields.parse("{\"kind\":\"load\",\"mode\":\"tile\",\"dtype\":9,\"address\":816,"
                + "\"dim\":[5,8,6,4],\"stride\":[16,128,768],\"box\":[16,2,10,12],\"elementStride\":[1,1,1,2],"
                + "\"interleave\":0,\"swizzle\":1,\"l2\":3,\"oob\":1}", "row", 16);
        assertEquals(new TiledTensorMap(TensorDataType.BFLOAT16, List.of(5L, 8L, 6L, 4L), List.of(16L, 128L, 768L),
                List.of(16, 2, 10, 12), List.of(1, 1, 1, 2), Interleave.NONE, Swizzle.B32, L2Promotion.B256,
                OobFill.NAN), MapRow.map(row));
        assertEquals(816, MapRow.call(row).address());
    }

    @Test
    void everyRecordedNumberIsCompared() {
        long tx = LOAD.integer("tx");
        disagrees(LOAD, f -> f.put("tx", tx + 16), "the barrier counts " + tx + " bytes, the recording says "
                + (tx + 16));
        disagrees(LOAD, f -> f.put("bytes", "55" + f.get("bytes").asText().substring(2)), "byte 0 is ");
        disagrees(LOAD, f -> f.put("fnv", "0123456789abcdef"), "the hash of the " + LOAD.integer("smem")
                + " bytes is ");
        disagrees(LOAD, f -> f.put("written", 1), "the copy writes ");
        long changed = STORE.integer("changed");
        disagrees(STORE, f -> f.put("changed", changed - 1), changed + " bytes of the window changed, the recording "
                + "says " + (changed - 1));
        disagrees(STORE, f -> f.put("fnv", "0123456789abcdef"), "the hash of the 1048576 bytes is ");
    }

    @Test
    void everyArgumentMatters() {
        disagrees(LOAD, f -> f.put("seed", 3), "");
        disagrees(LOAD, f -> f.put("address", LOAD.integer("address") ^ 16), "");
        disagrees(STORE, f -> f.put("swizzle", 2), "");
        disagrees(STORE, f -> f.put("smemSeed", 3), "");
        disagrees(STORE, f -> f.put("seed", 3), "");
    }

    /** Operands that rows hold themselves: each of their bytes counts. */
    @ParameterizedTest
    @ValueSource(strings = {"mma a", "mma b", "mma c", "mma d", "mma-more a", "mma-more b", "reduce old",
        "reduce value", "reduce result", "wgmma-operand cells"})
    void everyOperandMatters(String recordingAndField) {
        String[] words = recordingAndField.split(" ");
        // Words without a pattern, so that each operand shows: a sum of integers, an exclusive or.
        JsonFields row = first(words[0], r -> switch (words[0]) {
            case "reduce" -> r.text("op").equals("xor");
            case "wgmma-operand" -> true;
            default -> r.text("types").equals("s8.s32") && !(r.has("satfinite") && r.flag("satfinite"));
        });
        disagrees(row, f -> {
            String hex = f.get(words[1]).asText();
            int at = hex.length() / 4 * 2;
            f.put(words[1], hex.substring(0, at + 1) + Integer.toHexString(Character.digit(hex.charAt(at + 1), 16) ^ 1)
                    + hex.substring(at + 2));
        }, "");
    }

    /** A copy alone is what a row is held against; here one with a program around it, with barrier, wait and groups. */
    @ParameterizedTest
    @ValueSource(strings = {"tile-load", "im2col-load", "interleave-load", "store-reduce", "sm_90/load",
        "sm_90/store"})
    void programsDoAsCopiesDo(String recording) {
        List<JsonFields> rows = rows(recording).toList();
        for (int i = 0; i < rows.size(); i++) {
            if (!Thorough.takes(i, 120)) {
                continue;
            }
            JsonFields row = rows.get(i);
            RecordedMechanism mechanism = (RecordedMechanism) MECHANISMS.of(row).orElseThrow();
            assertEquals(Optional.empty(), mechanism.difference(row, mechanism.experiment(row).onReference()),
                    row.object()::toString);
        }
    }

    private static void disagrees(JsonFields row, Consumer<ObjectNode> change, String start) {
        assertEquals(Optional.empty(), MECHANISMS.of(row).orElseThrow().difference(row));
        ObjectNode fields = row.object().deepCopy();
        change.accept(fields);
        JsonFields changed = new JsonFields(fields);
        String what = MECHANISMS.of(changed).orElseThrow().difference(changed).orElseThrow();
        assertTrue(what.startsWith(start), what);
    }
}
