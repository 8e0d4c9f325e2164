package dev.tilewright.reference.box;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.TensorMap;

/**
 * How the rows of a box lie in shared memory. Measured on an H200: without a swizzle they are dense; with one they are
 * a swizzle span apart, even where a row is shorter; slices of an interleaved tensor are dense either way. The swizzle
 * acts on the absolute shared address. A swizzled row lies within one line of 128 bytes, so one pattern serves all of
 * it.
 *
 * @param rowBytes bytes of one row that are data, a multiple of 16
 * @param pitch bytes from one row's start to the next
 */
record SharedRows(int rowBytes, int pitch, Swizzle swizzle) {
    /** Bytes that lie together under every swizzle. */
    static final int CHUNK = 16;

    static SharedRows of(TensorMap map) {
        Swizzle swizzle = map.swizzle();
        if (map.interleave() != Interleave.NONE) {
            int slice = sliceBytes(map.interleave());
            return new SharedRows(slice, slice, swizzle);
        }
        int rowBytes = map.rowBytes();
        if (rowBytes % CHUNK != 0) {
            throw new Fault(Kind.BAD_SIZE, "a row of the box has " + rowBytes + " bytes, which must be a multiple of "
                    + CHUNK);
        }
        if (swizzle != Swizzle.NONE && rowBytes > swizzle.span()) {
            throw new Fault(Kind.BAD_SIZE, "a row of the box has " + rowBytes + " bytes, swizzle " + swizzle
                    + " takes at most " + swizzle.span());
        }
        return new SharedRows(rowBytes, swizzle.rowPitch(rowBytes), swizzle);
    }

    /** Bytes of one slice of an interleaved tensor. */
    static int sliceBytes(Interleave interleave) {
        return switch (interleave) {
            case NONE -> throw new IllegalArgumentException("a tensor without interleave has no slices");
            case B16 -> 16;
            case B32 -> 32;
        };
    }

    /** Bytes from the first row's start to the end of the last span. */
    int bytes(int rows) {
        int span = Math.max(CHUNK, swizzle.span());
        return Math.multiplyExact(Math.ceilDiv(Math.multiplyExact(pitch, rows), span), span);
    }

    /** Whether a run of rows takes the same bytes, all of them, with or without the swizzle. */
    boolean areSolid() {
        return pitch == rowBytes && (swizzle == Swizzle.NONE || rowBytes == swizzle.span());
    }

    /** What addresses within the row that starts at this one are XORed with. */
    int pattern(int address) {
        return swizzle.pattern(address);
    }
}
