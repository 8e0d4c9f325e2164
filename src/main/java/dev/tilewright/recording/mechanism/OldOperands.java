package dev.tilewright.recording.mechanism;

import dev.tilewright.json.JsonFields;
import dev.tilewright.layout.MatrixDescriptor;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.Swizzle;
import java.util.Optional;
import java.util.Set;

/**
 * {@code wgmma-operand}: for a matrix descriptor, the 2-byte cell of shared memory that each element of an operand came
 * from. These are looked up, without a program.
 */
final class OldOperands implements RowKind {
    private static final Swizzle[] SWIZZLES = {Swizzle.NONE, Swizzle.B128, Swizzle.B64, Swizzle.B32};
    private static final int CELL_BYTES = 2;
    private static final int MOST = 256;

    @Override
    public String counted(JsonFields row) {
        return "wgmma-operand";
    }

    @Override
    public Set<String> fields(JsonFields row) {
        return Set.of("kind", "operand", "rows", "columns", "transpose", "swizzle", "lbo", "sbo", "start", "baseOffset",
                "cells");
    }

    @Override
    public Optional<String> difference(JsonFields row) {
        boolean isA = switch (row.text("operand")) {
            case "a" -> true;
            case "b" -> false;
            default -> throw JsonFields.wrong("operand", "a or b", row.text("operand"));
        };
        int rows = row.number("rows", 0, MOST);
        int columns = row.number("columns", 0, MOST);
        MatrixMajor major = row.flag("transpose") ? MatrixMajor.MN : MatrixMajor.K;
        MatrixDescriptor descriptor = new MatrixDescriptor(row.number("start", 0, Integer.MAX_VALUE),
                row.number("lbo", 0, Integer.MAX_VALUE), row.number("sbo", 0, Integer.MAX_VALUE),
                row.number("baseOffset", 0, 7), SWIZZLES[row.number("swizzle", 0, SWIZZLES.length - 1)]);
        byte[] cells = row.hex("cells");
        if (cells.length != 2 * rows * columns) {
            throw JsonFields.wrong("cells", rows * columns + " numbers of 2 bytes", cells.length + " bytes");
        }
        MatrixDescriptor read = MatrixDescriptor.decode(descriptor.encode());
        for (int i = 0; i < rows * columns; i++) {
            int expected = (cells[2 * i] & 0xFF) << 8 | cells[2 * i + 1] & 0xFF;
            int mn = isA ? i / columns : i % columns;
            int k = isA ? i % columns : i / columns;
            int cell = read.addressOf(mn, k, CELL_BYTES, major) / CELL_BYTES;
            if (cell != expected) {
                int at = 2 * i + ((cell ^ expected) > 0xFF ? 0 : 1);
                return Optional.of("byte " + at + ": row " + i / columns + ", column " + i % columns
                        + " is read from cell " + cell + ", the recording says " + expected);
            }
        }
        return Optional.empty();
    }
}
