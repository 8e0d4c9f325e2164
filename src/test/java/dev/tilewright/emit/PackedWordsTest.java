package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bytes and bits picked out of two words, and differences of pairs: what they are worth, and that they compile. */
class PackedWordsTest {
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);

    /** Each thread takes two words, and stores a function of them. */
    private static TileProgram program(BinaryOperator<Value> function) {
        return new TileProgram("words", "a function of words", 32, List.of(IN, OUT), new SharedLayout(List.of()),
                Body.steps(b -> b.store(new Address.Global(OUT, Builtin.THREAD.times(4)), function.apply(
                        b.load("first", ValueType.U32, new Address.Global(IN, Builtin.THREAD.times(8))),
                        b.load("second", ValueType.U32, new Address.Global(IN, Builtin.THREAD.times(8).plus(4)))))));
    }

    private static int[] run(BinaryOperator<Value> function, int... in) {
        int[] out = new int[32];
        Reference.run(new Launch(program(function), 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                List.of(MemorySegment.ofArray(in), MemorySegment.ofArray(out)), ReferenceOptions.DEFAULT);
        return out;
    }

    private static void assertEmits(BinaryOperator<Value> function, String text) {
        CudaSource source = CudaEmitter.emit(program(function));
        assertTrue(source.text().contains(text), source.text());
        EmbeddedCompiler.kernels(EmbeddedCompiler.release("12.9"), source.text(), List.of(source.kernelName()),
                Target.SM_80);
    }

    @Test
    void digitsNameTheBytesOfBothWords() {
        int[] in = new Random(7).ints(64).toArray();
        in[0] = 0x33221100;
        in[1] = 0x77665544;
        int[] expected = new int[32];
        for (int i = 0; i < 32; i++) {
            int[] bytes = new int[8];
            for (int b = 0; b < 8; b++) {
                bytes[b] = in[2 * i + b / 4] >>> 8 * (b % 4) & 0xFF;
            }
            expected[i] = bytes[0] | bytes[6] << 8 | bytes[1] << 16 | bytes[7] << 24;
        }
        assertEquals(0x77116600, expected[0]);
        assertArrayEquals(expected, run((x, y) -> x.pickBytes(y, 0x7160), in));
        assertEmits((x, y) -> x.pickBytes(y, 0x7160), "__byte_perm(");
    }

    /** The numbers of bits are those of the second word, of which five count. */
    @Test
    void aFunnelShiftTakesBitsOfBothWords() {
        int[] in = new Random(8).ints(64).toArray();
        for (int i = 0; i < 32; i++) {
            in[2 * i + 1] = in[2 * i + 1] & ~31 | i;
        }
        in[0] = 0x80000001;
        in[1] = 0xFFFFFFE0;
        in[8] = 0x12345678;
        in[9] = 0x9ABCDE04;
        int[] shifted = new int[32];
        int[] rotated = new int[32];
        for (int i = 0; i < 32; i++) {
            for (int bit = 0; bit < 32; bit++) {
                int from = bit + i;
                shifted[i] |= (in[2 * i + from / 32] >>> from % 32 & 1) << bit;
            }
            rotated[i] = Integer.rotateRight(in[2 * i], i);
        }
        assertEquals(0x80000001, shifted[0]);
        assertEquals(0x41234567, shifted[4]);
        assertArrayEquals(shifted, run((x, y) -> x.funnelShift(y, y), in));
        assertArrayEquals(rotated, run((x, y) -> x.funnelShift(x, y), in));
        assertEmits((x, y) -> x.funnelShift(y, y), "__funnelshift_r(");
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16"})
    void bothDifferencesAreRounded(ValueType half) {
        int[] in = new Random(9).ints(64).toArray();
        in[0] = half == ValueType.BF16 ? 0x43074300 : 0x64076400;
        in[1] = half == ValueType.BF16 ? 0x43084308 : 0x64086408;
        int[] expected = new int[32];
        for (int i = 0; i < 32; i++) {
            for (int shift = 0; shift < 32; shift += 16) {
                short a = (short) (in[2 * i] >> shift);
                short b = (short) (in[2 * i + 1] >> shift);
                float difference = half == ValueType.BF16 ? Float.intBitsToFloat(a << 16)
                        - Float.intBitsToFloat(b << 16)
                        : Float.float16ToFloat(a) - Float.float16ToFloat(b);
                // f32 first, and then again: of these numbers none is on a tie in between.
                int bits = Float.isNaN(difference) ? 0x7FFF : half == ValueType.BF16
                        ? (int) FloatBits.toBf16(difference) : Float.floatToFloat16(difference);
                expected[i] |= (bits & 0xFFFF) << shift;
            }
        }
        assertEquals(half == ValueType.BF16 ? 0xBF80C100 : 0xBC00C800, expected[0]);
        assertArrayEquals(expected, run((x, y) -> x.pairwise(BinaryOp.SUB, y, half), in));
        assertEmits((x, y) -> x.pairwise(BinaryOp.SUB, y, half),
                half == ValueType.BF16 ? "fma.rn.bf16x2" : "sub.rn.f16x2");
    }

    @ParameterizedTest
    @EnumSource(names = {"F16", "BF16"})
    void bothAreComparedAsOneIs(ValueType half) {
        int[] in = new Random(10).ints(64).toArray();
        int nan = half == ValueType.BF16 ? 0x7FA1 : 0x7D21;
        int infinity = half == ValueType.BF16 ? 0x7F80 : 0x7C00;
        int[] odd = {0x8000, 0, nan, infinity, infinity | 0x8000, nan | 0x8000, 1, 0x8001};
        for (int i = 0; i < odd.length; i++) {
            in[2 * i] = odd[i] | odd[(i + 3) % odd.length] << 16;
            in[2 * i + 1] = odd[i ^ 1] | odd[(i + 6) % odd.length] << 16;
        }
        for (BinaryOp op : List.of(BinaryOp.MIN, BinaryOp.MAX, BinaryOp.MIN_NAN, BinaryOp.MAX_NAN)) {
            int[] expected = new int[32];
            for (int i = 0; i < 32; i++) {
                for (int shift = 0; shift < 32; shift += 16) {
                    expected[i] |= extreme(op, half, in[2 * i] >>> shift & 0xFFFF, in[2 * i + 1] >>> shift & 0xFFFF)
                            << shift;
                }
            }
            assertArrayEquals(expected, run((x, y) -> x.pairwise(op, y, half), in), op.toString());
            assertEmits((x, y) -> x.pairwise(op, y, half), op.toString().replace("_nan", ".NaN") + "." + half + "x2");
        }
    }

    /** -0 is less than 0; of a NaN and a number the number, or the NaN that arithmetic makes. */
    private static int extreme(BinaryOp op, ValueType half, int a, int b) {
        float x = half == ValueType.BF16 ? Float.intBitsToFloat(a << 16) : Float.float16ToFloat((short) a);
        float y = half == ValueType.BF16 ? Float.intBitsToFloat(b << 16) : Float.float16ToFloat((short) b);
        if (Float.isNaN(x) || Float.isNaN(y)) {
            boolean any = op == BinaryOp.MIN_NAN || op == BinaryOp.MAX_NAN || Float.isNaN(x) && Float.isNaN(y);
            return any ? 0x7FFF : Float.isNaN(x) ? b : a;
        }
        boolean least = op == BinaryOp.MIN || op == BinaryOp.MIN_NAN;
        return Float.compare(x, y) < 0 == least ? a : b;
    }

    @Test
    void otherTypesAreRefused() {
        Value f = Value.f32(1);
        Value word = Value.u32(1);
        assertEquals("bytes are picked out of two u32 by four digits from 0 to 7, got f32 and 0x1",
                assertThrows(IllegalArgumentException.class, () -> f.pickBytes(f, 1)).getMessage());
        assertEquals("bytes are picked out of two u32 by four digits from 0 to 7, got u32 and 0x8000",
                assertThrows(IllegalArgumentException.class, () -> word.pickBytes(word, 0x8000)).getMessage());
        assertEquals("a funnel shift is of two u32, not of f32",
                assertThrows(IllegalArgumentException.class, () -> f.funnelShift(f, f)).getMessage());
        assertEquals("pairs are of f16 or bf16 in u32, got f32 in u32",
                assertThrows(IllegalArgumentException.class,
                () -> word.pairwise(BinaryOp.SUB, word, ValueType.F32)).getMessage());
        assertEquals("pairs have differences, least and greatest, got add", assertThrows(IllegalArgumentException.class,
                () -> word.pairwise(BinaryOp.ADD, word, ValueType.F16)).getMessage());
    }
}
