package dev.tilewright.io;

import dev.tilewright.layout.ElementType;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.Map;

/**
 * The codes by which NumPy names element types in a file: a byte order, a kind and a size in bytes, such as
 * {@code <f4} (NumPy manual, "The array interface protocol", {@code typestr}).
 *
 * <p>bfloat16 has no code of NumPy's own. The {@code ml_dtypes} package, which adds it to NumPy, saves it as two bytes
 * without a meaning, {@code <V2}; every {@code V2} is taken to be that. {@code |b1} is read as bytes of 0 and 1.
 */
final class NpyDtype {

    static final String SUPPORTED = "|u1, |i1, |b1, <u2, <i2, <u4, <i4, <u8, <i8, <f2, <f4, <f8, and <V2 for bfloat16";

    private static final Map<ElementType, String> CODES = codes();

    private NpyDtype() {}

    /** The code that NumPy itself would write for this type. */
    static String codeOf(ElementType type) {
        return CODES.get(type);
    }

    /**
     * The type that a header's {@code descr} names.
     *
     * @throws IllegalArgumentException if it is not one that is read here; the message is the end of a sentence about
     *     the file
     */
    static ElementType typeOf(PythonLiteral descr) {
        if (!(descr instanceof PythonLiteral.Text text)) {
            boolean structured = descr instanceof PythonLiteral.Sequence || descr instanceof PythonLiteral.Tuple;
            throw new IllegalArgumentException(structured
                    ? "has the structured dtype " + descr + ", and only plain ones are read: save one field of it, with"
                            + " one of " + SUPPORTED
                    : "has the dtype " + descr + ", which is not a code in quotes, and only these are read: "
                            + SUPPORTED);
        }
        if (text.value().equals("bfloat16")) {
            return ElementType.BF16;
        }
        String code = text.value();
        boolean ordered = !code.isEmpty() && "<>=|".indexOf(code.charAt(0)) >= 0;
        char order = ordered ? code.charAt(0) : '=';
        String kindAndSize = ordered ? code.substring(1) : code;
        ElementType type = switch (kindAndSize) {
            case "u1", "b1" -> ElementType.U8;
            case "i1" -> ElementType.I8;
            case "u2" -> ElementType.U16;
            case "i2" -> ElementType.I16;
            case "u4" -> ElementType.U32;
            case "i4" -> ElementType.I32;
            case "u8" -> ElementType.U64;
            case "i8" -> ElementType.I64;
            case "f2" -> ElementType.F16;
            case "V2" -> ElementType.BF16;
            case "f4" -> ElementType.F32;
            case "f8" -> ElementType.F64;
            default -> throw new IllegalArgumentException("has the " + kindName(kindAndSize) + "dtype " + descr
                    + ", and only these are read: " + SUPPORTED);
        };
        if (type.bytes() > 1 && isBigEndian(order)) {
            throw new IllegalArgumentException("has the big-endian dtype " + descr
                    + ", and only little-endian data are read: convert it with .astype('<" + kindAndSize + "')");
        }
        return type;
    }

    private static boolean isBigEndian(char order) {
        return order == '>' || order != '<' && ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
    }

    /** What is known about a code that is not read, as an adjective and a space. */
    private static String kindName(String kindAndSize) {
        return switch (kindAndSize.isEmpty() ? ' ' : kindAndSize.charAt(0)) {
            case 'c' -> "complex ";
            case 'O' -> "Python-object ";
            case 'U', 'S', 'a', 'T' -> "text ";
            case 'M', 'm' -> "date or time ";
            case 'V' -> "void ";
            case 'f' -> "floating-point ";
            default -> "";
        };
    }

    private static Map<ElementType, String> codes() {
        Map<ElementType, String> codes = new EnumMap<>(ElementType.class);
        for (ElementType type : ElementType.values()) {
            String kind = type == ElementType.BF16 ? "V" : type.isFloat() ? "f" : type.isSigned() ? "i" : "u";
            codes.put(type, (type.bytes() == 1 ? "|" : "<") + kind + type.bytes());
        }
        return codes;
    }
}
