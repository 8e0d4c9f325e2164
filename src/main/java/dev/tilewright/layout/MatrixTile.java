package dev.tilewright.layout;

import dev.tilewright.NotNull;

/**
 * A matrix operand of {@code wgmma} as copies lay it in shared memory, and the {@link MatrixDescriptor} of any part of
 * it that an instruction reads. The tile is cut into panels: pieces as wide as the swizzle's span (16 bytes without
 * one) along the contiguous index, each with all of the other index, one behind the other. A panel is what one tensor
 * copy brings whose box is as wide as the span and as high as the other index. Sources: as for {@link
 * MatrixDescriptor}.
 *
 * @param mn rows of A or columns of B
 * @param k the other extent
 * @param elementBytes 1, 2 or 4
 * @param major which index lies contiguous
 * @param swizzle none, 32B, 64B or 128B: that of the copy
 */
public record MatrixTile(int mn, int k, int elementBytes, MatrixMajor major, Swizzle swizzle) {
    /** What one instruction reads along k, bytes. */
    private static final int K_BYTES = 32;

    /** @throws IllegalArgumentException for what the instruction cannot read, with the rule and what would do */
    public MatrixTile {
        NotNull.all("major, swizzle", major, swizzle);
        MatrixDescriptor.requireReadable(swizzle);
        MatrixDescriptor.requireMajor(elementBytes, major);
        if (mn < 8 || mn % 8 != 0) {
            throw new IllegalArgumentException("wgmma reads rows and columns in groups of 8: a tile's mn must be a "
                    + "multiple of 8, got " + mn + "; round it up, the copy fills what is out of bounds");
        }
        if (k < 1 || (long) k * elementBytes % K_BYTES != 0) {
            throw new IllegalArgumentException("one wgmma reads 32 bytes of k: a tile's k must be a multiple of "
                    + K_BYTES / elementBytes + " elements of " + elementBytes + " bytes, got " + k);
        }
        int span = swizzle.span();
        long row = (long) (major == MatrixMajor.K ? k : mn) * elementBytes;
        if (row > span && span > 0 && row % span != 0) {
            throw new IllegalArgumentException("a row of " + row + " bytes is no whole number of spans of " + span
                    + " bytes: choose a narrower swizzle, or a row of a multiple of " + span / elementBytes
                    + " elements");
        }
        int panel = Math.max(16, span);
        if (Saturating.multiply(Math.ceilDiv(row, panel) * panel, major == MatrixMajor.K ? mn : k)
                >= MatrixDescriptor.LIMIT) {
            throw new IllegalArgumentException("a tile of " + mn + " x " + k + " elements of " + elementBytes
                    + " bytes is larger than a matrix descriptor reaches: take fewer");
        }
    }

    /**
     * The tile of a plain layout, rows that are some bytes apart: there is one only where the pitch is the span's.
     *
     * @param rowPitch bytes from one row (K-major; one k, MN-major) to the next
     * @throws IllegalArgumentException if no descriptor reads such rows
     */
    public static MatrixTile ofRows(int mn, int k, int elementBytes, MatrixMajor major, Swizzle swizzle, int rowPitch) {
        MatrixTile tile = new MatrixTile(mn, k, elementBytes, major, swizzle);
        if (rowPitch != tile.panelBytes() || tile.panels() > 1) {
            throw new IllegalArgumentException("wgmma reads rows that are " + tile.panelBytes()
                    + " bytes apart with swizzle "
                    + swizzle + ", and these of " + tile.rowBytes() + " bytes are " + rowPitch
                    + " apart: bring the tile in panels "
                    + "of " + tile.panelBytes() + " bytes, a copy each (boxes of " + tile.panelBytes() / elementBytes
                    + " elements)" + (rowPitch == 32 || rowPitch == 64 || rowPitch == 128
                    ? ", or copy it with the swizzle of " + rowPitch + " bytes" : ""));
        }
        return tile;
    }

    private int rowBytes() {
        return (major == MatrixMajor.K ? k : mn) * elementBytes;
    }

    /** Width of a panel in bytes, which is the distance of its rows: the span, or 16. */
    public int panelBytes() {
        return Math.max(16, swizzle.span());
    }

    /** Elements of a panel's row that the tile has: the width of a copy's box. */
    public int panelElements() {
        return Math.min(rowBytes(), panelBytes()) / elementBytes;
    }

    /** How many panels lie behind each other. */
    public int panels() {
        return Math.ceilDiv(rowBytes(), panelBytes());
    }

    /** Bytes from one panel to the next. */
    public int panelStride() {
        return (major == MatrixMajor.K ? mn : k) * panelBytes();
    }

    /** Bytes of shared memory that the tile takes. */
    public int bytes() {
        return panels() * panelStride();
    }

    /** The alignment in bytes that it needs in shared memory: what its pattern repeats after. */
    public int alignment() {
        return swizzle.period();
    }

    /** The offset of an element, in bytes from the tile's aligned start. */
    public int offsetOf(int mn, int k) {
        requireWithin(mn, k);
        int plain = plainOffset(mn, k);
        return plain ^ swizzle.pattern(plain);
    }

    private void requireWithin(int mn, int k) {
        if (mn < 0 || mn >= this.mn || k < 0 || k >= this.k) {
            throw new IllegalArgumentException("mn " + mn + ", k " + k + " is outside of the tile of " + this.mn
                    + " x " + this.k);
        }
    }

    private int plainOffset(int mn, int k) {
        int contiguous = (major == MatrixMajor.K ? k : mn) * elementBytes;
        int row = major == MatrixMajor.K ? mn : k;
        return contiguous / panelBytes() * panelStride() + row * panelBytes() + contiguous % panelBytes();
    }

    /**
     * The descriptor of an operand that starts with the tile.
     *
     * @param start the tile's shared address
     */
    public MatrixDescriptor descriptor(int start) {
        return descriptor(start, 0, 0);
    }

    /**
     * The descriptor of an operand that starts within the tile.
     *
     * @param start the tile's shared address, a multiple of {@link #alignment()}
     * @param mn the first row of A or column of B: a multiple of 8, of a panel's elements where these lie contiguous
     * @param k the first k: a multiple of what one instruction reads
     * @throws IllegalArgumentException if an instruction cannot start there
     */
    public MatrixDescriptor descriptor(int start, int mn, int k) {
        if (start < 0 || start % alignment() != 0) {
            throw new IllegalArgumentException("a tile with swizzle " + swizzle + " must start at a multiple of "
                    + alignment() + " bytes, got " + start);
        }
        requireWithin(mn, k);
        int step = major == MatrixMajor.MN ? panelBytes() / elementBytes : 8;
        if (mn % step != 0) {
            throw new IllegalArgumentException("an operand starts at a multiple of " + step
                    + " rows or columns of this tile, got " + mn);
        }
        if (k * elementBytes % K_BYTES != 0) {
            throw new IllegalArgumentException("an operand starts at a multiple of " + K_BYTES / elementBytes
                    + " k, what one instruction reads; got " + k);
        }
        return new MatrixDescriptor(start + plainOffset(mn, k), leading(), stride(), 0, swizzle);
    }

    /**
     * How far one operand's start lies behind the tile's, in bytes: what {@code (start >> 4)} of a descriptor grows by.
     */
    public int startOf(int mn, int k) {
        return descriptor(0, mn, k).start();
    }

    private int stride() {
        return swizzle == Swizzle.NONE && major == MatrixMajor.MN ? panelStride() : 8 * panelBytes();
    }

    private int leading() {
        if (swizzle == Swizzle.NONE) {
            return major == MatrixMajor.MN ? 8 * panelBytes() : panelStride();
        }
        // A swizzled K-major operand does not look at it.
        return major == MatrixMajor.MN ? panelStride() : 16;
    }
}
