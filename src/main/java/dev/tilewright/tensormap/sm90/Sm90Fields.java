package dev.tilewright.tensormap.sm90;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Reads the fields of the 128 bytes, by {@link Sm90Layout}. Any bytes can be asked; what a field of theirs would mean
 * is known only where {@link #complaint} has nothing to say.
 *
 * @param bytes the 128 bytes, from the segment's first byte on
 */
public record Sm90Fields(MemorySegment bytes) {

    /** Why these cannot be the bytes of a tensor map of sm_90; empty if they can. */
    public String complaint() {
        if (rank() > 5 || isIm2col() && rank() < 3) {
            return "rank " + rank() + " in bits 4-6 of the word at 0x08; " + (isIm2col() ? "im2col maps have 3 to 5"
                    : "there are 1 to 5");
        }
        if (format() > Sm90Layout.LAST_FORMAT) {
            return "format " + format() + " in bits 7-10 of the word at 0x08; sm_90 has 0 to " + Sm90Layout.LAST_FORMAT;
        }
        return interleave() > 2 ? "interleave 3 in bits 11-12 of the word at 0x08; there are 0 to 2" : "";
    }

    public long address() {
        return bytes.get(Sm90Layout.WORD, 0);
    }

    /** Sets the address in place. */
    public void address(long address) {
        bytes.set(Sm90Layout.WORD, 0, address);
    }

    public boolean isIm2col() {
        return (flags() & Sm90Layout.IM2COL) != 0;
    }

    public int rank() {
        return 1 + bits(Sm90Layout.RANK_SHIFT, 3);
    }

    /** The number of the type, {@link #complaint}s aside. */
    int format() {
        return bits(Sm90Layout.FORMAT_SHIFT, 4);
    }

    /** Whether loads round to TF32; a map that {@code tensormap.replace} has changed can say so with any type. */
    public boolean roundsToTf32() {
        return bits(Sm90Layout.TF32_SHIFT, 1) != 0;
    }

    public TensorDataType type() {
        TensorDataType type = Sm90Layout.type(format());
        return !roundsToTf32() ? type : type == TensorDataType.FLOAT32 ? TensorDataType.TFLOAT32
                : type == TensorDataType.FLOAT32_FTZ ? TensorDataType.TFLOAT32_FTZ : type;
    }

    /** {@code CUtensorMapInterleave}. */
    public int interleave() {
        return bits(Sm90Layout.INTERLEAVE_SHIFT, 2);
    }

    public Swizzle swizzle() {
        return Swizzle.values()[bits(Sm90Layout.SWIZZLE_SHIFT, 2)];
    }

    /** {@code CUtensorMapL2promotion}. */
    public int l2Promotion() {
        return bits(Sm90Layout.L2_SHIFT, 2);
    }

    /** {@code CUtensorMapFloatOOBfill}. */
    public int fill() {
        return bits(Sm90Layout.NAN_SHIFT, 1);
    }

    /** Elements along each dimension. */
    public List<Long> dims() {
        return IntStream.range(0, rank()).mapToObj(d -> 1 + Integer.toUnsignedLong(word(0x20 + 4 * d))).toList();
    }

    /** Bytes between neighbours along dimensions 1 and up. */
    public List<Long> strides() {
        return IntStream.range(0, rank() - 1).mapToObj(i -> {
            long high = word(0x1C) >>> 4 * i & 15;
            return (Integer.toUnsignedLong(word(0x0C + 4 * i)) | high << 32) << 4;
        }).toList();
    }

    public List<Integer> elementStrides() {
        return IntStream.range(0, rank()).mapToObj(d -> 1 + (word(0x34) >>> 3 * d & 7)).toList();
    }

    /** Elements of a tiled map's box along each dimension. */
    public List<Integer> box() {
        return IntStream.range(0, rank()).mapToObj(d -> d == 0 ? inner() : 1 + (word(0x38) >>> 8 * (d - 1) & 0xFF))
                .toList();
    }

    /** Where an im2col map's bounding box starts along each spatial dimension. */
    public List<Integer> lower() {
        return corners(0);
    }

    /** Where it ends, from the last element on. */
    public List<Integer> upper() {
        return corners(16);
    }

    private List<Integer> corners(int shift) {
        int width = Sm90Layout.cornerBits(rank());
        return IntStream.range(0, rank() - 2)
                .mapToObj(s -> word(0x38) >>> shift + width * s << 32 - width >> 32 - width).toList();
    }

    /** Elements of one row: the innermost box extent, or an im2col map's channels. */
    public int inner() {
        return 1 + (word(0x34) >>> 24);
    }

    /** Pixels of an im2col map. */
    public int pixels() {
        return 1 + (word(0x3C) & 0x3FF);
    }

    /** The 32 bits at an offset, a multiple of 4. */
    public int word(int offset) {
        return (int) (bytes.get(Sm90Layout.WORD, offset & ~7) >>> 8 * (offset & 4));
    }

    private int flags() {
        return word(0x08);
    }

    private int bits(int shift, int count) {
        return flags() >>> shift & (1 << count) - 1;
    }
}
