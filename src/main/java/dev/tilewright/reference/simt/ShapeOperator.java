package dev.tilewright.reference.simt;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;

/**
 * An operator on shapes with offsets. What is the same for all lanes changes the offset; another shape is made once.
 */
final class ShapeOperator extends TwoShapes {
    static final int CACHES = 3;

    private final Expr.Op op;
    private final IntType type;
    private final int firstCache;

    /** @param firstCache the number of the first of {@link #CACHES} caches of its own */
    ShapeOperator(Expr.Op op, IntType type, LaneCode left, LaneCode right, int firstCache) {
        super(left, right);
        this.op = op;
        this.type = type;
        this.firstCache = firstCache;
    }

    @Override
    boolean find(LaneShape a, long offset, LaneShape b, long k, Lanes lanes) {
        if (a == null && b == null) {
            LaneArithmetic.apply(op, type, offset, k, lanes);
            return true;
        }
        return switch (op) {
            case ADD -> sum(a, b, offset, k, lanes);
            case SUB -> b == null && k != Long.MIN_VALUE && sum(a, null, offset, -k, lanes);
            case MUL -> b == null ? product(a, offset, k, lanes) : a == null && product(b, k, offset, lanes);
            case DIV, REM -> b == null && k > 0 && offset % k == 0 && offset >= 0 && a.least >= 0
                    ? is(made(a, null, k, lanes), op == Expr.Op.DIV ? offset / k : 0, lanes)
                    : other(a, b, offset, k, lanes);
            case MIN, MAX, AND, OR, XOR, SHL, SHR -> other(a, b, offset, k, lanes);
        };
    }

    /** What does not go through an offset: that becomes a part of the shape. */
    private boolean other(LaneShape a, LaneShape b, long offset, long k, Lanes lanes) {
        if (a == null) {
            return false;
        }
        LaneShape whole = whole(a, offset, firstCache + 1, lanes);
        if (b == null) {
            return whole != null && is(made(whole, null, k, lanes), 0, lanes);
        }
        LaneShape wholeB = whole(b, k, firstCache + 2, lanes);
        return whole != null && wholeB != null && is(made(whole, wholeB, 0, lanes), 0, lanes);
    }

    private static LaneShape whole(LaneShape shape, long offset, int cache, Lanes lanes) {
        return offset == 0 ? shape : lanes.cache(cache).of(shape, null, offset,
                to -> LaneArithmetic.apply(Expr.Op.ADD, IntType.S64, shape.values, offset, to, 0, to.length));
    }

    private boolean sum(LaneShape a, LaneShape b, long offset, long k, Lanes lanes) {
        long sum = offset + k;
        if (((offset ^ sum) & (k ^ sum)) < 0) {
            return false;
        }
        return is(a == null ? b : b == null ? a : made(a, b, 0, lanes), sum, lanes);
    }

    private boolean product(LaneShape a, long offset, long k, Lanes lanes) {
        if (offset != (int) offset || k != (int) k) {
            return false;
        }
        return is(made(a, null, k, lanes), offset * k, lanes);
    }

    private LaneShape made(LaneShape a, LaneShape b, long k, Lanes lanes) {
        IntType as = op == Expr.Op.ADD || op == Expr.Op.MUL ? IntType.S64 : type;
        return lanes.cache(firstCache).of(a, b, k, to -> b == null
                ? LaneArithmetic.apply(op, as, a.values, k, to, 0, to.length)
                : LaneArithmetic.apply(op, as, a.values, b.values, to, 0, to.length));
    }

    private boolean is(LaneShape shape, long offset, Lanes lanes) {
        lanes.shape = shape;
        lanes.same = offset;
        return shape != null && fits(shape, offset, type);
    }

    /** Whether all numbers are of a type. @param shape null for the number alone */
    static boolean fits(LaneShape shape, long offset, IntType type) {
        long least = offset + (shape == null ? 0 : shape.least);
        long most = offset + (shape == null ? 0 : shape.most);
        if (shape != null
                && (((offset ^ least) & (shape.least ^ least)) < 0 || ((offset ^ most) & (shape.most ^ most)) < 0)) {
            return false;
        }
        return type == IntType.S64 || least == (int) least && most == (int) most;
    }
}
