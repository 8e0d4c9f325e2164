package dev.tilewright.tile;

import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import java.util.Optional;

/** What a store does with what is there. */
public enum Update {
    /** The new value takes the old one's place. */
    SET(null),
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

    /** The operation, what is there on the left; none where it is replaced. */
    public Optional<BinaryOp> op() {
        return Optional.ofNullable(op);
    }

    /** Integers come out the same in whatever order they are updated; floats do not, but for MIN and MAX. */
    void requireAnyOrder(ValueType type) {
        if (this != SET && !type.isInteger()) {
            throw new IllegalArgumentException("a store with " + this + " has no order, and " + type
                    + " depends on it: store into a tensor of partial results and add them in another kernel, or "
                    + "scatter in ascending order");
        }
    }
}
