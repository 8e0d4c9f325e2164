package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.verify.Replay.ReplayMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The reference against real hardware: every recorded tile-mode load and store. */
class ReplayTest {

    private static List<RecordingsRow> recording(String name) {
        return Recordings.read(Path.of(System.getProperty("tilewright.root", "."), "native-tests", "recordings", name + ".jsonl.gz"));
    }

    @ParameterizedTest
    @EnumSource
    void everyTileLoadAgrees(ReplayMode way) {
        assertEquals(new ReplayResult(3000, 3000, 0, 0, new TreeMap<>(), List.of()), Replay.rows(recording("tile-load"), way));
    }

    @ParameterizedTest
    @EnumSource
    void everyIm2colLoadAgrees(ReplayMode way) {
        assertEquals(new ReplayResult(1600, 1600, 0, 0, new TreeMap<>(), List.of()), Replay.rows(recording("im2col-load"), way));
    }

    @ParameterizedTest
    @EnumSource
    void everyInterleavedLoadAgrees(ReplayMode way) {
        assertEquals(new ReplayResult(183, 183, 0, 0, new TreeMap<>(), List.of()), Replay.rows(recording("interleave-load"), way));
    }

    @ParameterizedTest
    @EnumSource
    void everyStoreAndReductionAgrees(ReplayMode way) {
        assertEquals(new ReplayResult(710, 710, 0, 0, new TreeMap<>(), List.of()), Replay.rows(recording("store-reduce"), way));
    }

    @ParameterizedTest
    @EnumSource
    void everyPairOfSpecialElementsIsReducedAsRecorded(ReplayMode way) {
        assertEquals(new ReplayResult(72, 72, 0, 0, new TreeMap<>(), List.of()), Replay.rows(recording("reduce"), way));
    }

    @ParameterizedTest
    @EnumSource
    void everyTensorCoreInstructionAgreesBitForBit(ReplayMode way) {
        assertEquals(new ReplayResult(880, 880, 0, 0, new TreeMap<>(), List.of()),
                Replay.rows(recording("mma"), way));
        assertEquals(new ReplayResult(608, 608, 0, 0, new TreeMap<>(), List.of()),
                Replay.rows(recording("mma-more"), way));
    }

    @ParameterizedTest
    @EnumSource
    void everyStartThatIsNotAlignedFaultsAndNoOther(ReplayMode way) {
        assertEquals(new ReplayResult(506, 506, 0, 0, new TreeMap<>(), List.of()),
                Replay.rows(recording("unaligned-starts"), way));
    }

    @Test
    void everyOperandOfWgmmaLiesWhereItWasFound() {
        assertEquals(new ReplayResult(800, 800, 0, 0, new TreeMap<>(), List.of()),
                Replay.rows(recording("wgmma-operand"), ReplayMode.BOX));
    }

    @Test
    void otherKindsAreSkipped() {
        assertEquals(Map.of("encode im2col", 4857, "encode tile", 11143),
                Replay.rows(recording("encode"), ReplayMode.BOX).skippedByKind());
    }

    // ---- a row that does not agree is noticed

    private static final RecordingsRow LOAD =
            recording("tile-load").stream().filter(r -> r.bytes().isPresent() && r.number("dtype") == 7).findFirst().orElseThrow();
    private static final RecordingsRow STORE = recording("store-reduce").stream()
            .filter(r -> r.op().equals("store") && r.number("changed") > 0 && r.number("swizzle") == 3).findFirst().orElseThrow();

    @Test
    void everyRecordedNumberIsCompared() {
        long tx = LOAD.number("tx");
        disagrees(LOAD, f -> f.put("tx", tx + 16), "the barrier counts " + tx + " bytes, the recording says " + (tx + 16));
        disagrees(LOAD, f -> f.put("bytes", "55" + f.get("bytes").asText().substring(2)), "shared byte 0 is ");
        disagrees(LOAD, f -> f.put("fnv", "0123456789abcdef"), "the hash of shared memory is ");
        long changed = STORE.number("changed");
        disagrees(STORE, f -> f.put("changed", changed - 1), changed + " bytes of the window changed, the recording says "
                + (changed - 1));
        disagrees(STORE, f -> f.put("fnv", "0123456789abcdef"), "the hash of the window is ");
    }

    @Test
    void everyArgumentMatters() {
        disagrees(LOAD, f -> f.put("seed", 3), "");
        disagrees(LOAD, f -> f.put("address", LOAD.number("address") ^ 16), "");
        disagrees(STORE, f -> f.put("swizzle", 2), "");
        disagrees(STORE, f -> f.put("smemSeed", 3), "");
        disagrees(STORE, f -> f.put("seed", 3), "");
    }

    @Test
    void whatTheReferenceRefusesDisagrees() {
        disagrees(LOAD, f -> ((ArrayNode) f.get("coord")).set(0, f.numberNode(1)), "the reference refuses it: ");
    }

    @Test
    void theFirstDisagreementsAreListed() {
        List<RecordingsRow> rows = recording("tile-load").subList(0, 40).stream()
                .map(r -> changed(r, f -> f.put("tx", r.number("tx") + 16))).toList();
        ReplayResult result = Replay.rows(rows, ReplayMode.BOX);
        assertEquals(List.of(40, 0, 40, 20),
                List.of(result.replayed(), result.agreed(), result.disagreed(), result.firstDisagreements().size()));
        assertEquals("tile-load.jsonl.gz:1: the barrier counts 3840 bytes, the recording says 3856",
                result.firstDisagreements().getFirst());
    }

    @Test
    void aSkippedRowCannotBeReplayed() {
        RecordingsRow encode = recording("encode").getFirst();
        assertEquals(encode.place() + ": rows of kind 'encode tile' are not replayed",
                assertThrows(IllegalArgumentException.class, () -> Replay.row(encode, ReplayMode.BOX)).getMessage());
    }

    private static void disagrees(RecordingsRow row, Consumer<ObjectNode> change, String start) {
        for (ReplayMode way : ReplayMode.values()) {
            assertEquals(Optional.empty(), Replay.row(row, way));
            String what = Replay.row(changed(row, change), way).orElseThrow();
            assertTrue(what.startsWith(start), what);
        }
    }

    private static RecordingsRow changed(RecordingsRow row, Consumer<ObjectNode> change) {
        ObjectNode fields = row.fields().deepCopy();
        change.accept(fields);
        return new RecordingsRow(row.place(), fields);
    }
}
