package dev.tilewright.recording.mechanism;

import dev.tilewright.json.JsonFields;
import dev.tilewright.layout.MatrixDescriptor;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MmaFragment;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaType;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code mma} and {@code wgmma} with their matrices, row-major, elements as big-endian hex of their width:
 * {@code types} names the operands' type, or A's and B's, and the result's; {@code satfinite} 1 means that integers are
 * clamped, and a {@code scaleA} or {@code scaleB} of -1 that wgmma negates an operand; it had A in registers, and B in
 * shared memory without a swizzle.
 */
record OldProducts(TensorCores cores) implements RowKind {
    private static final Pattern SHAPE = Pattern.compile("m(\\d{1,3})n(\\d{1,3})k(\\d{1,3})");

    @Override
    public String counted(JsonFields row) {
        return row.text("kind") + " " + row.text("types");
    }

    @Override
    public Set<String> fields(JsonFields row) {
        return Set.of("kind", "shape", "types", "a", "b", "c", "d", "satfinite", "scaleA", "scaleB");
    }

    @Override
    public Optional<String> difference(JsonFields row) {
        Matcher shape = SHAPE.matcher(row.text("shape"));
        if (!shape.matches()) {
            throw JsonFields.wrong("shape", "such as m16n8k16", row.text("shape"));
        }
        int m = Integer.parseInt(shape.group(1));
        int n = Integer.parseInt(shape.group(2));
        int k = Integer.parseInt(shape.group(3));
        MmaInstruction form = form(row, n);
        MmaTypes types = TensorCores.types(form);
        Held a = new Held(MmaFragment.a(m, k, types.a().bits()), elements(row, "a", types.a(), m * k));
        long[] b = elements(row, "b", types.b(), k * n);
        Held c = new Held(MmaFragment.accumulator(m, n, types.d().bits()), elements(row, "c", types.d(), m * n));
        long[] expected = elements(row, "d", types.d(), m * n);
        Experiment experiment;
        if (form instanceof Wgmma wgmma) {
            if (m != wgmma.m() || k != wgmma.k()) {
                throw JsonFields.wrong("shape", "m" + wgmma.m() + "n" + n + "k" + wgmma.k(), row.text("shape"));
            }
            MatrixDescriptor descriptor = new MatrixDescriptor(0, 128, 256, 0, Swizzle.NONE);
            experiment = cores.experiment(form, Data.joined(c.words(), a.words(), tile(b, n, types.b(), descriptor)), 0,
                    descriptor.encode(), 1);
        } else {
            experiment = cores.experiment(form, Data.joined(c.words(), a.words(),
                    new Held(MmaFragment.b(k, n, types.b().bits()), b).words(), c.words()), 0, 0, 1);
        }
        long[] ours = new Held(c.fragment(), new long[m * n]).unpacked(experiment.onReference());
        for (int i = 0; i < ours.length; i++) {
            if (ours[i] != expected[i]) {
                int bytes = types.d().bits() / 8;
                int highest = 63 - Long.numberOfLeadingZeros(ours[i] ^ expected[i]);
                return Optional.of("byte " + (i * bytes + bytes - 1 - highest / 8) + ": row " + i / n + ", column "
                        + i % n + " of the result is " + hex(ours[i], bytes) + ", the recording says "
                        + hex(expected[i], bytes));
            }
        }
        return Optional.empty();
    }

    private static MmaInstruction form(JsonFields row, int n) {
        String[] names = row.text("types").split("\\.");
        if (names.length != 2 && names.length != 3) {
            throw JsonFields.wrong("types", "such as bf16.f32", row.text("types"));
        }
        List<String> wanted = List.of(names[names.length - 1], names[0], names[names.length - 2]);
        MmaTypes types = Arrays.stream(MmaTypes.values())
                .filter(t -> List.of(t.d().toString(), t.a().toString(), t.b().toString()).equals(wanted)).findFirst()
                .orElseThrow(() -> JsonFields.wrong("types", "those of an instruction", row.text("types")));
        boolean clamps = row.has("satfinite") && row.flag("satfinite");
        boolean negatesA = negates(row, "scaleA");
        boolean negatesB = negates(row, "scaleB");
        if (row.text("kind").equals("mma")) {
            return new MmaSync(MmaShape.valueOf(row.text("shape").toUpperCase(Locale.ROOT)), types, clamps);
        }
        return types.isInteger() ? new WgmmaInteger(types, n, true, clamps)
                : new WgmmaFloat(types, n, true, negatesA, negatesB, false, false);
    }

    private static boolean negates(JsonFields row, String field) {
        long scale = row.has(field) ? row.integer(field) : 1;
        if (scale != 1 && scale != -1) {
            throw JsonFields.wrong(field, "1 or -1", scale);
        }
        return scale < 0;
    }

    private static long[] elements(JsonFields row, String field, MmaType type, int count) {
        byte[] bytes = row.hex(field);
        int width = type.bits() / 8;
        if (bytes.length != count * width) {
            throw JsonFields.wrong(field, count + " elements of " + width + " bytes", bytes.length + " bytes");
        }
        long[] words = new long[count];
        for (int i = 0; i < bytes.length; i++) {
            words[i / width] = words[i / width] << 8 | bytes[i] & 0xFF;
        }
        return words;
    }

    private static String hex(long word, int bytes) {
        return "0x" + HexFormat.of().toHexDigits(word, 2 * bytes);
    }

    /** B where the descriptor finds it. */
    private static byte[] tile(long[] b, int n, MmaType type, MatrixDescriptor descriptor) {
        byte[] tile = new byte[TensorCores.TILE_BYTES];
        int size = type.bits() / 8;
        for (int i = 0; i < b.length; i++) {
            int at = descriptor.addressOf(i % n, i / n, size, MatrixMajor.K);
            for (int part = 0; part < size; part++) {
                tile[at + part] = (byte) (b[i] >>> 8 * part);
            }
        }
        return tile;
    }

    /** A matrix, row-major, as it is held in registers: one register of all threads after the other. */
    private record Held(MmaFragment fragment, long[] elements) {

        byte[] words() {
            ByteBuffer words = words(new byte[fragment.registers() * fragment.threads() * bytes()]);
            for (int i = 0; i < elements.length; i++) {
                int at = at(i);
                if (bytes() == Long.BYTES) {
                    words.putLong(at, elements[i]);
                } else {
                    words.putInt(at, words.getInt(at) | (int) elements[i] << shift(i));
                }
            }
            return words.array();
        }

        long[] unpacked(byte[] from) {
            ByteBuffer words = words(from);
            long mask = -1L >>> 64 - fragment.elementBits();
            Arrays.setAll(elements, i -> bytes() == Long.BYTES ? words.getLong(at(i))
                    : words.getInt(at(i)) >>> shift(i) & mask);
            return elements;
        }

        private static ByteBuffer words(byte[] bytes) {
            return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }

        /** Bytes of a register. */
        private int bytes() {
            return fragment.elementBits() == Long.SIZE ? Long.BYTES : Integer.BYTES;
        }

        private int at(int i) {
            int row = i / fragment.columns();
            int column = i % fragment.columns();
            return (fragment.register(row, column) * fragment.threads() + fragment.thread(row, column)) * bytes();
        }

        private int shift(int i) {
            return fragment.element(i / fragment.columns(), i % fragment.columns()) * fragment.elementBits();
        }
    }
}
