package dev.tilewright.layout;

import java.util.Locale;

/**
 * How a tensor copy scrambles 16-byte chunks in shared memory so that columns fall into different banks.
 *
 * <p>The pattern is a function of the absolute shared-memory byte address: some address bits above 7 are XORed into
 * bits 4 and up. A tile whose base is not a multiple of {@link #period()} therefore sees the pattern shifted. Source:
 * PTX ISA, "Swizzling modes"; formulas and row pitch measured on an H200 (native-tests/recordings).
 */
public enum Swizzle {
    NONE(0, 0, 16),
    B32(32, 0x10, 256),
    B64(64, 0x30, 512),
    B128(128, 0x70, 1024);

    private final int span;
    private final int mask;
    private final int period;

    Swizzle(int span, int mask, int period) {
        this.span = span;
        this.mask = mask;
        this.period = period;
    }

    /** Bytes of the row that chunks are moved within; 0 without a swizzle. A row may not be longer than this. */
    public int span() {
        return span;
    }

    /** The address bits, after a shift right by 3, that are XORed into the address; 0 without a swizzle. */
    public int mask() {
        return mask;
    }

    /** Alignment in bytes at which a tile's base starts the pattern afresh. */
    public int period() {
        return period;
    }

    /** Where the byte that an unswizzled layout puts at {@code address} really lies. Its own inverse. */
    public long apply(long address) {
        return address ^ ((address >>> 3) & mask);
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
     * Reads {@code none}, {@code 32B}, {@code 64B} or {@code 128B}; any case, and the B may be left out. The integers 0
     * to 3 of {@code CUtensorMapSwizzle} (cuda.h) are read too.
     *
     * @throws IllegalArgumentException for anything else
     */
    public static Swizzle parse(String text) {
        return switch (text.trim().toLowerCase(Locale.ROOT)) {
            case "none", "0" -> NONE;
            case "32b", "32", "1" -> B32;
            case "64b", "64", "2" -> B64;
            case "128b", "128", "3" -> B128;
            default -> throw new IllegalArgumentException(
                    "'" + text + "' is not a swizzle: choose none, 32B, 64B or 128B");
        };
    }

    /** The name users write: {@code none}, {@code 32B}, {@code 64B}, {@code 128B}. */
    @Override
    public String toString() {
        return this == NONE ? "none" : span + "B";
    }
}
