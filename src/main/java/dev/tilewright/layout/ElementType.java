package dev.tilewright.layout;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The type of a tensor's elements: the width in bytes and how the bits are read. Every type here is little-endian, as
 * CUDA devices are.
 *
 * <p>These are types of data. The tensor map's own list, {@link TensorDataType}, is about how the tensor
 * memory accelerator moves and reduces data, and differs: it has no signed bytes, and four spellings of {@link #F32}.
 */
public enum ElementType {
    /** Unsigned 8-bit integer. */
    U8(1, Kind.UNSIGNED, "uint8"),
    /** Signed 8-bit integer. */
    I8(1, Kind.SIGNED, "int8"),
    /** Unsigned 16-bit integer. */
    U16(2, Kind.UNSIGNED, "uint16"),
    /** Signed 16-bit integer. */
    I16(2, Kind.SIGNED, "int16"),
    /** Unsigned 32-bit integer. */
    U32(4, Kind.UNSIGNED, "uint32"),
    /** Signed 32-bit integer. */
    I32(4, Kind.SIGNED, "int32"),
    /** Unsigned 64-bit integer. */
    U64(8, Kind.UNSIGNED, "uint64"),
    /** Signed 64-bit integer. */
    I64(8, Kind.SIGNED, "int64"),
    /** IEEE 754 binary16: 5 exponent bits, 10 fraction bits. */
    F16(2, Kind.FLOAT, "float16", "half"),
    /** bfloat16, the upper half of a binary32: 8 exponent bits, 7 fraction bits. */
    BF16(2, Kind.FLOAT, "bfloat16"),
    /** IEEE 754 binary32. */
    F32(4, Kind.FLOAT, "float32", "float"),
    /** IEEE 754 binary64. */
    F64(8, Kind.FLOAT, "float64", "double");

    private enum Kind { UNSIGNED, SIGNED, FLOAT }

    private static final Map<String, ElementType> BY_NAME = byName();

    private final int bytes;
    private final Kind kind;
    private final String[] aliases;
    private final String shortName;

    ElementType(int bytes, Kind kind, String... aliases) {
        this.bytes = bytes;
        this.kind = kind;
        this.aliases = aliases;
        this.shortName = name().toLowerCase(Locale.ROOT);
    }

    /** The size of one element, in bytes: 1, 2, 4 or 8. */
    public int bytes() {
        return bytes;
    }

    /** Whether the element is a floating-point number. */
    public boolean isFloat() {
        return kind == Kind.FLOAT;
    }

    /** Whether the element can be negative: signed integers and all floating-point types. */
    public boolean isSigned() {
        return kind != Kind.UNSIGNED;
    }

    /** The name that the command line takes and prints: {@code u8}, {@code bf16}, {@code f32} and so on. */
    @Override
    public String toString() {
        return shortName;
    }

    /**
     * The type of this name, in any case: the short name ({@code f32}), or the long one that NumPy and CUDA use
     * ({@code float32}, {@code uint8}, {@code bfloat16}, and {@code half}, {@code float}, {@code double}).
     *
     * @throws IllegalArgumentException if no type has this name; the message lists those there are
     */
    public static ElementType parse(String name) {
        Objects.requireNonNull(name, "name");
        ElementType type = BY_NAME.get(name.toLowerCase(Locale.ROOT));
        if (type == null) {
            throw new IllegalArgumentException("unknown element type '" + name + "': expected one of "
                    + Arrays.stream(values()).map(ElementType::nameAndAliases).collect(Collectors.joining(", ")));
        }
        return type;
    }

    private String nameAndAliases() {
        return shortName + " (" + String.join(", ", aliases) + ")";
    }

    private static Map<String, ElementType> byName() {
        Map<String, ElementType> map = new HashMap<>();
        for (ElementType type : values()) {
            map.put(type.shortName, type);
            for (String alias : type.aliases) {
                map.put(alias, type);
            }
        }
        return Map.copyOf(map);
    }
}
