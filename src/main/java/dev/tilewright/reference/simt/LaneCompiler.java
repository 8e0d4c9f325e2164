package dev.tilewright.reference.simt;

import dev.tilewright.program.expression.Arithmetic;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.reference.code.ConditionCode;
import dev.tilewright.reference.code.IndexCode;
import java.util.Arrays;

/** Turns transparent code for the value of one thread into code for the values of many. */
final class LaneCompiler {
    private int scratches;
    private int caches;

    /** The number of a column that nothing else uses. */
    int scratch() {
        return scratches++;
    }

    /** @param code transparent code: {@link IndexCode#isTransparent} */
    LaneCode value(IndexCode code) {
        return switch (code) {
            case IndexCode.Constant(long value) -> same(_ -> value);
            case IndexCode.Slot(int slot) -> slot(slot);
            case IndexCode.Thread _ -> shaped(Lanes::findNumbers, _ -> null);
            case IndexCode.Block _ -> same(lanes -> lanes.block);
            case IndexCode.Binary b -> binary(b.op, b.type, value(b.left), value(b.right));
            case IndexCode.Narrowed(IndexCode wide) -> narrowed(value(wide));
            case IndexCode.Select(ConditionCode condition, IndexCode yes, IndexCode no) ->
                    select(condition(condition), value(yes), value(no));
            default -> throw new IllegalArgumentException("not transparent: " + code);
        };
    }

    /** @param code transparent code: {@link ConditionCode#isTransparent} */
    LaneCode condition(ConditionCode code) {
        return switch (code) {
            case ConditionCode.Compare c -> compare(c.relation, value(c.left), value(c.right));
            case ConditionCode.And(ConditionCode a, ConditionCode b) -> both(condition(a), condition(b), 0);
            case ConditionCode.Or(ConditionCode a, ConditionCode b) -> both(condition(a), condition(b), 1);
            case ConditionCode.Not(ConditionCode c) -> binary(Expr.Op.XOR, IntType.S64, condition(c),
                    value(new IndexCode.Constant(1)));
            default -> throw new IllegalArgumentException("not transparent: " + code);
        };
    }

    /** What a slot holds. */
    LaneCode slot(int slot) {
        return shaped(lanes -> lanes.find(slot), lanes -> lanes.column(slot));
    }

    /** A number for each block. */
    private interface Number {
        long of(Lanes lanes);
    }

    private LaneCode same(Number number) {
        return shaped(lanes -> {
            lanes.shape = null;
            lanes.same = number.of(lanes);
            return true;
        }, _ -> null);
    }

    private LaneCode shaped(LaneCode.Shaped shape, LaneCode otherwise) {
        return LaneCode.of(shape, otherwise, scratches++);
    }

    LaneCode binary(Expr.Op op, IntType type, LaneCode left, LaneCode right) {
        int scratch = scratches++;
        int firstCache = caches;
        caches += ShapeOperator.CACHES;
        return shaped(new ShapeOperator(op, type, left, right, firstCache), lanes -> {
            long[] a = left.of(lanes);
            long sameA = lanes.same;
            long[] b = right.of(lanes);
            long sameB = lanes.same;
            if (a == null && b == null) {
                LaneArithmetic.apply(op, type, sameA, sameB, lanes);
                return null;
            }
            long[] to = lanes.scratch(scratch);
            boolean fits = a == null ? LaneArithmetic.apply(op, type, sameA, b, to, lanes.from, lanes.until)
                    : b == null ? LaneArithmetic.apply(op, type, a, sameB, to, lanes.from, lanes.until)
                    : LaneArithmetic.apply(op, type, a, b, to, lanes.from, lanes.until);
            if (!fits) {
                lanes.goApart();
            }
            return to;
        });
    }

    LaneCode compare(Expr.Relation relation, LaneCode left, LaneCode right) {
        int scratch = scratches++;
        int spread = scratches++;
        int firstCache = caches;
        caches += ShapeComparison.CACHES;
        return shaped(new ShapeComparison(relation, left, right, firstCache), lanes -> {
            long[] a = left.of(lanes);
            long sameA = lanes.same;
            long[] b = right.of(lanes);
            long sameB = lanes.same;
            if (a == null && b == null) {
                lanes.same = Arithmetic.test(relation, sameA, sameB) ? 1 : 0;
                return null;
            }
            long[] to = lanes.scratch(scratch);
            LaneArithmetic.compare(relation, a == null ? spread(lanes, sameA, spread) : a,
                    b == null ? spread(lanes, sameB, spread) : b, to, lanes.from, lanes.until);
            return to;
        });
    }

    private static long[] spread(Lanes lanes, long same, int scratch) {
        long[] to = lanes.scratch(scratch);
        Arrays.fill(to, lanes.from, lanes.until, same);
        return to;
    }

    /** @param decides what one of them decides alone: 0 where both must hold, 1 where one must */
    private LaneCode both(LaneCode first, LaneCode second, long decides) {
        int scratch = scratches++;
        return shaped(lanes -> {
            // Where the first is one number for all, it decides or the second does.
            if (!first.isShaped(lanes) || lanes.shape != null) {
                return false;
            }
            return lanes.same == decides || second.isShaped(lanes);
        }, lanes -> {
            long[] a = first.of(lanes);
            if (a == null) {
                return lanes.same == decides ? null : second.of(lanes);
            }
            // What it may be a mistake to ask of some is asked of all: then they go apart.
            long[] b = second.of(lanes);
            if (b == null) {
                return lanes.same == decides ? null : a;
            }
            long[] to = lanes.scratch(scratch);
            LaneArithmetic.apply(decides == 0 ? Expr.Op.AND : Expr.Op.OR, IntType.S64, a, b, to, lanes.from,
                    lanes.until);
            return to;
        });
    }

    private LaneCode narrowed(LaneCode wide) {
        return shaped(lanes -> wide.isShaped(lanes) && ShapeOperator.fits(lanes.shape, lanes.same, IntType.S32),
                lanes -> {
            long[] values = wide.of(lanes);
            if (values == null ? (int) lanes.same != lanes.same
                    : !LaneArithmetic.areSmall(values, lanes.from, lanes.until)) {
                lanes.goApart();
            }
            return values;
        });
    }

    private LaneCode select(LaneCode condition, LaneCode yes, LaneCode no) {
        int scratch = scratches++;
        int spreadYes = scratches++;
        int spreadNo = scratches++;
        return shaped(lanes -> condition.isShaped(lanes) && lanes.shape == null
                && (lanes.same != 0 ? yes : no).isShaped(lanes), lanes -> {
            long[] holds = condition.of(lanes);
            if (holds == null) {
                return (lanes.same != 0 ? yes : no).of(lanes);
            }
            long[] a = yes.of(lanes);
            a = a == null ? spread(lanes, lanes.same, spreadYes) : a;
            long[] b = no.of(lanes);
            b = b == null ? spread(lanes, lanes.same, spreadNo) : b;
            long[] to = lanes.scratch(scratch);
            for (int i = lanes.from; i < lanes.until; i++) {
                to[i] = holds[i] != 0 ? a[i] : b[i];
            }
            return to;
        });
    }
}
