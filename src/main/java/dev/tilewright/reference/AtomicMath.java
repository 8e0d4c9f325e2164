package dev.tilewright.reference;

import dev.tilewright.ptx.WordType;
import dev.tilewright.ptx.memory.AtomOp;

/**
 * What an atomic update leaves in memory, as bits.
 *
 * <p>Integers wrap. Floats round to nearest even; a NaN that an f32 addition makes is 0x7FFFFFFF, as for the reductions of
 * the copy engine, which were measured. PTX ISA, "atom": {@code add.f32} on global memory flushes subnormal operands and
 * results to zero of the same sign, on shared memory it keeps them. NaNs of {@code add.f64} were not measured: here an operand
 * that is one is kept, the value in memory first.
 */
final class AtomicMath {
    private static final int NAN_32 = 0x7FFF_FFFF;
    private static final long NAN_64 = 0xFFF8_0000_0000_0000L;

    private AtomicMath() {
    }

    /**
     * The new value.
     *
     * @param old what memory holds
     * @param value the instruction's operand; of 32-bit types the low half counts
     * @param replacement the second operand of compare-and-swap
     * @param global whether it is in global memory
     */
    static long apply(AtomOp op, WordType type, long old, long value, long replacement, boolean global) {
        return type.type().bits() == 32 ? of32(op, type, (int) old, (int) value, (int) replacement, global)
                : of64(op, type, old, value, replacement);
    }

    private static int of32(AtomOp op, WordType type, int old, int value, int replacement, boolean global) {
        boolean signed = type == WordType.S32;
        return switch (op) {
            case AND -> old & value;
            case OR -> old | value;
            case XOR -> old ^ value;
            case EXCH -> value;
            case CAS -> old == value ? replacement : old;
            case ADD -> type == WordType.F32 ? addF32(old, value, global) : old + value;
            case INC -> Integer.compareUnsigned(old, value) >= 0 ? 0 : old + 1;
            case DEC -> old == 0 || Integer.compareUnsigned(old, value) > 0 ? value : old - 1;
            case MIN -> signed ? Math.min(old, value) : Integer.compareUnsigned(old, value) < 0 ? old : value;
            case MAX -> signed ? Math.max(old, value) : Integer.compareUnsigned(old, value) > 0 ? old : value;
        };
    }

    private static long of64(AtomOp op, WordType type, long old, long value, long replacement) {
        boolean signed = type == WordType.S64;
        return switch (op) {
            case AND -> old & value;
            case OR -> old | value;
            case XOR -> old ^ value;
            case EXCH -> value;
            case CAS -> old == value ? replacement : old;
            case ADD -> type == WordType.F64 ? addF64(old, value) : old + value;
            case MIN -> signed ? Math.min(old, value) : Long.compareUnsigned(old, value) < 0 ? old : value;
            case MAX -> signed ? Math.max(old, value) : Long.compareUnsigned(old, value) > 0 ? old : value;
            case INC, DEC -> throw new IllegalArgumentException(op + " is of 32 bits");
        };
    }

    private static int addF32(int old, int value, boolean flush) {
        float sum = Float.intBitsToFloat(flush ? flushed(old) : old) + Float.intBitsToFloat(flush ? flushed(value) : value);
        if (Float.isNaN(sum)) {
            return NAN_32;
        }
        int bits = Float.floatToRawIntBits(sum);
        return flush ? flushed(bits) : bits;
    }

    /** Zero of the same sign for a subnormal. */
    private static int flushed(int bits) {
        return (bits & 0x7F80_0000) == 0 ? bits & 0x8000_0000 : bits;
    }

    private static long addF64(long old, long value) {
        if (Double.isNaN(Double.longBitsToDouble(old))) {
            return old;
        }
        if (Double.isNaN(Double.longBitsToDouble(value))) {
            return value;
        }
        double sum = Double.longBitsToDouble(old) + Double.longBitsToDouble(value);
        return Double.isNaN(sum) ? NAN_64 : Double.doubleToRawLongBits(sum);
    }
}
