package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.recording.Fnv;
import dev.tilewright.recording.RecordingsWindow;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Every recorded tensor copy, done again by the box engine alone: all that the row says of the bytes is compared. */
class RecordedBoxesTest {
    private static final byte POISON = (byte) 0xCD;

    private final Map<Long, byte[]> windows = new HashMap<>();

    @Test
    void everyTileLoadAgrees() {
        assertEquals(List.of(), disagreements("tile-load", 3000, row -> load(row, TensorBox.tile(row.tiledMap()))));
    }

    @Test
    void everyIm2colLoadAgrees() {
        assertEquals(List.of(), disagreements("im2col-load", 1600, row -> load(row, TensorBox.im2col(row.im2colMap()))));
    }

    @Test
    void everyInterleavedLoadAgrees() {
        InterleavedRegion region = new InterleavedRegion();
        assertEquals(List.of(), disagreements("interleave-load", 183, row -> {
            region.window(row.number("seed"));
            return load(row, TensorBox.tile(row.tiledMap()), region.from(row.number("address")));
        }));
    }

    @Test
    void everyStoreAndReductionAgrees() {
        Map<String, Integer> reductions = new HashMap<>();
        assertEquals(List.of(), disagreements("store-reduce", 710, row -> {
            reductions.merge(row.op(), 1, Integer::sum);
            return store(row);
        }));
        assertEquals(Map.of("store", 266, "add", 136, "and", 42, "dec", 13, "inc", 13, "max", 83, "min", 79, "or", 37, "xor", 41),
                reductions);
    }

    private List<String> disagreements(String file, int rows, Function<RecordingsRow, String> replay) {
        List<String> found = new ArrayList<>();
        List<RecordingsRow> all = Recordings.read(
                Path.of(System.getProperty("tilewright.root", "."), "native-tests", "recordings", file + ".jsonl.gz"));
        assertEquals(rows, all.size());
        for (RecordingsRow row : all) {
            String what = replay.apply(row);
            if (!what.isEmpty()) {
                found.add(row.place() + ": " + what);
            }
        }
        return found;
    }

    private String load(RecordingsRow row, TensorBox box) {
        return load(row, box, MemorySegment.ofArray(window(row.number("seed"))).asReadOnly().asSlice(row.number("address")));
    }

    /** The box may be longer than what the recorder looked at, the first {@code smem} bytes. */
    private static String load(RecordingsRow row, TensorBox box, MemorySegment tensor) {
        if (row.fields().has("tx") && row.number("tx") != box.transactionBytes(row.offsets())) {
            return "the barrier counts " + box.transactionBytes(row.offsets());
        }
        int seen = (int) row.number("smem");
        byte[] shared = new byte[Math.max(seen, box.sharedBytes(row.offsets()))];
        Arrays.fill(shared, POISON);
        box.load(tensor, row.coordinates(), row.offsets(), shared, 0);
        byte[] looked = Arrays.copyOf(shared, seen);
        int written = seen;
        while (written > 0 && looked[written - 1] == POISON) {
            written--;
        }
        String bytes = HexFormat.of().formatHex(looked, 0, written);
        return row.number("written") != written ? "the last byte changed is " + written
                : row.bytes().isPresent() && !HexFormat.of().formatHex(row.bytes().get()).equals(bytes) ? "shared memory holds " + bytes
                : Fnv.hash(looked) != row.hash() ? "the hash of shared memory differs" : "";
    }

    private String store(RecordingsRow row) {
        TiledTensorMap map = row.tiledMap();
        byte[] before = window(row.number("seed"));
        byte[] after = before.clone();
        MemorySegment tensor = MemorySegment.ofArray(after).asSlice(row.number("address"));
        byte[] shared = RecordingsWindow.bytes(row.number("smemSeed"), Math.ceilDiv(map.sharedBytes(), 16) * 16);
        if (row.op().equals("store")) {
            TensorBox.tile(map).store(tensor, row.coordinates(), shared, 0);
        } else {
            AtomicOp op = AtomicOp.valueOf(row.op().toUpperCase(Locale.ROOT));
            TensorBox.tile(map).reduce(op, tensor, row.coordinates(), shared, 0);
        }
        int changed = 0;
        for (int i = 0; i < after.length; i++) {
            changed += after[i] == before[i] ? 0 : 1;
        }
        return changed != row.number("changed") ? changed + " bytes of the window changed"
                : Fnv.hash(after) != row.hash() ? "the hash of the window differs" : "";
    }

    private byte[] window(long seed) {
        return windows.computeIfAbsent(seed, s -> RecordingsWindow.bytes(s, RecordingsWindow.BYTES));
    }

    /** The noise that interleaved loads were recorded on: 64 MiB, with the data window in the middle. */
    private static final class InterleavedRegion {
        private static final int BYTES = 64 << 20;
        private static final int WINDOW = 32 << 20;
        private final byte[] bytes = new byte[BYTES];

        InterleavedRegion() {
            ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            for (long j = 0; words.hasRemaining(); j++) {
                words.putLong(RecordingsWindow.splitmix64(0xABCDEF0000L + j));
            }
        }

        void window(long seed) {
            System.arraycopy(RecordingsWindow.bytes(seed, RecordingsWindow.BYTES), 0, bytes, WINDOW, RecordingsWindow.BYTES);
        }

        MemorySegment from(long address) {
            return MemorySegment.ofArray(bytes).asReadOnly().asSlice(WINDOW + address);
        }
    }
}
