package dev.tilewright.io;

import dev.tilewright.layout.ElementType;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The header of a {@code .npy} file: a Python dictionary with exactly the keys {@code descr}, {@code fortran_order} and
 * {@code shape} ({@code numpy.lib.format}, "Format Version 1.0").
 *
 * @param type what {@code descr} names
 * @param shape dimensions, outermost first, checked
 * @param size the bytes of data that type and shape make
 */
record NpyHeader(ElementType type, List<Long> shape, long size) {

    /** The first six bytes of every {@code .npy} file: 0x93 and {@code NUMPY}. */
    static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};

    /** NumPy starts the data at a multiple of this many bytes ({@code numpy.lib.format.ARRAY_ALIGN}). */
    static final int ALIGNMENT = 64;

    /** NumPy leaves room for the first dimension to grow to this number of digits ({@code GROWTH_AXIS_MAX_DIGITS}). */
    private static final int GROWTH_DIGITS = 21;

    private static final Set<String> KEYS = Set.of("descr", "fortran_order", "shape");

    /**
     * Reads the dictionary.
     *
     * @throws IllegalArgumentException if it is not one, or describes an array that is not read here; the message is
     *     the end of a sentence about the file
     */
    static NpyHeader parse(String text) {
        PythonLiteral literal;
        try {
            literal = PythonLiteralParser.parse(text);
        } catch (ParseException e) {
            throw new IllegalArgumentException("has a header that is not a Python dictionary: " + e.getMessage()
                    + ", at character " + e.getErrorOffset() + " of it", e);
        }
        if (!(literal instanceof PythonLiteral.Dict(Map<String, PythonLiteral> entries))) {
            throw new IllegalArgumentException("has a header that is not a Python dictionary: it is " + literal);
        }
        if (!entries.keySet().equals(KEYS)) {
            throw new IllegalArgumentException("has a header with other keys than 'descr', 'fortran_order' and"
                    + " 'shape': " + literal);
        }
        ElementType type = NpyDtype.typeOf(entries.get("descr"));
        List<Long> shape = shape(entries.get("shape"));
        long size;
        try {
            size = Npy.sizeInBytes(type, shape);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("has a header that cannot be: " + e.getMessage(), e);
        }
        if (fortranOrder(entries.get("fortran_order")) && orderMatters(shape)) {
            throw new IllegalArgumentException("has shape " + Npy.shapeText(shape) + " in Fortran (column-major) order,"
                    + " and only C (row-major) order is read: convert it with numpy.ascontiguousarray");
        }
        return new NpyHeader(type, shape, size);
    }

    private static boolean fortranOrder(PythonLiteral value) {
        if (!(value instanceof PythonLiteral.Bool(boolean fortran))) {
            throw new IllegalArgumentException("has a header whose fortran_order is neither True nor False: " + value);
        }
        return fortran;
    }

    /** Whether row-major and column-major order differ: not with one dimension above 1, nor without any element. */
    private static boolean orderMatters(List<Long> shape) {
        return !shape.contains(0L) && shape.stream().filter(dimension -> dimension > 1).count() > 1;
    }

    private static List<Long> shape(PythonLiteral value) {
        if (!(value instanceof PythonLiteral.Tuple(List<PythonLiteral> items))) {
            throw new IllegalArgumentException("has a header whose shape is not a tuple such as (3,) but " + value);
        }
        List<Long> shape = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            if (!(items.get(i) instanceof PythonLiteral.Int(BigInteger dimension))) {
                throw new IllegalArgumentException(
                        "has a header whose shape[" + i + "] is not an integer but " + items.get(i));
            }
            if (dimension.bitLength() >= Long.SIZE) {
                throw new IllegalArgumentException("has a header whose shape[" + i
                        + "] does not fit into 64 bits: " + items.get(i));
            }
            shape.add(dimension.longValue());
        }
        return List.copyOf(shape);
    }

    /**
     * Everything before the data, to the byte as NumPy writes it: magic, version, length, and the dictionary, padded
     * with spaces so that the data start at a multiple of {@value #ALIGNMENT}. Version 1.0, as no header that is
     * written here needs more (64 dimensions of 19 digits are 1,344 characters of the 65,535 that it can hold).
     */
    static byte[] encode(ElementType type, List<Long> shape) {
        String dict = "{'descr': '" + NpyDtype.codeOf(type) + "', 'fortran_order': False, 'shape': "
                + Npy.shapeText(shape) + ", }";
        if (!shape.isEmpty()) {
            dict += " ".repeat(GROWTH_DIGITS - shape.get(0).toString().length());
        }
        int prefix = MAGIC.length + 4;
        int total = ((prefix + dict.length() + 1) / ALIGNMENT + 1) * ALIGNMENT;
        String padded = dict + " ".repeat(total - prefix - dict.length() - 1) + "\n";
        return ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN)
                .put(MAGIC).put((byte) 1).put((byte) 0)
                .putShort((short) padded.length())
                .put(padded.getBytes(StandardCharsets.ISO_8859_1))
                .array();
    }
}
