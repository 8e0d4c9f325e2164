package dev.tilewright.tile;

import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import java.util.Optional;

/** How a store combines its tile with the tensor's elements. */
public enum Update {
    /** The new value takes the old one's place. */
    SET(null),
    /**
     * The new value takes the old one's place, which no other row that a launch scatters has: their order does not
     * show, and tiles are computed beside each other. It is a promise. On the CPU a launch that breaks it is refused;
     * {@link dev.tilewright.hazard.check.HazardCheck} finds a race.
     */
    SET_APART(null),
    /** The new value is added to the old one. */
    ADD(BinaryOp.ADD),
    /** The lesser stays. */
    MIN(BinaryOp.MIN),
    /** The greater stays. */
    MAX(BinaryOp.MAX),
    /** The bits that both have stay. */
    AND(BinaryOp.AND),
    /** The bits that either has stay. */
    OR(BinaryOp.OR),
    /** The bits in which they differ stay. */
    XOR(BinaryOp.XOR);

    private final BinaryOp op;

    Update(BinaryOp op) {
        this.op = op;
    }

    /** The operation, with the tensor's element on the left; none if the element is replaced. */
    public Optional<BinaryOp> op() {
        return Optional.ofNullable(op);
    }

    /** Whether the new value takes the old one's place. */
    public boolean isSet() {
        return op == null;
    }

    /** Integers come out the same in whatever order they are updated; floats do not, but for MIN and MAX. */
    void requireAnyOrder(ValueType type) {
        if (this == SET_APART) {
            throw new IllegalArgumentException(this + " is of rows that are scattered: use scatter, or store");
        }
        if (this != SET && type.isInteger() && type.bits() < Integer.SIZE) {
            throw new IllegalArgumentException("a store with " + this + " is of integers of 32 or 64 bits, and "
                    + type + " has " + type.bits() + ": declare the tensor with " + (type.isSigned() ? "I32" : "U32")
                    + ", or scatter");
        }
        if (this != SET && !type.isInteger()) {
            throw new IllegalArgumentException("a store with " + this + " has no order, and " + type
                    + " depends on it: store into a tensor of partial results and add them in another kernel, or "
                    + "scatter in ascending order");
        }
    }
}
