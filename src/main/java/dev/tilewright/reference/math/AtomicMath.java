package dev.tilewright.reference.math;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;

/**
 * What an atomic update leaves in memory, as bits: what {@link ReduceMath} says, but for these. PTX ISA, "atom":
 * {@code add.f32} on global memory flushes subnormal operands and results to zero of the same sign, on shared memory it
 * keeps them. Of {@code add.f64} an operand that is a NaN is kept: on global memory as it is, the instruction's first;
 * on shared memory as a quiet one, that in memory first (an H200 was seen to do so).
 */
public final class AtomicMath {

    private static final long QUIET_F64 = 1L << 51;

    private AtomicMath() { }

    /**
     * The new value, zero above the type's width.
     *
     * @param old what memory holds
     * @param value the instruction's operand; of 32-bit types the low half counts, as of the other two
     * @param replacement the second operand of compare-and-swap
     * @param global whether it is in global memory
     */
    public static long apply(AtomicOp op, DataType type, long old, long value, long replacement, boolean global) {
        long mask = -1L >>> 64 - type.bits();
        long before = old & mask;
        long operand = value & mask;
        return switch (op) {
            case EXCH -> operand;
            case CAS -> before == operand ? replacement & mask : before;
            case ADD -> type == DataType.F64 ? addF64(before, operand, global)
                    : ReduceMath.of(op, type, global).applyAsLong(before, operand);
            case AND, OR, XOR, INC, DEC, MIN, MAX -> ReduceMath.of(op, type, false).applyAsLong(before, operand);
        };
    }

    private static long addF64(long before, long operand, boolean global) {
        if (global) {
            return FloatBits.addF64(operand, before);
        }
        long sum = FloatBits.addF64(before, operand);
        return Double.isNaN(Double.longBitsToDouble(sum)) ? sum | QUIET_F64 : sum;
    }
}
