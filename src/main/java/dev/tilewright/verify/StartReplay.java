package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.recording.RecordingsWindow;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.tensormap.TensorMap;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Holds against the reference whether a tensor copy faults that starts at some coordinates: rows of kind {@code start},
 * which {@code native-tests/unaligned-starts} records, each in a process of its own.
 */
final class StartReplay {
    private StartReplay() {
    }

    static String kind(RecordingsRow row) {
        return "start " + row.text("way") + " " + row.mode();
    }

    /** What differs, or nothing. @throws BadRequestException if the row is of no copy that is known */
    static Optional<String> disagreement(RecordingsRow row) {
        TensorMap map = row.mode().equals("im2col") ? row.im2colMap() : row.tiledMap();
        String fault = row.text("fault");
        Optional<String> refused = refusal(row, TensorBox.of(map));
        if (refused.isPresent() == !fault.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(refused.map(why -> "the reference refuses it (" + why + "), the recording says that it works")
                .orElse("the reference takes it, the recording says " + fault));
    }

    private static Optional<String> refusal(RecordingsRow row, TensorBox box) {
        int[] coordinates = row.coordinates();
        int[] offsets = new int[row.mode().equals("im2col") ? coordinates.length - 2 : 0];
        MemorySegment tensor = MemorySegment.ofArray(new byte[RecordingsWindow.BYTES])
                .asSlice(row.number("address", RecordingsWindow.BYTES));
        byte[] shared = new byte[box.sharedBytes(offsets)];
        try {
            switch (row.text("way")) {
                case "load" -> box.load(tensor, coordinates, offsets, shared, 0);
                case "store" -> box.store(tensor, coordinates, shared, 0);
                default -> box.reduce(row.constant("way", AtomicOp.class), tensor, coordinates, shared, 0);
            }
            return Optional.empty();
        } catch (Fault e) {
            return Optional.of(e.getMessage());
        }
    }
}
