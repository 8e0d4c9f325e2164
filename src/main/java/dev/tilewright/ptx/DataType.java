package dev.tilewright.ptx;

import dev.tilewright.layout.ElementType;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A fundamental type of PTX, as an instruction's last qualifier (PTX ISA, "Types"): an {@link ElementType} in PTX's
 * spelling, or bits that say nothing of what they mean.
 */
public enum DataType implements Qualifier {
    B8(8), B16(16), B32(32), B64(64),
    U8(ElementType.U8), U16(ElementType.U16), U32(ElementType.U32), U64(ElementType.U64),
    S8(ElementType.I8), S16(ElementType.I16), S32(ElementType.I32), S64(ElementType.I64),
    F16(ElementType.F16), BF16(ElementType.BF16), F32(ElementType.F32), F64(ElementType.F64);

    /** Types of single registers of 32 and 64 bits: the types of scoped loads and stores. */
    public static final Set<DataType> WORDS =
            Collections.unmodifiableSet(EnumSet.of(B32, B64, U32, U64, S32, S64, F32, F64));

    private final int bits;
    private final Optional<ElementType> element;

    DataType(int bits) {
        this.bits = bits;
        this.element = Optional.empty();
    }

    DataType(ElementType element) {
        this.bits = 8 * element.bytes();
        this.element = Optional.of(element);
    }

    /** The type of this element type's values. */
    public static DataType of(ElementType element) {
        Objects.requireNonNull(element, "element");
        return Arrays.stream(values()).filter(t -> t.element.equals(Optional.of(element))).findFirst().orElseThrow();
    }

    /** Width in bits. */
    public int bits() {
        return bits;
    }

    /** Width in bytes. */
    public int bytes() {
        return bits / 8;
    }

    /** The name in PTX: {@code u32}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
