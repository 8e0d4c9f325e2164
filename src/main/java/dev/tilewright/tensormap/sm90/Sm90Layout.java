package dev.tilewright.tensormap.sm90;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The bits of a tensor map on sm_90, found by comparing some 64,000 encodings of an H200's driver and confirmed by
 * native-tests/recordings. Little endian; dimensions and strides that a map has not are zero:
 *
 * <pre>
 * 0x00  global address
 * 0x08  bit 0 im2col, 4-6 rank - 1, 7-10 format, 11-12 interleave, 13-14 swizzle, 15 NaN fill, 16 round to TF32,
 *       17-18 L2 promotion
 * 0x0C  4 x 32 bits: stride >> 4, low half          0x1C  4 x 4 bits: stride >> 36
 * 0x20  5 x 32 bits: dim - 1
 * 0x34  5 x 3 bits: element stride - 1; bits 24-31: box[0] - 1, or channels - 1
 * 0x38  tiled: 4 x 8 bits box[1..4] - 1; im2col: lower corners in the low half, upper corners in the high half, of
 *       16, 8 or 5 bits each with 3, 4 or 5 dimensions
 * 0x3C  10 bits, im2col: pixels - 1
 * 0x40  bytes of the box as the driver counts them: box / elementStride rounded down
 * 0x48  alignment of the box in shared memory: 16, 256, 512 or 1024
 * </pre>
 */
public final class Sm90Layout {

    /** Bytes of a tensor map. */
    public static final int BYTES = 128;

    static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The flag of an im2col map. */
    public static final int IM2COL = 1;

    static final int RANK_SHIFT = 4;
    static final int FORMAT_SHIFT = 7;
    static final int INTERLEAVE_SHIFT = 11;
    static final int SWIZZLE_SHIFT = 13;
    static final int NAN_SHIFT = 15;
    static final int TF32_SHIFT = 16;
    static final int L2_SHIFT = 17;

    private static final TensorDataType[] FORMATS = {
        TensorDataType.UINT8, TensorDataType.UINT16, TensorDataType.UINT32, TensorDataType.INT32, TensorDataType.UINT64,
        TensorDataType.INT64, TensorDataType.FLOAT16, TensorDataType.FLOAT32, TensorDataType.FLOAT32_FTZ,
        TensorDataType.FLOAT64, TensorDataType.BFLOAT16};
    static final int LAST_FORMAT = FORMATS.length - 1;

    private Sm90Layout() { }

    /** The word at 0x08 of a tiled map, but for its rank. @param fill whether with NaNs */
    public static int flags(TensorDataType type, int interleave, Swizzle swizzle, int l2, boolean fill) {
        return format(type) << FORMAT_SHIFT | interleave << INTERLEAVE_SHIFT | swizzle.ordinal() << SWIZZLE_SHIFT
                | (fill ? 1 : 0) << NAN_SHIFT | (type.roundsToTf32() ? 1 : 0) << TF32_SHIFT | l2 << L2_SHIFT;
    }

    /**
     * Writes the 128 bytes. Takes the parts rather than a map, so that no call in here is of an interface that maps of
     * several kinds share. Allocates nothing.
     *
     * @param flags the word at 0x08 without the rank; with {@link #IM2COL} for such a map
     * @param inner bits 24 to 31 of the word at 0x34
     * @param boxOrCorners the word at 0x38
     * @param pixels the word at 0x3C
     * @param bytes the word at 0x40
     */
    public static void write(int flags, List<Long> dims, List<Long> strides, List<Integer> steps, Swizzle swizzle,
            long address, long inner, long boxOrCorners, long pixels, long bytes, MemorySegment to) {
        int rank = dims.size();
        long word = flags | (rank - 1) << RANK_SHIFT;
        long s0 = rank > 1 ? strides.get(0) : 0;
        long s1 = rank > 2 ? strides.get(1) : 0;
        long s2 = rank > 3 ? strides.get(2) : 0;
        long s3 = rank > 4 ? strides.get(3) : 0;
        long high = s0 >>> 36 | s1 >>> 36 << 4 | s2 >>> 36 << 8 | s3 >>> 36 << 12;
        long d0 = dims.get(0) - 1;
        long d1 = rank > 1 ? dims.get(1) - 1 : 0;
        long d2 = rank > 2 ? dims.get(2) - 1 : 0;
        long d3 = rank > 3 ? dims.get(3) - 1 : 0;
        long d4 = rank > 4 ? dims.get(4) - 1 : 0;
        long stepBits = inner << 24;
        for (int d = 0; d < rank; d++) {
            stepBits |= (long) (steps.get(d) - 1) << 3 * d;
        }

        to.set(WORD, 0x00, address);
        to.set(WORD, 0x08, word | s0 >>> 4 << 32);
        to.set(WORD, 0x10, (s1 >>> 4 & 0xFFFF_FFFFL) | s2 >>> 4 << 32);
        to.set(WORD, 0x18, (s3 >>> 4 & 0xFFFF_FFFFL) | high << 32);
        to.set(WORD, 0x20, d0 | d1 << 32);
        to.set(WORD, 0x28, d2 | d3 << 32);
        to.set(WORD, 0x30, d4 | stepBits << 32);
        to.set(WORD, 0x38, boxOrCorners | pixels << 32);
        to.set(WORD, 0x40, bytes);
        to.set(WORD, 0x48, swizzle.period());
        to.set(WORD, 0x50, 0);
        to.set(WORD, 0x58, 0);
        to.set(WORD, 0x60, 0);
        to.set(WORD, 0x68, 0);
        to.set(WORD, 0x70, 0);
        to.set(WORD, 0x78, 0);
    }

    /** The hardware's number of a type. */
    static int format(TensorDataType type) {
        return switch (type) {
            case UINT8 -> 0;
            case UINT16 -> 1;
            case UINT32 -> 2;
            case INT32 -> 3;
            case UINT64 -> 4;
            case INT64 -> 5;
            case FLOAT16 -> 6;
            case FLOAT32, TFLOAT32 -> 7;
            case FLOAT32_FTZ, TFLOAT32_FTZ -> 8;
            case FLOAT64 -> 9;
            case BFLOAT16 -> 10;
        };
    }

    /** The type of this number; TFLOAT32 and TFLOAT32_FTZ are FLOAT32 and FLOAT32_FTZ with a bit of their own. */
    static TensorDataType type(int format) {
        return FORMATS[format];
    }

    /** Bits of one corner of an im2col map's bounding box. */
    public static int cornerBits(int rank) {
        return rank == 3 ? 16 : rank == 4 ? 8 : 5;
    }
}
