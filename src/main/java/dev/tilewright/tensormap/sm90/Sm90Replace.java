package dev.tilewright.tensormap.sm90;

import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import java.lang.foreign.MemorySegment;

/**
 * What {@code tensormap.replace} writes into the 128 bytes on sm_90a: every field of {@link Sm90Layout}, measured on an
 * H200 with values at the ends of each range (native-tests, TensorMapReplaceGpuTest). What to know about it:
 * <ul>
 * <li>the instruction takes extents, box extents and element strides as they are and writes one less, strides in bytes
 * (with CUDA 12.5 and later) and writes a 16th; the rank is taken as one less already;</li>
 * <li>nothing else moves along: the byte count at 0x40 stays when the box changes, the alignment at 0x48 stays when the
 * swizzle does, strides and extents beyond a smaller rank stay. Copies heed the fields and not those two;</li>
 * <li>the two TF32 types set the rounding bit, and no other type clears it: a map of TF32 elements that is given
 * another type of 32-bit float goes on rounding, and with any other type it cannot be used: see
 * {@link #roundsOtherTypes}.</li>
 * </ul>
 */
public final class Sm90Replace {

    /**
     * The instruction's number of BF16; TF32 and TF32_FTZ follow, which the layout knows as F32 and F32_FTZ with a bit.
     */
    private static final int LAST_PLAIN_TYPE = 10;
    private static final int TF32_ABOVE_F32 = 4;

    private Sm90Replace() { }

    /**
     * Sets one field.
     *
     * @param map the 128 bytes, from the segment's first byte on
     * @param value what the instruction takes in a register; ignored where it takes none
     */
    public static void apply(MemorySegment map, TensormapReplace form, long value) {
        int n = form.immediate();
        switch (form.field()) {
            case GLOBAL_ADDRESS -> map.set(Sm90Layout.WORD, 0, value);
            case RANK -> setBits(map, 0x08, 4, 3, value);
            case GLOBAL_DIM -> setBits(map, 0x20 + 4 * n, 0, 32, value - 1);
            case GLOBAL_STRIDE -> {
                setBits(map, 0x0C + 4 * n, 0, 32, value >>> 4);
                setBits(map, 0x1C, 4 * n, 4, value >>> 36);
            }
            case ELEMENT_STRIDE -> setBits(map, 0x34, 3 * n, 3, value - 1);
            case BOX_DIM -> {
                if (n == 0) {
                    setBits(map, 0x34, 24, 8, value - 1);
                } else {
                    setBits(map, 0x38, 8 * (n - 1), 8, value - 1);
                }
            }
            case ELEMTYPE -> {
                boolean tf32 = n > LAST_PLAIN_TYPE;
                setBits(map, 0x08, 7, 4, tf32 ? n - TF32_ABOVE_F32 : n);
                if (tf32) {
                    setBits(map, 0x08, Sm90Layout.TF32_SHIFT, 1, 1);
                }
            }
            case INTERLEAVE_LAYOUT -> setBits(map, 0x08, Sm90Layout.INTERLEAVE_SHIFT, 2, n);
            case SWIZZLE_MODE -> setBits(map, 0x08, Sm90Layout.SWIZZLE_SHIFT, 2, n);
            case FILL_MODE -> setBits(map, 0x08, Sm90Layout.NAN_SHIFT, 1, n);
        }
    }

    /**
     * Whether the bytes ask for rounding to TF32 and have elements that are no 32-bit floats, as is left where a map of
     * TF32 elements was given another type. A copy through such a map is an illegal instruction (measured on an H200,
     * with UINT32).
     *
     * @param map the 128 bytes, from the segment's first byte on
     */
    public static boolean roundsOtherTypes(MemorySegment map) {
        Sm90Fields fields = new Sm90Fields(map);
        return fields.roundsToTf32() && fields.format() != Sm90Layout.format(TensorDataType.FLOAT32)
                && fields.format() != Sm90Layout.format(TensorDataType.FLOAT32_FTZ);
    }

    /**
     * Sets {@code count} bits of the 32-bit word at {@code offset}, from bit {@code shift} on, to the low bits of a
     * value.
     */
    private static void setBits(MemorySegment map, int offset, int shift, int count, long value) {
        int start = offset & ~7;
        int at = shift + 8 * (offset & 4);
        long mask = (1L << count) - 1 << at;
        map.set(Sm90Layout.WORD, start, map.get(Sm90Layout.WORD, start) & ~mask | value << at & mask);
    }
}
