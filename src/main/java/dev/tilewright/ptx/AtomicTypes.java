package dev.tilewright.ptx;

import static dev.tilewright.ptx.DataType.B32;
import static dev.tilewright.ptx.DataType.B64;
import static dev.tilewright.ptx.DataType.BF16;
import static dev.tilewright.ptx.DataType.F16;
import static dev.tilewright.ptx.DataType.F32;
import static dev.tilewright.ptx.DataType.F64;
import static dev.tilewright.ptx.DataType.S32;
import static dev.tilewright.ptx.DataType.S64;
import static dev.tilewright.ptx.DataType.U32;
import static dev.tilewright.ptx.DataType.U64;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * The instructions that update values in memory, with the types that each has an operation on (PTX ISA, "atom", "red",
 * "red.async", "cp.reduce.async.bulk"). Of atom and red these are the types of 32 and 64 bits.
 */
public enum AtomicTypes {
    ATOM("atom") {
        @Override
        Set<DataType> types(AtomicOp op) {
            return switch (op) {
                case AND, OR, XOR, EXCH, CAS -> EnumSet.of(B32, B64);
                case ADD -> EnumSet.of(U32, S32, U64, F32, F64);
                case INC, DEC -> EnumSet.of(U32);
                case MIN, MAX -> EnumSet.of(U32, S32, U64, S64);
            };
        }
    },
    RED("red") {
        @Override
        Set<DataType> types(AtomicOp op) {
            return op.isReduction() ? ATOM.types(op) : EnumSet.noneOf(DataType.class);
        }
    },
    BULK_TO_GLOBAL("cp.reduce.async.bulk to global memory") {
        @Override
        Set<DataType> types(AtomicOp op) {
            return switch (op) {
                case AND, OR, XOR -> EnumSet.of(B32, B64);
                case ADD -> EnumSet.of(U32, S32, U64, F16, BF16, F32, F64);
                case INC, DEC -> EnumSet.of(U32);
                case MIN, MAX -> EnumSet.of(U32, S32, U64, S64, F16, BF16);
                case EXCH, CAS -> EnumSet.noneOf(DataType.class);
            };
        }
    },
    BULK_TO_SHARED("cp.reduce.async.bulk to shared memory") {
        @Override
        Set<DataType> types(AtomicOp op) {
            return switch (op) {
                case AND, OR, XOR -> EnumSet.of(B32);
                case ADD -> EnumSet.of(U32, S32, U64);
                case INC, DEC -> EnumSet.of(U32);
                case MIN, MAX -> EnumSet.of(U32, S32);
                case EXCH, CAS -> EnumSet.noneOf(DataType.class);
            };
        }
    },
    RED_ASYNC("red.async") {
        @Override
        Set<DataType> types(AtomicOp op) {
            Set<DataType> types = BULK_TO_SHARED.types(op);
            if (op == AtomicOp.ADD) {
                types.add(S64);
            }
            return types;
        }
    },
    RED_ASYNC_RELEASE("red.async.release") {
        @Override
        Set<DataType> types(AtomicOp op) {
            return op == AtomicOp.ADD ? EnumSet.of(U32, S32, U64, S64) : EnumSet.noneOf(DataType.class);
        }
    };

    private final String instruction;

    AtomicTypes(String instruction) {
        this.instruction = instruction;
    }

    /** The instruction's name in messages. */
    public String instruction() {
        return instruction;
    }

    abstract Set<DataType> types(AtomicOp op);

    /** The types that the instruction has the operation on; none if it lacks the operation. */
    public Set<DataType> of(AtomicOp op) {
        Objects.requireNonNull(op, "op");
        return Collections.unmodifiableSet(types(op));
    }
}
