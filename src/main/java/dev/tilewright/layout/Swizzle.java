package dev.tilewright.layout;

import java.util.Locale;
import java.util.Objects;

/**
 * How a tensor copy scrambles chunks of shared memory so that columns fall into different banks.
 *
 * <p>The pattern is a function of the absolute shared-memory byte address: some address bits above 6, the number of the
 * 128-byte line, are XORed into lower ones. A tile whose base is not a multiple of {@link #period()} therefore sees the
 * pattern shifted. Source: PTX ISA, "Swizzling modes"; formulas and row pitch of the first four measured on an H200
 * (native-tests/recordings). The {@code ATOM} modes need compute capability 10.0: they follow the documents and were
 * not seen on hardware; of {@link #B128_ATOM_32B_FLIP_8B} no document gives a formula, only that the halves of 16 bytes
 * change places in every other line.
 */
public enum Swizzle {
    NONE("none", 0, 0, 0, 0),
    B32("32B", 32, 1, 4, 0),
    B64("64B", 64, 3, 4, 0),
    B128("128B", 128, 7, 4, 0),
    /** Moves 32 bytes at a time, within 128. By the documents, not seen on hardware. */
    B128_ATOM_32B("128B_ATOM_32B", 128, 3, 5, 0),
    /**
     * Moves 32 bytes at a time, within 128, and swaps the halves of 16 bytes in odd lines. By the documents, not seen
     * on hardware.
     */
    B128_ATOM_32B_FLIP_8B("128B_ATOM_32B_FLIP_8B", 128, 3, 5, 8),
    /** Moves 64 bytes at a time, within 128. By the documents, not seen on hardware. */
    B128_ATOM_64B("128B_ATOM_64B", 128, 1, 6, 0);

    private static final int LINE_SHIFT = 7;

    private final String text;
    private final int span;
    private final int lines;
    private final int shift;
    private final int flip;

    Swizzle(String text, int span, int lines, int shift, int flip) {
        this.text = text;
        this.span = span;
        this.lines = lines;
        this.shift = shift;
        this.flip = flip;
    }

    /** Bytes of the row that chunks are moved within; 0 without a swizzle. A row may not be longer than this. */
    public int span() {
        return span;
    }

    /**
     * The address bits, after a shift right by 3, that are XORed into the address; 0 without a swizzle.
     *
     * @throws UnsupportedOperationException for the modes of other atoms than 16 bytes, which shift otherwise
     */
    public int mask() {
        if (usesLargeAtoms()) {
            throw new UnsupportedOperationException("swizzle " + this
                    + " is no mask of the address shifted by 3: use apply");
        }
        return lines << shift;
    }

    /** Whether the mode moves more than 16 bytes at a time, which needs compute capability 10.0. */
    public boolean usesLargeAtoms() {
        return shift > 4;
    }

    /** Alignment in bytes at which a tile's base starts the pattern afresh. */
    public int period() {
        return span == 0 ? 16 : lines + 1 << LINE_SHIFT;
    }

    /** The swizzled address of the byte that an unswizzled layout puts at {@code address}. Its own inverse. */
    public long apply(long address) {
        return address ^ pattern(address);
    }

    /** The pattern that is XORed into every address of the 128-byte line of this address. */
    public int pattern(long address) {
        int line = (int) (address >>> LINE_SHIFT);
        return (line & lines) << shift ^ (line & 1) * flip;
    }

    /**
     * Bytes between the starts of two rows in shared memory. With a swizzle it is the span even where the row is
     * shorter; the gap is left untouched by loads.
     */
    public int rowPitch(int rowBytes) {
        return span == 0 ? rowBytes : span;
    }

    /** The value of {@code CUtensorMapSwizzle} in cuda.h. */
    public int cudaValue() {
        return ordinal();
    }

    /**
     * Reads {@code none}, {@code 32B}, {@code 64B} or {@code 128B}, the modes of every GPU with tensor maps; in any
     * case, and the B may be left out. The integers 0 to 3 of {@code CUtensorMapSwizzle} (cuda.h) are read too.
     *
     * @throws IllegalArgumentException for anything else
     */
    public static Swizzle parse(String text) {
        Objects.requireNonNull(text, "text");
        return switch (text.trim().toLowerCase(Locale.ROOT)) {
            case "none", "0" -> NONE;
            case "32b", "32", "1" -> B32;
            case "64b", "64", "2" -> B64;
            case "128b", "128", "3" -> B128;
            default -> throw new IllegalArgumentException(
                    "'" + text + "' is not a swizzle: choose none, 32B, 64B or 128B");
        };
    }

    /** The name users write: {@code none}, {@code 32B}, {@code 64B}, {@code 128B}; that of cuda.h for the others. */
    @Override
    public String toString() {
        return text;
    }
}
