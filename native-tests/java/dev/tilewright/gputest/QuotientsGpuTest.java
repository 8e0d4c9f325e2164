package dev.tilewright.gputest;

import static dev.tilewright.layout.FloatBits.f32;
import static dev.tilewright.layout.FloatBits.f64;
import static dev.tilewright.layout.FloatBits.toF32;
import static dev.tilewright.layout.FloatBits.toF64;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.functions.FunctionKernels;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BinaryOperator;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Quotients, reciprocals and roots that the emitter spells out have Java's bits: of numbers of any bits, of every pair
 * of exponents, and of significands that are the least, the greatest, or near them.
 */
@OnEveryStage
record QuotientsGpuTest(Stage stage) {
    /** Numbers whose quotient, reciprocal or root is 0, subnormal or infinite come as often as others. */
    private static long number(SplittableRandom random, ValueType type) {
        if (type.isInteger()) {
            long number = random.nextLong() >> random.nextInt(64) ^ random.nextLong(2) << 63;
            return number == 0 ? 1 : number;
        }
        int fraction = type == ValueType.F32 ? 23 : 52;
        long significand = switch (random.nextInt(5)) {
            case 0 -> random.nextInt(4);
            case 1 -> -1 - random.nextInt(4);
            case 2 -> 1L << random.nextInt(fraction);
            default -> random.nextLong();
        };
        long exponents = (1L << type.bits() - 1 - fraction) - 1;
        long exponent = switch (random.nextInt(6)) {
            case 0 -> random.nextInt(3);
            case 1 -> exponents - random.nextInt(3);
            case 2 -> exponents / 2 + random.nextInt(-3, 4);
            default -> random.nextLong(exponents + 1);
        };
        return random.nextLong(2) << type.bits() - 1 | exponent << fraction | significand & (1L << fraction) - 1;
    }

    private void check(String name, ValueType type, BinaryOperator<Value> function, LongBinaryOperator expected) {
        TileProgram program = FunctionKernels.of(name, type, function);
        // A test that is skipped draws no numbers.
        CaseDevice device = stage.device(program.minimumTarget());
        int count = stage.most(1 << 10, 1 << 22);
        SplittableRandom random = new SplittableRandom(count);
        try (Arena arena = Arena.ofShared()) {
            long bytes = (long) count * type.bytes();
            MemorySegment x = arena.allocate(bytes, 16);
            MemorySegment y = arena.allocate(bytes, 16);
            MemorySegment result = arena.allocate(bytes, 16);
            for (int i = 0; i < count; i++) {
                put(x, type, i, number(random, type));
                put(y, type, i, number(random, type));
            }
            device.run(new Launch(program, count / FunctionKernels.THREADS,
                    List.of(new Argument.Buffer(0), new Argument.Buffer(1), new Argument.Buffer(2))),
                    List.of(x.asReadOnly(), y.asReadOnly(), result));
            for (int i = 0; i < count; i++) {
                long a = get(x, type, i);
                long b = get(y, type, i);
                long want = expected.applyAsLong(a, b);
                if (want != get(result, type, i)) {
                    assertEquals(Long.toHexString(want), Long.toHexString(get(result, type, i)),
                            name + " of " + Long.toHexString(a) + ", " + Long.toHexString(b));
                }
            }
        }
    }

    private static void put(MemorySegment memory, ValueType type, int at, long word) {
        if (type == ValueType.F32) {
            memory.setAtIndex(ValueLayout.JAVA_INT, at, (int) word);
        } else {
            memory.setAtIndex(ValueLayout.JAVA_LONG, at, word);
        }
    }

    private static long get(MemorySegment memory, ValueType type, int at) {
        return type == ValueType.F32 ? memory.getAtIndex(ValueLayout.JAVA_INT, at) & 0xFFFFFFFFL
                : memory.getAtIndex(ValueLayout.JAVA_LONG, at);
    }

    @Test
    void quotients() {
        check("quotients_f32", ValueType.F32, Value::dividedBy, (a, b) -> toF32(f32(a) / f32(b)));
        check("quotients_f64", ValueType.F64, Value::dividedBy, (a, b) -> toF64(f64(a) / f64(b)));
    }

    @Test
    void quotientsOfIntegers() {
        check("quotients_u64", ValueType.U64, Value::dividedBy, Long::divideUnsigned);
        check("remainders_u64", ValueType.U64, Value::remainder, Long::remainderUnsigned);
        check("quotients_i64", ValueType.I64, Value::dividedBy, (a, b) -> a / b);
        check("remainders_i64", ValueType.I64, Value::remainder, (a, b) -> a % b);
    }

    @Test
    void reciprocals() {
        check("reciprocals_f32", ValueType.F32, (x, y) -> x.reciprocal(), (a, b) -> toF32(1 / f32(a)));
        check("reciprocals_f64", ValueType.F64, (x, y) -> x.reciprocal(), (a, b) -> toF64(1 / f64(a)));
    }

    @Test
    void roots() {
        check("roots_f32", ValueType.F32, (x, y) -> x.sqrt(), (a, b) -> toF32((float) Math.sqrt(f32(a))));
        check("roots_f64", ValueType.F64, (x, y) -> x.sqrt(), (a, b) -> toF64(Math.sqrt(f64(a))));
    }
}
