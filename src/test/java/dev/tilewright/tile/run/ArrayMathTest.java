package dev.tilewright.tile.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.Test;

/** Loops that the JIT vectorises leave what {@link ValueMath} says of each element. */
class ArrayMathTest {
    private static final List<BinaryOp> OF_FLOATS = List.of(BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.MIN,
            BinaryOp.MAX, BinaryOp.MIN_NAN, BinaryOp.MAX_NAN);
    private static final List<BinaryOp> OF_INTEGERS = List.of(BinaryOp.ADD, BinaryOp.MIN, BinaryOp.MAX, BinaryOp.SHL,
            BinaryOp.SHR, BinaryOp.XOR);

    private final SplittableRandom random = new SplittableRandom(27);

    @Test
    void loopsLeaveWhatEachElementIs() {
        for (int draw = 0; draw < 2000; draw++) {
            ValueType type = List.of(ValueType.F32, ValueType.F64, ValueType.I32, ValueType.U32)
                    .get(random.nextInt(4));
            List<BinaryOp> ops = type.isFloat() ? OF_FLOATS : OF_INTEGERS;
            BinaryOp op = ops.get(random.nextInt(ops.size()));
            int n = 1 + random.nextInt(40);
            Elements a = drawn(type, n, false);
            Elements b = drawn(type, n, random.nextBoolean());
            Elements out = new Elements(type, n);
            LongBinaryOperator math = ValueMath.binary(op, type);
            ArrayMath.binary(op, a, b, out, n);
            out.settle(n);
            for (int k = 0; k < n; k++) {
                long wanted = math.applyAsLong(a.word(k), b.word(k));
                assertEquals(wanted, out.word(k), op + " of " + type + " " + Long.toHexString(a.word(k)) + " "
                        + Long.toHexString(b.word(k)));
            }
        }
    }

    @Test
    void nansAreSeenAtEveryPlace() {
        for (ValueType type : List.of(ValueType.F32, ValueType.F64)) {
            for (int n = 1; n < 40; n++) {
                Elements elements = new Elements(type, n);
                elements.fill(0, n, type == ValueType.F32 ? 0xFF80_0000L : 0xFFF0_0000_0000_0000L);
                assertEquals(false, elements.hasNans(0, n));
                int at = random.nextInt(n);
                elements.setWord(at, type == ValueType.F32 ? 0xFFC0_0001L : 0xFFF8_0000_0000_0001L);
                assertEquals(true, elements.hasNans(0, n));
                assertEquals(false, elements.hasNans(0, at));
                assertEquals(false, elements.hasNans(at + 1, n - at - 1));
            }
        }
    }

    @Test
    void aSelectionTakesTheBitsOfOne() {
        for (ValueType type : List.of(ValueType.F32, ValueType.I32)) {
            int n = 33;
            Elements yes = drawn(type, n, false);
            Elements no = drawn(type, n, false);
            Elements condition = new Elements(ValueType.PRED, n);
            Elements out = new Elements(type, n);
            for (int k = 0; k < n; k++) {
                condition.setWord(k, random.nextInt(2));
            }
            ArrayMath.select(condition, yes, no, out, n);
            for (int k = 0; k < n; k++) {
                assertEquals((condition.word(k) != 0 ? yes : no).word(k), out.word(k));
            }
        }
    }

    /** NaNs, infinities and zeros among them, or none. @param same whether all are */
    private Elements drawn(ValueType type, int n, boolean same) {
        Elements elements = new Elements(type, n);
        boolean odd = random.nextBoolean();
        for (int k = 0; k < n; k++) {
            long word = !type.isFloat() ? type.word(random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(40))
                    : type == ValueType.F32 ? Float.floatToRawIntBits(odd ? strange() : (float) random.nextGaussian())
                    & 0xFFFF_FFFFL : Double.doubleToRawLongBits(odd ? strange() : random.nextGaussian());
            elements.setWord(k, same && k > 0 ? elements.word(0) : word);
        }
        return elements;
    }

    private float strange() {
        float[] some = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0.0f, -0.0f, 1.5f, -2.25f};
        return some[random.nextInt(some.length)];
    }
}
