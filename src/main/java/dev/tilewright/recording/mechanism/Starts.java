package dev.tilewright.recording.mechanism;

import dev.tilewright.json.JsonFields;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.recording.RecordingsWindow;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.reference.fault.Fault;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;

/**
 * {@code start}: whether a tensor copy faults that starts at some coordinates, which {@code
 * native-tests/unaligned-starts} records, each in a process of its own.
 */
final class Starts implements RowKind {
    /** The {@code kind} of its rows. */
    static final String KIND = "start";

    @Override
    public String counted(JsonFields row) {
        return KIND + " " + row.text("way") + " " + row.text("mode");
    }

    @Override
    public Set<String> fields(JsonFields row) {
        return MapRow.names(row, "coord", "way", "fault");
    }

    @Override
    public Optional<String> difference(JsonFields row) {
        String fault = row.text("fault");
        TensorBox box = TensorBox.of(MapRow.map(row));
        int[] coordinates = row.numbers("coord").stream().mapToInt(Integer::intValue).toArray();
        int[] offsets = new int[row.text("mode").equals("im2col") ? coordinates.length - 2 : 0];
        MemorySegment tensor = MemorySegment.ofArray(new byte[RecordingsWindow.BYTES])
                .asSlice(row.number("address", 0, RecordingsWindow.BYTES));
        byte[] shared = new byte[box.sharedBytes(offsets)];
        try {
            switch (row.text("way")) {
                case "load" -> box.load(tensor, coordinates, offsets, shared, 0);
                case "store" -> box.store(tensor, coordinates, shared, 0);
                default -> box.reduce(row.constant("way", AtomicOp.class), tensor, coordinates, shared, 0);
            }
        } catch (Fault e) {
            return !fault.isEmpty() ? Optional.empty() : Optional.of("the reference refuses it (" + e.getMessage()
                    + "), the recording says that it works");
        }
        return fault.isEmpty() ? Optional.empty() : Optional.of("the reference takes it, the recording says " + fault);
    }
}
