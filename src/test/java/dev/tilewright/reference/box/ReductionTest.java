package dev.tilewright.reference.box;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.SmallFloat;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.reference.TestData;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Reductions of single elements against exact arithmetic, which operations go with which types, and stretches of
 * memory.
 */
class ReductionTest {
    private static final AtomicOp[] ORDERED = {AtomicOp.MIN, AtomicOp.MAX};

    /** 64 bits, now and then with an exponent of zeros or ones, a sign alone, or near zero. */
    @Provide
    Arbitrary<Long> bits() {
        return Arbitraries.randomValue(ReductionTest::bits);
    }

    private static long bits(Random random) {
        long any = random.nextLong();
        return switch (random.nextInt(8)) {
            case 0 -> any & 0x807F_FFFF_807F_807FL;
            case 1 -> any | 0x7FF0_0000_7F80_7C00L;
            case 2 -> any & 0x8000_0000_8000_8000L;
            case 3 -> any >> random.nextInt(64);
            default -> any;
        };
    }

    private static long low(long bits, DataType type) {
        return type.bytes() == 8 ? bits : bits & (1L << 8 * type.bytes()) - 1;
    }

    private static BigInteger unsigned(long bits) {
        return new BigInteger(Long.toUnsignedString(bits));
    }

    private static BigInteger number(long bits, DataType type, boolean signed) {
        BigInteger value = unsigned(bits);
        return signed && value.testBit(8 * type.bytes() - 1)
                ? value.subtract(BigInteger.ONE.shiftLeft(8 * type.bytes())) : value;
    }

    @Property(tries = 750)
    void integers(@ForAll("bits") long first, @ForAll("bits") long second) {
        for (DataType type : List.of(DataType.U32, DataType.S32, DataType.U64, DataType.S64)) {
            boolean signed = type == DataType.S32 || type == DataType.S64;
            long old = low(first, type);
            long value = low(second, type);
            BigInteger a = number(old, type, signed);
            BigInteger b = number(value, type, signed);
            long modulus = type.bytes();
            if (type != DataType.S64) {
                assertEquals(a.add(b).mod(BigInteger.ONE.shiftLeft((int) modulus * 8)).longValue(),
                        Combiner.linear(AtomicOp.ADD, type).apply(old, value));
            }
            assertEquals(a.min(b), number(Combiner.linear(AtomicOp.MIN, type).apply(old, value), type, signed));
            assertEquals(a.max(b), number(Combiner.linear(AtomicOp.MAX, type).apply(old, value), type, signed));
        }
    }

    @Property(tries = 500)
    void countersAndBits(@ForAll("bits") long first, @ForAll("bits") long second) {
        long old = low(first, DataType.U32);
        long value = low(second, DataType.U32);
        long up = Combiner.linear(AtomicOp.INC, DataType.U32).apply(old, value);
        assertEquals(old < value ? old + 1 : 0, up);
        long down = Combiner.linear(AtomicOp.DEC, DataType.U32).apply(old, value);
        assertEquals(old >= 1 && old <= value ? old - 1 : value, down);
        assertEquals(unsigned(first).and(unsigned(second)),
                unsigned(Combiner.linear(AtomicOp.AND, DataType.B64).apply(first, second)));
        assertEquals(unsigned(first).or(unsigned(second)),
                unsigned(Combiner.linear(AtomicOp.OR, DataType.B64).apply(first, second)));
        assertEquals(unsigned(old).xor(unsigned(value)),
                unsigned(Combiner.linear(AtomicOp.XOR, DataType.B32).apply(old, value)));
    }

    @Property(tries = 1000)
    void shortFloats(@ForAll("bits") long first, @ForAll("bits") long second) {
        for (DataType type : List.of(DataType.F16, DataType.BF16)) {
            SmallFloat format = type == DataType.F16 ? SmallFloat.F16 : SmallFloat.BF16;
            int old = (int) low(first, type);
            int value = (int) low(second, type);
            double a = format.value(old);
            double b = format.value(value);
            // A double holds so many bits that rounding twice is rounding once.
            assertEquals(format.nearest(a + b), Combiner.linear(AtomicOp.ADD, type).apply(old, value));
            for (AtomicOp op : ORDERED) {
                int expected = Double.isNaN(a) && Double.isNaN(b) ? 0x7FFF : Double.isNaN(a) ? value : Double.isNaN(b)
                        ? old
                        : op == AtomicOp.MIN == lessOrEqual(a, b) ? old : value;
                assertEquals(expected, Combiner.linear(op, type).apply(old, value));
            }
        }
    }

    /** With -0 below +0. */
    private static boolean lessOrEqual(double a, double b) {
        return a < b || a == b && (1 / a <= 1 / b || a != 0);
    }

    @Property(tries = 1000)
    void singleFloats(@ForAll("bits") long first, @ForAll("bits") long second) {
        long old = low(first, DataType.F32);
        long value = low(second, DataType.F32);
        assertEquals(sum(old, value), Combiner.tensor(AtomicOp.ADD, TensorDataType.FLOAT32).apply(old, value));
        assertEquals(sum(old, value), Combiner.tensor(AtomicOp.ADD, TensorDataType.TFLOAT32).apply(old, value));
        long flushed = flush(sum(flush(old), flush(value)));
        assertEquals(flushed, Combiner.tensor(AtomicOp.ADD, TensorDataType.FLOAT32_FTZ).apply(old, value));
        assertEquals(flushed, Combiner.tensor(AtomicOp.ADD, TensorDataType.TFLOAT32_FTZ).apply(old, value));
        assertEquals(sum(old, value), Combiner.linear(AtomicOp.ADD, DataType.F32).apply(old, value));
    }

    private static long sum(long old, long value) {
        double exactEnough = (double) Float.intBitsToFloat((int) old) + Float.intBitsToFloat((int) value);
        return Double.isNaN(exactEnough) ? 0x7FFF_FFFFL : Float.floatToIntBits((float) exactEnough) & 0xFFFF_FFFFL;
    }

    private static long flush(long bits) {
        float value = Float.intBitsToFloat((int) bits);
        return Math.abs(value) < Float.MIN_NORMAL ? Float.floatToIntBits(Math.copySign(0f, value)) & 0xFFFF_FFFFL
                : bits;
    }

    @Property(tries = 1000)
    void doubleFloats(@ForAll("bits") long old, @ForAll("bits") long value) {
        double a = Double.longBitsToDouble(old);
        double b = Double.longBitsToDouble(value);
        long result = Combiner.tensor(AtomicOp.ADD, TensorDataType.FLOAT64).apply(old, value);
        if (Double.isNaN(a) || Double.isNaN(b)) {
            assertEquals(Double.isNaN(b) ? value : old, result);
        } else if (Double.isFinite(a) && Double.isFinite(b) && a != -b) {
            assertEquals(new BigDecimal(a).add(new BigDecimal(b)).doubleValue(), Double.longBitsToDouble(result));
        } else if (Double.isNaN(a + b)) {
            assertEquals(0xFFF8_0000_0000_0000L, result);
        } else {
            assertEquals(a + b, Double.longBitsToDouble(result));
        }
    }

    @ParameterizedTest
    @CsvSource({
        // A signalling NaN in memory, as recorded, stays one.
        "ADD, FLOAT64, 7ff04a5c249154b0, 9b560446719a39f8, 7ff04a5c249154b0",
        "ADD, FLOAT32, 7f800000, ff800000, 7fffffff", "ADD, FLOAT32, 00000001, 00000001, 00000002",
        "ADD, FLOAT32_FTZ, 00000001, 80000001, 00000000", "ADD, FLOAT32_FTZ, 80000001, 80000001, 80000000",
        "ADD, TFLOAT32, 3f800001, 00000000, 3f800001", "ADD, FLOAT16, 0001, 0001, 0002",
        "ADD, FLOAT16, 7bff, 7bff, 7c00", "ADD, BFLOAT16, 7fc1, 3f80, 7fff", "MIN, FLOAT16, 8000, 0000, 8000",
        "MAX, FLOAT16, 8000, 0000, 0000", "MIN, BFLOAT16, 7fc1, 3f80, 3f80", "MAX, BFLOAT16, 3f80, 7fc1, 3f80",
        "MAX, BFLOAT16, ffc1, 7fc1, 7fff", "INC, UINT32, 00000005, 00000005, 00000000",
        "DEC, UINT32, 00000000, 00000005, 00000005", "MAX, INT64, ffffffffffffffff, 0000000000000000, 0000000000000000",
        "MAX, UINT64, ffffffffffffffff, 0000000000000000, ffffffffffffffff"})
    void knownValues(AtomicOp op, TensorDataType type, String old, String value, String result) {
        assertEquals(result, ("%0" + result.length() + "x").formatted(Combiner.tensor(op, type)
                .apply(Long.parseUnsignedLong(old, 16), Long.parseUnsignedLong(value, 16))));
    }

    /** The table that was measured: one letter for each type in the order of cuda.h. */
    @Test
    void whatTensorReductionsHave() {
        String types = "";
        for (AtomicOp op : AtomicOp.values()) {
            StringBuilder row = new StringBuilder(op + " ");
            for (TensorDataType type : TensorDataType.values()) {
                row.append(has(() -> Combiner.tensor(op, type)) ? 'y' : '-');
            }
            types += row + "\n";
        }
        assertEquals("""
                and --yyy--------
                or --yyy--------
                xor --yyy--------
                add --yyy-yyyyyyy
                inc --y----------
                dec --y----------
                min --yyyyy--y---
                max --yyyyy--y---
                exch -------------
                cas -------------
                """, types);
    }

    /** The combinations of the PTX ISA, "cp.reduce.async.bulk". */
    @Test
    void whatLinearReductionsHave() {
        List<String> all = new ArrayList<>();
        for (AtomicOp op : AtomicOp.values()) {
            for (DataType type : DataType.values()) {
                if (has(() -> Combiner.linear(op, type))) {
                    all.add(op + "." + type);
                }
            }
        }
        assertEquals("and.b32 and.b64 or.b32 or.b64 xor.b32 xor.b64 add.u32 add.u64 add.s32 add.f16 add.bf16 add.f32 "
                + "add.f64 inc.u32"
                + " dec.u32 min.u32 min.u64 min.s32 min.s64 min.f16 min.bf16 max.u32 max.u64 max.s32 max.s64 max.f16 "
                + "max.bf16", String.join(" ", all));
    }

    private static boolean has(Runnable make) {
        try {
            make.run();
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Test
    void whatTheTypeLacksIsRefused() {
        assertEquals("tensor reductions do not have min for FLOAT32, only for [UINT32, INT32, UINT64, INT64, FLOAT16, "
                + "BFLOAT16]:"
                + " the hardware faults with ILLEGAL_INSTRUCTION",
                assertThrows(IllegalArgumentException.class,
                        () -> Combiner.tensor(AtomicOp.MIN, TensorDataType.FLOAT32)).getMessage());
        assertEquals("cp.reduce.async.bulk has no and.u32: and takes [b32, b64]",
                assertThrows(IllegalArgumentException.class, () -> Combiner.linear(AtomicOp.AND, DataType.U32))
                .getMessage());
    }

    @Property(tries = 300)
    void aStretchIsItsElements(@ForAll("stretches") Stretch s) {
        Combiner reduction = Combiner.linear(s.op(), s.type());
        byte[] shared = TestData.bytes(512, 1);
        byte[] memory = TestData.bytes(512, 2);
        byte[] expected = memory.clone();
        int size = s.type().bytes();
        for (int i = 0; i < s.bytes(); i += size) {
            long result = reduction.apply(little(memory, s.to() + i, size), little(shared, s.from() + i, size));
            for (int b = 0; b < size; b++) {
                expected[s.to() + i + b] = (byte) (result >>> 8 * b);
            }
        }
        reduction.apply(shared, s.from(), MemorySegment.ofArray(memory), s.to(), s.bytes());
        assertArrayEquals(expected, memory);
    }

    record Stretch(AtomicOp op, DataType type, int from, int to, int bytes) {
    }

    @Provide
    Arbitrary<Stretch> stretches() {
        return Arbitraries.randomValue(random -> {
            for (;;) {
                AtomicOp op = AtomicOp.values()[random.nextInt(8)];
                DataType type = DataType.values()[random.nextInt(11)];
                if (has(() -> Combiner.linear(op, type))) {
                    return new Stretch(op, type, 16 * random.nextInt(16), 16 * random.nextInt(16),
                            16 * (1 + random.nextInt(16)));
                }
            }
        });
    }

    private static long little(byte[] bytes, int at, int size) {
        long value = 0;
        for (int i = size - 1; i >= 0; i--) {
            value = value << 8 | bytes[at + i] & 0xFF;
        }
        return value;
    }

    private static void assertRefused(String message, Runnable use) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, use::run).getMessage());
    }
}
