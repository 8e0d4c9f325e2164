package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.reference.box.Reduction;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Replays {@code reduce} rows: pairs of elements, old ones and values that come from shared memory, and what was made
 * of them by a bulk reduction into global memory ({@code form} linear) or into another block's shared memory (shared),
 * or by one through a one-dimensional tensor map (tensor).
 */
final class ReduceReplay {
    private static final int BOX = 256;

    private ReduceReplay() {
    }

    static Optional<String> disagreement(RecordingsRow row, Replay.ReplayMode mode) {
        byte[] result = row.hex("old");
        byte[] shared = row.hex("value");
        byte[] recorded = row.hex("result");
        if (result.length != shared.length || result.length != recorded.length || result.length == 0
                || result.length % 4096 != 0) {
            throw new BadRequestException(row.place()
                    + ": \"old\", \"value\" and \"result\" must be of one length, a multiple of 4096 bytes");
        }
        MemorySegment memory = MemorySegment.ofArray(result);
        AtomicOp op = row.reduceOp();
        int size = switch (row.text("form")) {
            case "linear" -> linear(row, op, memory, shared, mode);
            // Within a cluster elements change as they do in global memory.
            case "shared" -> linear(row, op, memory, shared, Replay.ReplayMode.BOX);
            case "tensor" -> tensor(row, op, memory, shared, mode);
            default -> throw new BadRequestException(row.place() + ": \"form\" must be linear, shared or tensor, got "
                    + row.text("form"));
        };
        int at = Arrays.mismatch(recorded, result);
        if (at < 0) {
            return Optional.empty();
        }
        int element = at / size * size;
        return Optional.of("element " + at / size + " becomes " + hex(result, element, size) + ", the recording says "
                + hex(recorded, element, size) + " for " + hex(row.hex("old"), element, size) + " and "
                + hex(shared, element, size) + ", low byte first");
    }

    /** @return bytes of an element */
    private static int linear(RecordingsRow row, AtomicOp op, MemorySegment memory, byte[] shared,
            Replay.ReplayMode mode) {
        DataType type = row.constant("type", DataType.class);
        if (mode == Replay.ReplayMode.PROGRAM) {
            ReplayPrograms.reduce(op, type, memory, shared);
        } else {
            Reduction.linear(op, type).reduce(shared, 0, memory, 0, shared.length);
        }
        return type.bytes();
    }

    private static int tensor(RecordingsRow row, AtomicOp op, MemorySegment memory, byte[] shared,
            Replay.ReplayMode mode) {
        TensorDataType type = row.constant("type", TensorDataType.class);
        int elements = shared.length / type.bytes();
        TiledTensorMap map = TiledTensorMap.denseInnermostFirst(type, List.of((long) elements), List.of(BOX),
                Swizzle.NONE);
        for (int first = 0; first < elements; first += BOX) {
            byte[] box = Arrays.copyOfRange(shared, first * type.bytes(), (first + BOX) * type.bytes());
            if (mode == Replay.ReplayMode.PROGRAM) {
                ReplayPrograms.store(map, memory, new int[] {first}, Optional.of(op), box);
            } else {
                TensorBox.tile(map).reduce(op, memory, new int[] {first}, box, 0);
            }
        }
        return type.bytes();
    }

    private static String hex(byte[] bytes, int from, int size) {
        return HexFormat.of().formatHex(bytes, from, from + size).toLowerCase(Locale.ROOT);
    }
}
