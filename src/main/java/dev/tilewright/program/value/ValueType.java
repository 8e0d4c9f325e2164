package dev.tilewright.program.value;

import dev.tilewright.layout.ElementType;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * The type of a value in a thread's registers. In the CPU's words a value is a {@code long}: of a signed integer
 * sign-extended, of everything else its bits, zero-extended; of a predicate 0 or 1.
 */
public enum ValueType {
    /** A truth value. */
    PRED(1, Kind.PREDICATE),
    U8(8, Kind.UNSIGNED),
    I8(8, Kind.SIGNED),
    U16(16, Kind.UNSIGNED),
    I16(16, Kind.SIGNED),
    U32(32, Kind.UNSIGNED),
    I32(32, Kind.SIGNED),
    U64(64, Kind.UNSIGNED),
    I64(64, Kind.SIGNED),
    /**
     * 8 bits: 4 of exponent, 3 of fraction, no infinity, one NaN of each sign (0x7F, 0xFF). For storage and conversion.
     */
    E4M3(8, Kind.FLOAT),
    /** 8 bits: 5 of exponent, 2 of fraction, as IEEE 754 would have it. For storage and conversion. */
    E5M2(8, Kind.FLOAT),
    /** IEEE 754 binary16. */
    F16(16, Kind.FLOAT),
    /** The upper half of a binary32. */
    BF16(16, Kind.FLOAT),
    /** A binary32 of which only 10 fraction bits count: what tensor cores multiply. For conversion. */
    TF32(32, Kind.FLOAT),
    /** IEEE 754 binary32. */
    F32(32, Kind.FLOAT),
    /** IEEE 754 binary64. */
    F64(64, Kind.FLOAT);

    private enum Kind { PREDICATE, UNSIGNED, SIGNED, FLOAT }

    private final int bits;
    private final Kind kind;

    ValueType(int bits, Kind kind) {
        this.bits = bits;
        this.kind = kind;
    }

    /** The type of a value that is loaded from elements of this type. */
    public static ValueType of(ElementType element) {
        Objects.requireNonNull(element, "element");
        return valueOf(element.name());
    }

    /** The element type of the same name, where there is one. */
    public Optional<ElementType> element() {
        return switch (this) {
            case PRED, E4M3, E5M2, TF32 -> Optional.empty();
            default -> Optional.of(ElementType.valueOf(name()));
        };
    }

    /** Width in bits: 1, 8, 16, 32 or 64. */
    public int bits() {
        return bits;
    }

    /**
     * Width in memory, in bytes.
     *
     * @throws IllegalArgumentException of {@link #PRED}, which has none
     */
    public int bytes() {
        if (this == PRED) {
            throw new IllegalArgumentException("a predicate does not lie in memory: select a number by it");
        }
        return bits / 8;
    }

    /** Whether it is a floating-point type, with or without arithmetic. */
    public boolean isFloat() {
        return kind == Kind.FLOAT;
    }

    /** Whether it is an integer type, signed or unsigned. */
    public boolean isInteger() {
        return kind == Kind.SIGNED || kind == Kind.UNSIGNED;
    }

    /** Whether its values can be negative. */
    public boolean isSigned() {
        return kind == Kind.SIGNED || kind == Kind.FLOAT;
    }

    /** Whether there is arithmetic in the type: not in fp8 and tf32, which are converted from and to. */
    public boolean isArithmetic() {
        return this != PRED && this != E4M3 && this != E5M2 && this != TF32;
    }

    /** The word that stands for these bits: sign-extended for a signed integer, else zero-extended. */
    public long word(long bits) {
        if (this.bits == Long.SIZE) {
            return bits;
        }
        int unused = Long.SIZE - this.bits;
        return kind == Kind.SIGNED ? bits << unused >> unused : bits << unused >>> unused;
    }

    /** The short name: {@code bf16}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
