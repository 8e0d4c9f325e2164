package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.AsyncKernels;
import dev.tilewright.program.AtomicKernels.Update;
import dev.tilewright.program.AtomicKernels;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Space;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.math.AtomicMath;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Atomic updates against the same said with numbers of any size, and floats by their bits. */
class AtomicMathTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    @ParameterizedTest
    @EnumSource(names = {"GLOBAL", "SHARED_CTA"})
    void everyUpdateOfIntegers(Space space) {
        MemorySegment source = MemorySegment.ofArray(TestData.bytes(AsyncKernels.BYTES, 3));
        // Some pairs are equal, some small.
        for (int i = 0; i < AtomicKernels.PLACES; i += 5) {
            source.set(LONG, 32L * i, i);
            source.set(LONG, 32L * i + 8, i / 10 * 10);
        }
        MemorySegment result = MemorySegment.ofArray(new byte[AsyncKernels.BYTES]);
        Execution.run(AtomicKernels.program(space), 1, Map.of(AsyncKernels.SOURCE, new Binding.Memory(source),
                AsyncKernels.RESULT, new Binding.Memory(result), AsyncKernels.FLAGS,
                new Binding.Memory(MemorySegment.ofArray(new byte[AsyncKernels.BYTES]))), ReferenceOptions.DEFAULT,
                null);
        List<Update> updates = AtomicKernels.updates();
        assertEquals(25, updates.size());
        for (int k = 0; k < updates.size(); k++) {
            Update u = updates.get(k);
            for (int t = 0; t < AtomicKernels.THREADS; t++) {
                long place = 32L * AtomicKernels.place(k, t);
                long shown = AtomicKernels.shown(k, t);
                if (u.type() == DataType.F32 || u.type() == DataType.F64) {
                    continue;
                }
                boolean wide = u.type().bits() == 64;
                BigInteger old = number(source, place, wide);
                BigInteger value = number(source, place + 8, wide);
                BigInteger replacement = number(source, place + 16, wide);
                assertEquals(old, number(result, shown, wide), u + " hands out the old value");
                BigInteger compared = t % 2 == 0 ? old : value;
                assertEquals(expected(u, old, value, compared, replacement), number(result, shown + 8, wide),
                        u + " of " + old + ", " + value);
            }
        }
    }

    private static BigInteger number(MemorySegment memory, long at, boolean wide) {
        return unsigned(wide ? BigInteger.valueOf(memory.get(LONG, at)) : BigInteger.valueOf(memory.get(INT, at)),
                wide);
    }

    private static BigInteger unsigned(BigInteger n, boolean wide) {
        return n.mod(BigInteger.ONE.shiftLeft(wide ? 64 : 32));
    }

    private static BigInteger expected(Update u, BigInteger old, BigInteger value, BigInteger compared,
            BigInteger replacement) {
        boolean wide = u.type().bits() == 64;
        boolean signed = u.type() == DataType.S32 || u.type() == DataType.S64;
        BigInteger a = signed ? signed(old, wide) : old;
        BigInteger b = signed ? signed(value, wide) : value;
        return unsigned(switch (u.op()) {
            case AND -> old.and(value);
            case OR -> old.or(value);
            case XOR -> old.xor(value);
            case EXCH -> value;
            case CAS -> old.equals(compared) ? replacement : old;
            case ADD -> a.add(b);
            case INC -> old.compareTo(value) >= 0 ? BigInteger.ZERO : old.add(BigInteger.ONE);
            case DEC -> old.signum() == 0 || old.compareTo(value) > 0 ? value : old.subtract(BigInteger.ONE);
            case MIN -> a.min(b);
            case MAX -> a.max(b);
        }, wide);
    }

    private static BigInteger signed(BigInteger n, boolean wide) {
        return n.testBit(wide ? 63 : 31) ? n.subtract(BigInteger.ONE.shiftLeft(wide ? 64 : 32)) : n;
    }

    /**
     * 1.5 + 2.25; a NaN; inf - inf; subnormals, which global memory flushes: 1 + 2, -1 + 0, the least normal less a
     * subnormal.
     */
    @ParameterizedTest
    @CsvSource({"3FC00000, 40100000, 40700000, 40700000", "7FC12345, 3F800000, 7FFFFFFF, 7FFFFFFF",
            "7F800000, FF800000, 7FFFFFFF, 7FFFFFFF",
        "00000001, 00000002, 00000003, 00000000", "80000001, 80000000, 80000001, 80000000",
        "00800000, 80000001, 007FFFFF, 00800000"})
    void additionOfF32(String old, String value, String shared, String global) {
        long a = Long.parseLong(old, 16);
        long b = Long.parseLong(value, 16);
        assertEquals((int) Long.parseLong(shared, 16),
                (int) AtomicMath.apply(AtomicOp.ADD, DataType.F32, a, b, 0, false));
        assertEquals((int) Long.parseLong(global, 16),
                (int) AtomicMath.apply(AtomicOp.ADD, DataType.F32, a, b, 0, true));
    }

    /** 1 + 2; a subnormal is kept; a NaN stays as it is on global memory, and becomes a quiet one on shared memory. */
    @ParameterizedTest
    @CsvSource({"3FF0000000000000, 4000000000000000, 4008000000000000, 4008000000000000",
        "0000000000000001, 0000000000000001, 0000000000000002, 0000000000000002",
        "7FF8000000000123, 3FF0000000000000, 7FF8000000000123, 7FF8000000000123",
        "7FF0000000000123, 3FF0000000000000, 7FF8000000000123, 7FF0000000000123",
        "3FF0000000000000, FFF2000000000001, FFFA000000000001, FFF2000000000001",
        "FFFFFFFF95D84991, 7FF000000000005B, FFFFFFFF95D84991, 7FF000000000005B"})
    void additionOfF64(String old, String value, String shared, String global) {
        assertEquals(Long.parseUnsignedLong(shared, 16), addF64(old, value, false));
        assertEquals(Long.parseUnsignedLong(global, 16), addF64(old, value, true));
    }

    private static long addF64(String old, String value, boolean global) {
        return AtomicMath.apply(AtomicOp.ADD, DataType.F64, Long.parseUnsignedLong(old, 16),
                Long.parseUnsignedLong(value, 16), 0, global);
    }
}
