package dev.tilewright.reference.box;

import dev.tilewright.layout.TensorDataType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.AtomicTypes;
import dev.tilewright.ptx.DataType;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.math.ReduceMath;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.LongBinaryOperator;

/**
 * One reduction, of an operation and a type that go together: what {@code cp.reduce.async.bulk} does to the elements of
 * a stretch of memory, and {@code cp.reduce.async.bulk.tensor} to those of a box. {@link ReduceMath} says what becomes
 * of two elements.
 *
 * <p>On the hardware each element changes by itself and atomically. Here the caller sees to it that no two reductions
 * of the same memory run at once.
 */
public final class Combiner {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort SHORTS =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INTS = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONGS = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final AtomicOp op;
    private final DataType type;
    private final boolean flush;
    private final LongBinaryOperator function;

    private Combiner(AtomicOp op, DataType type, boolean flush) {
        this.op = op;
        this.type = type;
        this.flush = flush;
        this.function = ReduceMath.of(op, type, flush);
    }

    /**
     * The reduction of {@code cp.reduce.async.bulk}, to global memory. Operations and types are those of the PTX ISA.
     * It says that {@code add.f32} flushes subnormals; an H200 was seen to keep them, as for {@code .f16} and {@code
     * .bf16}.
     *
     * @throws IllegalArgumentException if the instruction does not have the operation for the type
     */
    public static Combiner linear(AtomicOp op, DataType type) {
        Set<DataType> types = AtomicTypes.BULK_TO_GLOBAL.of(op);
        if (!types.contains(type)) {
            throw new Fault(Kind.NOT_MODELLED, "cp.reduce.async.bulk has no " + op + "." + type + ": " + op + " takes "
                    + types);
        }
        return new Combiner(op, type, false);
    }

    /**
     * The reduction of {@code cp.reduce.async.bulk.tensor} through a map of a type, as an H200 was seen to do it.
     * FLOAT32 keeps subnormals, the types FTZ flush them, and TFLOAT32 adds as FLOAT32 does.
     *
     * @throws IllegalArgumentException if the type does not have the operation: the hardware faults with
     *     ILLEGAL_INSTRUCTION
     */
    public static Combiner tensor(AtomicOp op, TensorDataType type) {
        Set<TensorDataType> types = tensorTypes(op);
        if (!types.contains(type)) {
            throw new Fault(Kind.TENSOR_MAP, "tensor reductions do not have " + op + " for " + type + ", only for "
                    + types + ": the hardware faults with ILLEGAL_INSTRUCTION");
        }
        return new Combiner(op, DataType.of(type.elementType()), type.flushesSubnormals());
    }

    /** The types of tensor maps through which an H200 was seen to do the operation; with others it faults. */
    public static Set<TensorDataType> tensorTypes(AtomicOp op) {
        return switch (op) {
            case ADD -> EnumSet.complementOf(
                    EnumSet.of(TensorDataType.UINT8, TensorDataType.UINT16, TensorDataType.INT64));
            case MIN, MAX -> EnumSet.of(TensorDataType.UINT32, TensorDataType.INT32, TensorDataType.UINT64,
                    TensorDataType.INT64, TensorDataType.FLOAT16, TensorDataType.BFLOAT16);
            case INC, DEC -> EnumSet.of(TensorDataType.UINT32);
            case AND, OR, XOR -> EnumSet.of(TensorDataType.UINT32, TensorDataType.INT32, TensorDataType.UINT64);
            case EXCH, CAS -> EnumSet.noneOf(TensorDataType.class);
        };
    }

    /**
     * What becomes of one element in memory.
     *
     * @param old its bits; those above the element's width must be zero, as in {@code value} and in the result
     * @param value the bits that come
     */
    public long apply(long old, long value) {
        return function.applyAsLong(old, value);
    }

    /** Reduces whole elements; everything has been checked. */
    public void apply(byte[] shared, int from, MemorySegment memory, long to, int bytes) {
        switch (type.bytes()) {
            case 2 -> {
                for (int i = 0; i < bytes; i += 2) {
                    long old = memory.get(SHORTS, to + i) & 0xFFFFL;
                    memory.set(SHORTS, to + i, (short) apply(old, (short) SHORT.get(shared, from + i) & 0xFFFFL));
                }
            }
            case 4 -> {
                for (int i = 0; i < bytes; i += 4) {
                    long old = memory.get(INTS, to + i) & 0xFFFF_FFFFL;
                    memory.set(INTS, to + i, (int) apply(old, (int) INT.get(shared, from + i) & 0xFFFF_FFFFL));
                }
            }
            default -> {
                for (int i = 0; i < bytes; i += 8) {
                    memory.set(LONGS, to + i, apply(memory.get(LONGS, to + i), (long) LONG.get(shared, from + i)));
                }
            }
        }
    }

    /** {@code add.f32}. */
    @Override
    public String toString() {
        return op + "." + type + (flush ? ".ftz" : "");
    }
}
