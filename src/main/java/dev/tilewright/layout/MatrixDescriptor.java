package dev.tilewright.layout;

import dev.tilewright.Counted;
import java.util.Objects;

/**
 * The 64-bit matrix descriptor: where {@code wgmma.mma_async} finds an operand in shared memory. Sources: PTX ISA,
 * "Asynchronous warpgroup level matrix shared memory layout"; which byte each field leads to was measured on an H200
 * (native-tests/recordings/wgmma-operand.jsonl.gz).
 *
 * <p>Let {@code mn} be the row of A or the column of B and {@code k} the other index, {@code e} an element's size, all
 * in bytes, and divisions round down. Before swizzling an element lies at {@code start +}
 * <pre>
 * K, no swizzle    (mn / 8) * stride + (mn mod 8) * 16 + (k e / 16) * leading + (k e mod 16)
 * K, swizzled      (mn / 8) * stride + (mn mod 8) * span + k e
 * MN, no swizzle   (mn e / 16) * stride + (mn e mod 16) + (k / 8) * leading + (k mod 8) * 16
 * MN, swizzled     (mn e / span) * leading + (mn e mod span) + (k / 8) * stride + (k mod 8) * span
 * </pre>
 * The swizzle is applied to the shared address less {@code baseOffset * 128}. A start may therefore advance within a
 * span, by the 32 bytes of one instruction's k, without anything else changing; the base offset is for tiles whose
 * pattern does not start at a multiple of {@link Swizzle#period()}. {@link MatrixTile} computes the fields for a tile
 * as copies lay it.
 *
 * @param start shared address of the first element, bytes: a multiple of 16 below 262,144
 * @param leadingByteOffset a multiple of 16 below 262,144
 * @param strideByteOffset a multiple of 16 below 262,144
 * @param baseOffset 0 to 7: the number of the 128-byte line, of eight, that the pattern starts at
 * @param swizzle none, 32B, 64B or 128B
 */
public record MatrixDescriptor(int start, int leadingByteOffset, int strideByteOffset, int baseOffset,
        Swizzle swizzle) {
    /** Addresses and offsets are below this, in bytes. */
    public static final int LIMIT = 1 << 18;

    private static final int UNIT_SHIFT = 4;
    private static final int FIELD = 0x3FFF;
    private static final int LEADING_AT = 16;
    private static final int STRIDE_AT = 32;
    private static final int BASE_AT = 49;
    private static final int SWIZZLE_AT = 62;
    private static final long USED = FIELD | (long) FIELD << LEADING_AT | (long) FIELD << STRIDE_AT | 7L << BASE_AT
            | 3L << SWIZZLE_AT;

    /** @throws IllegalArgumentException for a field out of its range, with the field, the rule and the value */
    public MatrixDescriptor {
        Objects.requireNonNull(swizzle, "swizzle");
        requireField("start", start);
        requireField("leadingByteOffset", leadingByteOffset);
        requireField("strideByteOffset", strideByteOffset);
        if (baseOffset < 0 || baseOffset > 7) {
            throw new IllegalArgumentException("a matrix descriptor's baseOffset must be in [0, 7], got " + baseOffset);
        }
        requireReadable(swizzle);
    }

    static void requireReadable(Swizzle swizzle) {
        if (swizzle.usesLargeAtoms()) {
            throw new IllegalArgumentException("a matrix descriptor has no swizzle " + swizzle
                    + ": choose none, 32B, 64B or 128B, for the copy too");
        }
    }

    private static void requireField(String name, int value) {
        if (value < 0 || value >= LIMIT || value % 16 != 0) {
            throw new IllegalArgumentException("a matrix descriptor's " + name + " must be a multiple of 16 in [0, "
                    + LIMIT + "), which it holds in 14 bits; got " + value);
        }
    }

    /**
     * The 64 bits: start, leading and stride in units of 16 bytes from bits 0, 16 and 32, base offset from bit 49,
     * swizzle from bit 62. Of a descriptor with start 0, {@code encode() + (address >> 4)} is that of an operand at
     * {@code address}.
     */
    public long encode() {
        return start >> UNIT_SHIFT | (long) leadingByteOffset >> UNIT_SHIFT << LEADING_AT
                | (long) strideByteOffset >> UNIT_SHIFT << STRIDE_AT | (long) baseOffset << BASE_AT
                | (long) code(swizzle) << SWIZZLE_AT;
    }

    private static int code(Swizzle swizzle) {
        return switch (swizzle) {
            case NONE -> 0;
            case B128 -> 1;
            case B64 -> 2;
            default -> 3;
        };
    }

    /**
     * Takes 64 bits apart.
     *
     * @throws IllegalArgumentException if a bit outside of the fields is set
     */
    public static MatrixDescriptor decode(long bits) {
        if ((bits & ~USED) != 0) {
            throw new IllegalArgumentException(("0x%016x is no matrix descriptor: bits 14 to 15, 30 to 31, 46 to 48 "
                    + "and 52 to 61 must be zero, and of them 0x%x are set").formatted(bits, bits & ~USED));
        }
        Swizzle swizzle = switch ((int) (bits >>> SWIZZLE_AT)) {
            case 0 -> Swizzle.NONE;
            case 1 -> Swizzle.B128;
            case 2 -> Swizzle.B64;
            default -> Swizzle.B32;
        };
        return new MatrixDescriptor(field(bits, 0), field(bits, LEADING_AT), field(bits, STRIDE_AT),
                (int) (bits >>> BASE_AT) & 7, swizzle);
    }

    private static int field(long bits, int at) {
        return ((int) (bits >>> at) & FIELD) << UNIT_SHIFT;
    }

    /**
     * The shared address of an element, bytes.
     *
     * @param mn the row of A or the column of B, from 0
     * @param k the other index, from 0
     * @param elementBytes 1, 2 or 4
     * @throws IllegalArgumentException for a negative index, another size, MN-major elements that are not of 2 bytes,
     *     or an element that lies beyond 2^31 bytes
     */
    public int addressOf(int mn, int k, int elementBytes, MatrixMajor major) {
        Objects.requireNonNull(major, "major");
        if (mn < 0 || k < 0) {
            throw new IllegalArgumentException("an element's indices must not be negative, got mn " + mn + ", k " + k);
        }
        requireMajor(elementBytes, major);
        long from = start + (major == MatrixMajor.K ? ofK(mn, (long) k * elementBytes)
                : ofMn((long) mn * elementBytes, k));
        if (from > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("the element at mn " + mn + ", k " + k + " would lie at byte " + from
                    + ", and shared memory has less than 2^31: take smaller indices");
        }
        int plain = (int) from;
        return plain ^ swizzle.pattern(plain - (baseOffset << 7));
    }

    static void requireMajor(int elementBytes, MatrixMajor major) {
        if (elementBytes != 1 && elementBytes != 2 && elementBytes != 4) {
            throw new IllegalArgumentException("wgmma reads elements of 1, 2 or 4 bytes, got " + elementBytes);
        }
        if (major == MatrixMajor.MN && elementBytes != 2) {
            throw new IllegalArgumentException("wgmma reads MN-major (transposed) operands of 16-bit types only, got "
                    + "elements of " + Counted.of(elementBytes, "byte") + ": lay them K-major, transposing on the way");
        }
    }

    private long ofK(long mn, long kBytes) {
        long groups = mn / 8 * strideByteOffset;
        return swizzle == Swizzle.NONE ? groups + mn % 8 * 16 + kBytes / 16 * leadingByteOffset + kBytes % 16
                : groups + mn % 8 * swizzle.span() + kBytes;
    }

    private long ofMn(long mnBytes, long k) {
        if (swizzle == Swizzle.NONE) {
            return mnBytes / 16 * strideByteOffset + mnBytes % 16 + k / 8 * leadingByteOffset + k % 8 * 16;
        }
        int span = swizzle.span();
        return mnBytes / span * leadingByteOffset + mnBytes % span + k / 8 * strideByteOffset + k % 8 * span;
    }

    /** The fields in words, a line each, and where the elements of an operand of this kind lie. */
    public String explain(MatrixMajor major) {
        Objects.requireNonNull(major, "major");
        boolean plain = swizzle == Swizzle.NONE;
        String other = major == MatrixMajor.K ? "rows (of A) or columns (of B)" : "k";
        int unit = plain ? 16 : swizzle.span();
        String groups = "8 " + other + " of " + unit + " bytes each, one after the other: " + 8 * unit + " bytes";
        String stride = major == MatrixMajor.K ? "from 8 rows or columns to the next 8"
                : plain ? "from 16 bytes of rows or columns to the next 16" : "from 8 k to the next 8";
        String leading = major == MatrixMajor.K ? plain ? "from 16 bytes of k to the next 16"
                : "not looked at: k goes on within the span"
                : plain ? "from 8 k to the next 8" : "from " + unit + " bytes of rows or columns to the next " + unit;
        return """
                matrix descriptor 0x%016x, %s-major (transpose %d)
                  start                %6d  shared address of the first element
                  swizzle              %6s  %s
                  unit                         %s
                  stride byte offset   %6d  %s
                  leading byte offset  %6d  %s
                  base offset          %6d  %s
                """.formatted(encode(), major, major.transpose(), start, swizzle,
                plain ? "16-byte chunks lie where the offsets say"
                        : "16-byte chunks change places within " + unit + " bytes, by the address' bits from 7 up",
                groups, strideByteOffset, stride, leadingByteOffset, leading, baseOffset,
                plain ? "no effect without a swizzle" : "the pattern starts at line " + baseOffset
                        + " of 8 (a line is 128 bytes)");
    }
}
