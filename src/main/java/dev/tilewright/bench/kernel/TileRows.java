package dev.tilewright.bench.kernel;

import dev.tilewright.program.Expr;

/** How 32 x 32 words lie in shared memory, and with that what conflicts reading a column of them has. */
public enum TileRows {
    /** Row behind row: all words of a column in one bank. */
    PLAIN(32),
    /** One word left free behind each row: no two words of a column in one bank. */
    PADDED(33),
    /** Chunks of 16 bytes exchanged as the copy engine's 128-byte swizzle does: four words of a column in each bank. */
    SWIZZLED(32);

    private final int pitch;

    TileRows(int pitch) {
        this.pitch = pitch;
    }

    /** Bytes of 32 rows. */
    public int bytes() {
        return 32 * pitch * Integer.BYTES;
    }

    /** The byte at which a word lies. @param row 0 to 31 @param column likewise */
    Expr place(Expr row, Expr column) {
        if (this == SWIZZLED) {
            return row.times(32 * Integer.BYTES).plus(column.shiftRight(2).xor(row.bitAnd(7)).times(16))
                    .plus(column.bitAnd(3).times(Integer.BYTES));
        }
        return row.times(pitch).plus(column).times(Integer.BYTES);
    }
}
