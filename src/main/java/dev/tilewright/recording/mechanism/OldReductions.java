package dev.tilewright.recording.mechanism;

import dev.tilewright.BadRequestException;
import dev.tilewright.json.JsonFields;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.ptx.copy.BulkReduce;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;

/**
 * {@code reduce}: pairs of elements, old ones and values that come from shared memory, and what was made of them by a
 * bulk reduction into global memory ({@code form} linear) or into another block's shared memory (shared), or by one
 * through a one-dimensional tensor map (tensor).
 */
record OldReductions(BulkReductions reductions, TensorStores stores) implements RowKind {
    private static final int BOX = 256;

    @Override
    public String counted(JsonFields row) {
        return "reduce " + row.text("form") + " " + row.text("op");
    }

    @Override
    public Set<String> fields(JsonFields row) {
        return Set.of("kind", "form", "op", "type", "old", "value", "result");
    }

    @Override
    public Optional<String> difference(JsonFields row) {
        byte[] old = row.hex("old");
        byte[] value = row.hex("value");
        byte[] recorded = row.hex("result");
        if (old.length != value.length || old.length != recorded.length || old.length == 0 || old.length % 4096 != 0) {
            throw new BadRequestException("fields 'old', 'value' and 'result' must be of one length, a multiple of "
                    + "4096 bytes");
        }
        AtomicOp op = row.constant("op", AtomicOp.class);
        boolean tensor = row.text("form").equals("tensor");
        int size = tensor ? row.constant("type", TensorDataType.class).bytes()
                : row.constant("type", DataType.class).bytes();
        int step = tensor ? BOX * size : BulkReductions.BYTES;
        ByteArrayOutputStream after = new ByteArrayOutputStream();
        for (int at = 0; at < old.length; at += step) {
            byte[] before = Arrays.copyOfRange(old, at, at + step);
            after.writeBytes(experiment(row, op, before, Arrays.copyOfRange(value, at, at + step)).onReference());
        }
        byte[] ours = after.toByteArray();
        int at = Arrays.mismatch(recorded, ours);
        return at < 0 ? Optional.empty() : Optional.of("element " + at / size + " becomes " + hex(ours, at, size)
                + ", the recording says " + hex(recorded, at, size) + " for " + hex(old, at, size) + " and "
                + hex(value, at, size) + ", low byte first");
    }

    private Experiment experiment(JsonFields row, AtomicOp op, byte[] old, byte[] value) {
        return switch (row.text("form")) {
            case "linear" -> reductions.experiment(new BulkReduce(op, row.constant("type", DataType.class)), old,
                    value);
            case "shared" -> reductions.experiment(new BulkClusterReduce(op, row.constant("type", DataType.class)),
                    old, value);
            case "tensor" -> stores.ofBox(op, row.constant("type", TensorDataType.class), old, value);
            default -> throw JsonFields.wrong("form", "linear, shared or tensor", row.text("form"));
        };
    }

    private static String hex(byte[] bytes, int at, int size) {
        return HexFormat.of().formatHex(bytes, at / size * size, at / size * size + size);
    }
}
