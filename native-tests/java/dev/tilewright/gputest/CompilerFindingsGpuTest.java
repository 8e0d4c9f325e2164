package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.functions.FunctionKernels;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a compiler once made something else of (docs/verify-findings.md), and single instructions on words, each by a
 * kernel of its own, against Java.
 */
@OnEveryStage
record CompilerFindingsGpuTest(Stage stage) {
    private static final int COUNT = 64 * FunctionKernels.THREADS;

    /** Numbers of 32 bits: around some bounds, of all sizes, floats that are no numbers, and fractions. */
    private static int[] arguments(int bound) {
        SplittableRandom random = new SplittableRandom(bound);
        int[] x = new int[COUNT];
        for (int i = 0; i < COUNT; i++) {
            x[i] = switch (i % 6) {
                case 0 -> bound + random.nextInt(-2, 3);
                case 1 -> random.nextInt(-2, 3);
                case 2 -> random.nextInt() >> random.nextInt(31);
                case 3 -> (int) random.nextLong(-Math.abs((long) bound) - 1, 4 * Math.abs((long) bound) + 4);
                case 4 -> Float.floatToRawIntBits(random.nextFloat(-2, 12));
                default -> 0x7f800001 + random.nextInt(0x7ffffe) | random.nextInt() << 31;
            };
        }
        return x;
    }

    private void check(String name, ValueType type, int bound, UnaryOperator<Value> function,
            IntUnaryOperator expected) {
        int[] x = arguments(bound);
        TileProgram program = FunctionKernels.of(name, type, function);
        long bytes = 4L * COUNT;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment there = arena.allocate(bytes, 16);
            stage.device(program.minimumTarget()).run(new Launch(program, COUNT / FunctionKernels.THREADS,
                    List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                    List.of(MemorySegment.ofArray(x).asReadOnly(), there));
            for (int i = 0; i < COUNT; i++) {
                assertEquals(expected.applyAsInt(x[i]), there.getAtIndex(ValueLayout.JAVA_INT, i),
                        name + " of " + x[i]);
            }
        }
    }

    private static Value countedIf(Value number, Value equals) {
        return number.plus(number.isEqualTo(equals).choose(Value.i32(1), Value.i32(0)));
    }

    private static int countedIf(int number, int equals) {
        return number + (number == equals ? 1 : 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 127, 255, 1000})
    void boundsThatAreComparedWith(int bound) {
        IntUnaryOperator expected = x -> countedIf(Math.max(Math.min(x, bound), 0), bound);
        Value k = Value.i32(bound);
        check("min_max", ValueType.I32, bound, x -> countedIf(x.min(k).max(0), k), expected);
        check("max_min", ValueType.I32, bound, x -> countedIf(x.max(0).min(k), k), expected);
        check("choices", ValueType.I32, bound, x -> {
            Value below = x.lessThan(k).choose(x, k);
            return countedIf(below.greaterThan(0).choose(below, Value.i32(0)), k);
        }, expected);
        check("bound_by_memory", ValueType.I32, bound, x -> countedIf(Value.i32(bound).min(x).max(0), k), expected);
    }

    @Test
    void bytesThatSaturate() {
        check("i8_max", ValueType.I32, 127, x -> countedIf(x.toSaturating(ValueType.I8).to(ValueType.I32).max(0),
                Value.i32(127)), x -> countedIf(Math.clamp(x, 0, 127), 127));
        check("u8", ValueType.I32, 255, x -> countedIf(x.toSaturating(ValueType.U8).to(ValueType.I32), Value.i32(255)),
                x -> countedIf(Math.clamp(x, 0, 255), 255));
    }

    @Test
    void dotProductsOfBytes() {
        check("dp4a_i32", ValueType.I32, 7, x -> x.dp4a(x.times(0x01030507), x), x -> {
            int sum = x;
            for (int shift = 0; shift < 32; shift += 8) {
                sum += (byte) (x >> shift) * (byte) (x * 0x01030507 >> shift);
            }
            return sum;
        });
        check("dp4a_u32", ValueType.I32, 7, x -> x.bitCast(ValueType.U32).dp4a(x.not().bitCast(ValueType.U32),
                Value.u32(9)).bitCast(ValueType.I32), x -> {
            int sum = 9;
            for (int shift = 0; shift < 32; shift += 8) {
                sum += (x >> shift & 0xFF) * (~x >> shift & 0xFF);
            }
            return sum;
        });
    }

    @Test
    void funnelShifts() {
        check("funnel_shift", ValueType.I32, 7, x -> {
            Value word = x.bitCast(ValueType.U32);
            return word.funnelShift(word.not(), word.times(5)).bitCast(ValueType.I32);
        }, x -> (int) (((long) ~x << 32 | x & 0xFFFFFFFFL) >>> (5 * x & 31)));
        check("rotation", ValueType.I32, 7, x -> {
            Value word = x.bitCast(ValueType.U32);
            return word.funnelShift(word, word.shiftRight(3)).bitCast(ValueType.I32);
        }, x -> Integer.rotateRight(x, x >>> 3));
    }

    @Test
    void negatedShorts() {
        check("i16", ValueType.I32, 32768, x -> x.to(ValueType.I16).negate().shiftRight(15).to(ValueType.I32),
                x -> (short) -(short) x >> 15);
        check("i8", ValueType.I32, 128, x -> x.to(ValueType.I8).negate().to(ValueType.I32), x -> (byte) -(byte) x);
        check("from_0", ValueType.I32, 32768, x -> Value.i32(0).to(ValueType.I16).minus(x.to(ValueType.I16))
                .shiftRight(15)
                .to(ValueType.I32), x -> (short) -(short) x >> 15);
        check("times_minus_1", ValueType.I32, 32768, x -> x.to(ValueType.I16).times(Value.i32(-1).to(ValueType.I16))
                .to(ValueType.I32), x -> (short) -(short) x);
        check("negated_then_i16", ValueType.I32, 32768, x -> x.negate().to(ValueType.I16).shiftRight(15)
                .to(ValueType.I32), x -> (short) -x >> 15);
        check("complement_and_1", ValueType.I32, 32768, x -> x.to(ValueType.I16).not()
                .plus(Value.i32(1).to(ValueType.I16))
                .shiftRight(15).to(ValueType.I32), x -> (short) -(short) x >> 15);
    }

    @Test
    void theMostNegativeNumberStaysItself() {
        Value none = Value.i32(0);
        check("abs", ValueType.I32, Integer.MIN_VALUE, x -> none.greaterThan(x.abs()).choose(Value.i32(1), none),
                x -> x == Integer.MIN_VALUE ? 1 : 0);
        check("abs_by_choice", ValueType.I32, Integer.MIN_VALUE,
                x -> none.greaterThan(x.lessThan(0).choose(x.negate(), x))
                .choose(Value.i32(1), none), x -> x == Integer.MIN_VALUE ? 1 : 0);
        check("abs_i16", ValueType.I32, 32768, x -> x.to(ValueType.I16).abs().to(ValueType.I32),
                x -> (short) Math.abs((short) x));
        check("abs_i64", ValueType.I32, Integer.MIN_VALUE, x -> Value.i64(0)
                .greaterThan(x.to(ValueType.I64).shiftLeft(32).abs())
                .choose(Value.i32(1), none), x -> x == Integer.MIN_VALUE ? 1 : 0);
    }

    @Test
    void signsOfWholeNumbers() {
        check("ceil_of_negative", ValueType.F32, 7, x -> x.negate().ceil().abs(),
                x -> bits(Math.abs(Math.ceil(-number(x)))));
        check("floor_of_negative", ValueType.F32, 7, x -> x.negate().floor().abs(),
                x -> bits(Math.abs(Math.floor(-number(x)))));
        check("ceil_of_abs", ValueType.F32, 7, x -> x.abs().negate().ceil(),
                x -> bits(Math.ceil(-Math.abs(number(x)))));
        check("ceil_bf16", ValueType.I32, 7, x -> x.shiftRight(16).to(ValueType.I16).bitCast(ValueType.BF16).negate()
                .ceil().abs()
                .bitCast(ValueType.I16).to(ValueType.I32), x -> {
                    double whole = Math.abs(Math.ceil(-number(x & 0xffff0000)));
                    return Double.isNaN(whole) ? 0x7fff : bits(whole) >> 16;
                });
    }

    @Test
    void signsOfItself() {
        check("negative", ValueType.F32, 7, x -> x.copySign(x).negate(), x -> x ^ 0x80000000);
        check("sum", ValueType.F32, 7, x -> x.plus(x.copySign(x).negate()),
                x -> bits(Float.intBitsToFloat(x) - Float.intBitsToFloat(x)));
        check("absolute", ValueType.F32, 7, x -> x.copySign(x).negate().abs().copySign(x), x -> x);
        check("bf16", ValueType.I32, 7, x -> {
            Value half = x.to(ValueType.I16).bitCast(ValueType.BF16);
            return half.copySign(half).negate().bitCast(ValueType.I16).to(ValueType.I32);
        }, x -> (short) (x ^ 0x8000));
        check("sum_of_remainder", ValueType.F32, 7, x -> x.plus(x.copySign(x).negate()
                .remainder(x.bitCast(ValueType.U32).to(ValueType.U8).to(ValueType.U32).plus(66).to(ValueType.F32))),
                x -> {
                    float number = Float.intBitsToFloat(x);
                    return bits(number + -number % ((x & 0xff) + 66));
                });
        check("remainder_of_negative", ValueType.F32, 7, x -> x.plus(x.negate().remainder(Value.f32(3))),
                x -> bits(Float.intBitsToFloat(x) + -Float.intBitsToFloat(x) % 3));
    }

    private static double number(int bits) {
        return Float.intBitsToFloat(bits);
    }

    private static int bits(double number) {
        return Double.isNaN(number) ? 0x7fffffff : Float.floatToIntBits((float) number);
    }

    @Test
    void aNumberAndItself() {
        IntUnaryOperator expected = x -> Float.isNaN(Float.intBitsToFloat(x)) ? 0x7fffffff : x;
        check("max_f32", ValueType.F32, 7, x -> x.max(x), expected);
        check("min_f32", ValueType.F32, 7, x -> x.min(x), expected);
        check("max_f16", ValueType.I32, 7, x -> {
            Value half = x.to(ValueType.I16).bitCast(ValueType.F16);
            return half.max(half).bitCast(ValueType.I16).to(ValueType.I32);
        }, x -> (x & 0x7fff) > 0x7c00 ? 0x7fff : (short) x);
    }

    @Test
    void roundedThereAndBack() {
        check("rounded_then_cut", ValueType.F32, 7, x -> x.to(ValueType.U32, Rounding.NEAREST_EVEN).to(ValueType.F32)
                .to(ValueType.U32).bitCast(ValueType.F32), x -> there(x, true));
        check("cut_then_rounded", ValueType.F32, 7, x -> x.to(ValueType.U32).to(ValueType.F32)
                .to(ValueType.U32, Rounding.NEAREST_EVEN).bitCast(ValueType.F32), x -> there(x, false));
    }

    /** Of a float as an unsigned, that as a float, and once more: where it fits, the first rounding decides. */
    private static int there(int bits, boolean rounded) {
        double x = Float.intBitsToFloat(bits);
        double whole = Double.isNaN(x) ? 0 : Math.clamp(rounded ? Math.rint(x) : Math.floor(x), 0, 0xffffffffL);
        return (int) Math.min((long) (float) whole, 0xffffffffL);
    }

    @Test
    void nansOfTheOwnType() {
        check("sum_as_itself", ValueType.I32, 7, x -> {
            Value wide = x.to(ValueType.I64).shiftLeft(32).bitCast(ValueType.F64);
            Value sum = new Value.Convert(wide.plus(wide), new Conversion(ValueType.F64, ValueType.F64,
                    Rounding.NEAREST_EVEN, false));
            return sum.bitCast(ValueType.I64).shiftRight(32).to(ValueType.I32);
        }, x -> {
            double sum = 2 * Double.longBitsToDouble((long) x << 32);
            return Double.isNaN(sum) ? 0x7fffffff : (int) (Double.doubleToRawLongBits(sum) >> 32);
        });
    }
}
