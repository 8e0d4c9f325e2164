package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.MatrixDescriptor;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaType;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaInteger;
import dev.tilewright.reference.tensor.TensorCore;
import dev.tilewright.reference.tensor.TensorProduct;
import dev.tilewright.verify.Replay.ReplayMode;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Does again what a recording says a tensor-core instruction did. Rows of kind {@code mma} and {@code wgmma} hold the
 * matrices, row-major, elements as big-endian hex of their width; {@code types} names the operands' type, or A's and
 * B's, and the result's; {@code satfinite} 1 means that integers are clamped, and a {@code scaleA} or {@code scaleB} of
 * -1 that wgmma negates an operand. Rows of kind {@code wgmma-operand} hold, for a matrix descriptor, the 2-byte cell
 * of shared memory that each element of an operand came from; these are looked up, in a program or without one.
 */
final class TensorCoreReplay {
    private static final Pattern SHAPE = Pattern.compile("m(\\d{1,3})n(\\d{1,3})k(\\d{1,3})");
    private static final Swizzle[] SWIZZLES = {Swizzle.NONE, Swizzle.B128, Swizzle.B64, Swizzle.B32};
    private static final int CELL_BYTES = 2;
    private static final int MOST = 256;

    private TensorCoreReplay() {
    }

    /** What the row is counted as, such as {@code mma bf16.f32}. */
    static String kind(RecordingsRow row) {
        return (row.kind() + " " + row.fields().path("types").asText()).strip();
    }

    /**
     * What differs, or nothing.
     *
     * @throws BadRequestException if the row is no such instruction
     */
    static Optional<String> disagreement(RecordingsRow row, ReplayMode mode) {
        return row.kind().equals("wgmma-operand") ? operand(row) : product(row, mode);
    }

    private static Optional<String> product(RecordingsRow row, ReplayMode mode) {
        Matcher shape = SHAPE.matcher(row.text("shape"));
        if (!shape.matches()) {
            throw new BadRequestException(row.place() + ": \"shape\" must be such as m16n8k16, got "
                    + row.text("shape"));
        }
        int m = Integer.parseInt(shape.group(1));
        int n = Integer.parseInt(shape.group(2));
        int k = Integer.parseInt(shape.group(3));
        String[] types = row.text("types").split("\\.");
        if (types.length != 2 && types.length != 3) {
            throw new BadRequestException(row.place() + ": \"types\" must be such as bf16.f32, got "
                    + row.text("types"));
        }
        ValueType aType = type(row, types[0]);
        ValueType bType = type(row, types[types.length - 2]);
        ValueType result = type(row, types[types.length - 1]);
        boolean clamps = row.fields().has("satfinite") && row.number("satfinite", 1) == 1;
        long[] a = elements(row, "a", aType, m * k);
        long[] b = transposed(elements(row, "b", bType, k * n), k, n);
        long[] cd = elements(row, "c", result, m * n);
        long[] expected = elements(row, "d", result, m * n);
        if (mode == ReplayMode.PROGRAM) {
            long[] bits = ProductPrograms.run(form(row, aType, bType, result, clamps, new int[] {m, n, k}), a, b, cd);
            Arrays.setAll(cd, i -> result.word(bits[i]));
        } else {
            direct(row, aType, bType, result, clamps).multiplyAdd(scaled(row, "scaleA", a, aType),
                    scaled(row, "scaleB", b, bType), cd, m, n, k);
        }
        for (int i = 0; i < cd.length; i++) {
            if (cd[i] != expected[i]) {
                return Optional.of("byte " + firstByte(cd[i] ^ expected[i], i, result.bytes()) + ": row " + i / n
                        + ", column " + i % n + " of the result is " + hex(cd[i], result) + ", the recording says "
                        + hex(expected[i], result));
            }
        }
        return Optional.empty();
    }

    private static TensorProduct direct(RecordingsRow row, ValueType a, ValueType b, ValueType result, boolean clamps) {
        try {
            return row.kind().equals("mma") ? TensorProduct.mma(a, b, result, clamps, TensorCore.HOPPER)
                    : TensorProduct.wgmma(a, b, result, clamps);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(row.place() + ": " + e.getMessage(), e);
        }
    }

    private static MmaInstruction form(RecordingsRow row, ValueType a, ValueType b, ValueType result, boolean clamps,
            int[] sizes) {
        MmaTypes types = Arrays.stream(MmaTypes.values()).filter(t -> is(t.a(), a) && is(t.b(), b) && is(t.d(), result))
                .findFirst().orElseThrow(() -> new BadRequestException(row.place()
                        + ": tensor cores do not multiply " + a
                        + " with " + b + " and add in " + result));
        try {
            if (row.kind().equals("mma")) {
                return new MmaSync(MmaShape.valueOf(row.text("shape").toUpperCase(Locale.ROOT)), types, clamps);
            }
            return types.isInteger() ? new WgmmaInteger(types, sizes[1], true, clamps)
                    : new WgmmaFloat(types, sizes[1], true, scale(row, "scaleA") < 0, scale(row, "scaleB") < 0, false,
                    false);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(row.place() + ": " + e.getMessage(), e);
        }
    }

    private static boolean is(MmaType type, ValueType value) {
        return type.toString().equals(switch (value) {
            case I8 -> "s8";
            case I32 -> "s32";
            default -> value.toString();
        });
    }

    /** The first byte that differs, in the order of the recording. */
    private static int firstByte(long differing, int element, int bytes) {
        int highest = 63 - Long.numberOfLeadingZeros(differing & -1L >>> 64 - 8 * bytes);
        return element * bytes + bytes - 1 - highest / 8;
    }

    private static String hex(long word, ValueType type) {
        return "0x" + HexFormat.of().toHexDigits(word, 2 * type.bytes());
    }

    private static ValueType type(RecordingsRow row, String name) {
        return switch (name) {
            case "f16" -> ValueType.F16;
            case "bf16" -> ValueType.BF16;
            case "tf32" -> ValueType.TF32;
            case "e4m3" -> ValueType.E4M3;
            case "e5m2" -> ValueType.E5M2;
            case "s8" -> ValueType.I8;
            case "u8" -> ValueType.U8;
            case "s32" -> ValueType.I32;
            case "f32" -> ValueType.F32;
            case "f64" -> ValueType.F64;
            default -> throw new BadRequestException(row.place() + ": tensor cores have no type " + name);
        };
    }

    private static long[] elements(RecordingsRow row, String field, ValueType type, int count) {
        byte[] bytes = row.hex(field);
        int width = type.bytes();
        if (bytes.length != count * width) {
            throw new BadRequestException(row.place() + ": \"" + field + "\" must hold " + count + " elements of "
                    + width + " bytes, got " + bytes.length + " bytes");
        }
        long[] words = new long[count];
        for (int i = 0; i < bytes.length; i++) {
            words[i / width] = words[i / width] << 8 | bytes[i] & 0xFF;
        }
        for (int i = 0; i < count; i++) {
            words[i] = type.word(words[i]);
        }
        return words;
    }

    private static long scale(RecordingsRow row, String field) {
        long scale = row.fields().has(field) ? row.number(field) : 1;
        if (scale != 1 && scale != -1) {
            throw new BadRequestException(row.place() + ": \"" + field + "\" must be 1 or -1, got " + scale);
        }
        return scale;
    }

    private static long[] scaled(RecordingsRow row, String field, long[] words, ValueType type) {
        for (int i = 0; scale(row, field) < 0 && i < words.length; i++) {
            words[i] ^= 1L << type.bits() - 1;
        }
        return words;
    }

    private static long[] transposed(long[] rows, int height, int width) {
        long[] columns = new long[rows.length];
        for (int i = 0; i < rows.length; i++) {
            columns[i % width * height + i / width] = rows[i];
        }
        return columns;
    }

    private static Optional<String> operand(RecordingsRow row) {
        boolean isA = switch (row.text("operand")) {
            case "a" -> true;
            case "b" -> false;
            default -> throw new BadRequestException(row.place() + ": \"operand\" must be a or b, got "
                    + row.text("operand"));
        };
        int rows = row.number("rows", MOST);
        int columns = row.number("columns", MOST);
        MatrixMajor major = row.number("transpose", 1) == 0 ? MatrixMajor.K : MatrixMajor.MN;
        MatrixDescriptor descriptor;
        try {
            descriptor = new MatrixDescriptor((int) row.number("start"), (int) row.number("lbo"),
                    (int) row.number("sbo"),
                    row.number("baseOffset", 7), SWIZZLES[row.number("swizzle", SWIZZLES.length - 1)]);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(row.place() + ": " + e.getMessage(), e);
        }
        byte[] cells = row.hex("cells");
        if (cells.length != 2 * rows * columns) {
            throw new BadRequestException(row.place() + ": \"cells\" must hold " + rows * columns
                    + " numbers of 2 bytes, got " + cells.length + " bytes");
        }
        MatrixDescriptor read = MatrixDescriptor.decode(descriptor.encode());
        for (int i = 0; i < rows * columns; i++) {
            int expected = (cells[2 * i] & 0xFF) << 8 | cells[2 * i + 1] & 0xFF;
            int mn = isA ? i / columns : i % columns;
            int k = isA ? i % columns : i / columns;
            int cell = read.addressOf(mn, k, CELL_BYTES, major) / CELL_BYTES;
            if (cell != expected) {
                int at = 2 * i + ((cell ^ expected) > 0xFF ? 0 : 1);
                return Optional.of("byte " + at + ": row " + i / columns + ", column " + i % columns
                        + " is read from cell " + cell + ", the recording says " + expected);
            }
        }
        return Optional.empty();
    }
}
