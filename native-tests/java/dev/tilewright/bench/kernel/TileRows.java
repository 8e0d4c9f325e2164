package dev.tilewright.bench.kernel;

import dev.tilewright.program.expression.Expr;

/** How a square of words lies in shared memory, and with that what conflicts reading a column of them has. */
public enum TileRows {
    /** Row behind row: all words of a column in one bank. */
    PLAIN(0),
    /** One word left free behind each row: no two words of a column in one bank. */
    PADDED(1),
    /** Chunks of 16 bytes exchanged as the copy engine's 128-byte swizzle does: four words of a column in each bank. */
    SWIZZLED(0),
    /** Words exchanged, within each 32, by the exclusive or with their row: padded's banks, and no word left free. */
    XORED(0);

    private final int padding;

    TileRows(int padding) {
        this.padding = padding;
    }

    /** Bytes of all rows. @param side rows, and words of each: a multiple of 32 */
    public int bytes(int side) {
        return side * (side + padding) * Integer.BYTES;
    }

    /** The byte at which a word lies. @param row from 0 @param column likewise @param side rows, and words of each */
    Expr place(Expr row, Expr column, int side) {
        Expr word = switch (this) {
            case SWIZZLED -> column.xor(row.bitAnd(7).times(4));
            case XORED -> column.xor(row.bitAnd(31));
            case PLAIN, PADDED -> column;
        };
        return row.times(side + padding).plus(word).times(Integer.BYTES);
    }
}
