package dev.tilewright.reference.simt;

import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;

/**
 * A comparison of a shape with a number: most are the same for all lanes, as the least and the greatest of them show.
 */
final class ShapeComparison extends TwoShapes {
    /** One for shapes on the left and one for shapes on the right: the answers are not the same. */
    static final int CACHES = 2;

    private final Expr.Relation relation;
    private final int firstCache;

    /** @param firstCache the number of the first of {@link #CACHES} caches of its own */
    ShapeComparison(Expr.Relation relation, LaneCode left, LaneCode right, int firstCache) {
        super(left, right);
        this.relation = relation;
        this.firstCache = firstCache;
    }

    @Override
    boolean find(LaneShape a, long offset, LaneShape b, long k, Lanes lanes) {
        if (a == null && b == null) {
            lanes.same = Arithmetic.test(relation, offset, k) ? 1 : 0;
            return true;
        }
        return b == null ? compare(relation, a, offset, k, firstCache, lanes)
                : a == null && compare(swapped(relation), b, k, offset, firstCache + 1, lanes);
    }

    private boolean compare(Expr.Relation how, LaneShape shape, long offset, long with, int cache, Lanes lanes) {
        long k = with - offset;
        if (!ShapeOperator.fits(shape, offset, IntType.S64) || ((with ^ offset) & (with ^ k)) < 0) {
            return false;
        }
        boolean least = Arithmetic.test(how, shape.least, k);
        boolean alike = switch (how) {
            case LT, LE, GT, GE -> least == Arithmetic.test(how, shape.most, k);
            case EQ, NE -> k < shape.least || k > shape.most;
        };
        if (alike) {
            lanes.shape = null;
            lanes.same = least ? 1 : 0;
            return true;
        }
        lanes.shape = lanes.cache(cache).of(shape, null, k, to -> {
            for (int i = 0; i < to.length; i++) {
                to[i] = Arithmetic.test(how, shape.values[i], k) ? 1 : 0;
            }
            return true;
        });
        lanes.same = 0;
        return lanes.shape != null;
    }

    /** What holds of b and a where the relation holds of a and b. */
    private static Expr.Relation swapped(Expr.Relation relation) {
        return switch (relation) {
            case EQ -> Expr.Relation.EQ;
            case NE -> Expr.Relation.NE;
            case LT -> Expr.Relation.GT;
            case LE -> Expr.Relation.GE;
            case GT -> Expr.Relation.LT;
            case GE -> Expr.Relation.LE;
        };
    }
}
