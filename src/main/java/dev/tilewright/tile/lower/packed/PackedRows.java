package dev.tilewright.tile.lower.packed;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.value.ValueType;

/**
 * Rows of a matrix of which a tile reads some: where their elements are.
 *
 * @param pointer the matrix
 * @param type of its elements
 * @param first row of the tile
 * @param rows of the matrix
 * @param length of a row
 * @param stride from one row to the next, in elements; all of these are 64 bits
 */
public record PackedRows(Parameter.Pointer pointer, ValueType type, Expr first, Expr rows, Expr length, Expr stride) {
    public PackedRows {
        NotNull.all("pointer, type, first, rows, length, stride", pointer, type, first, rows, length, stride);
    }

    /** Where a row of the tile begins, in elements: one outside is the matrix's last. @param row 32 bits */
    Expr start(Expr row) {
        return first.plus(row.toS64()).min(rows.minus(1)).times(stride);
    }

    /** Rows of the tile that the matrix has, as far as a number goes. */
    Expr there(int most) {
        return rows.minus(first).min(most).toS32();
    }

    /** @param place in elements, 64 bits */
    Address.Global at(Expr place) {
        return new Address.Global(pointer, place.times(type.bytes()));
    }
}
