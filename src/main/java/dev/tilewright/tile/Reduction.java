package dev.tilewright.tile;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;

/**
 * The operation of a reduction or a scan, on two elements at a time.
 *
 * <p><b>The order of a reduction</b> depends on nothing but the number of elements. Of element {@code i} the
 * accumulator is number {@code i mod }{@value #ACCUMULATORS}; each accumulator takes its elements in ascending order,
 * starting with the first itself. Then accumulator {@code j} takes accumulator {@code j + h}, where there is one, for
 * {@code h = }512, 256, … 1; the first is the result.
 *
 * <p><b>The order of a scan:</b> in each run of {@value #ACCUMULATORS} elements element {@code i} takes element
 * {@code i - h} of before the round as its left side, for {@code h = }1, 2, 4, … 512 and all {@code i >= h} of the run;
 * then each takes the last result of the run before as its left side.
 *
 * <p>A result that is a NaN is the one of the type's arithmetic, also of a single element.
 */
public enum Reduction {
    /** The sum. */
    SUM(BinaryOp.ADD),
    /** The product. */
    PRODUCT(BinaryOp.MUL),
    /** The least; the number where the other is a NaN. */
    MIN(BinaryOp.MIN),
    /** The greatest; the number where the other is a NaN. */
    MAX(BinaryOp.MAX),
    /** The least; a NaN where there is one. */
    MIN_NAN(BinaryOp.MIN_NAN),
    /** The greatest; a NaN where there is one. */
    MAX_NAN(BinaryOp.MAX_NAN),
    /** All of them: of predicates whether all hold, of integers the bits that all have. */
    ALL(BinaryOp.AND),
    /** Any of them: of predicates whether any holds, of integers the bits that any has. */
    ANY(BinaryOp.OR);

    /** Accumulators of a reduction, and elements of a run of a scan. */
    public static final int ACCUMULATORS = 1024;

    private final BinaryOp op;

    Reduction(BinaryOp op) {
        this.op = op;
    }

    /** The operation on two elements, the earlier one on the left. */
    public BinaryOp op() {
        return op;
    }

    Value of(Value left, Value right) {
        return new Value.Binary(op, left, right);
    }

    void require(ValueType type) {
        of(Value.ofBits(type, 0), Value.ofBits(type, 0));
    }
}
