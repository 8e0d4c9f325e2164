package dev.tilewright.reference.compile;

import dev.tilewright.program.Expr;
import dev.tilewright.program.IntType;
import dev.tilewright.reference.op.ConditionCode;
import dev.tilewright.reference.op.IndexCode;
import dev.tilewright.reference.op.IndexFault;
import dev.tilewright.reference.state.Slots;

/** Turns index expressions into code over a thread's slots; parameters and the grid's size become constants. */
final class ExprCompiler {
    private final Slots slots;
    private final Bindings bindings;
    private final int gridBlocks;
    private final int clusterBlocks;

    /** For a program without clusters. */
    ExprCompiler(Slots slots, Bindings bindings, int gridBlocks) {
        this(slots, bindings, gridBlocks, 1);
    }

    ExprCompiler(Slots slots, Bindings bindings, int gridBlocks, int clusterBlocks) {
        this.clusterBlocks = clusterBlocks;
        this.slots = slots;
        this.bindings = bindings;
        this.gridBlocks = gridBlocks;
    }

    IndexCode index(Expr e) {
        return switch (e) {
            case Expr.Const c -> new IndexCode.Constant(c.value());
            case Expr.Named n -> new IndexCode.Constant(n.value().value());
            case Expr.Builtin b -> switch (b) {
                case THREAD -> t -> t.index;
                case BLOCK -> t -> t.block.index();
                case GRID -> new IndexCode.Constant(gridBlocks);
                case CLUSTER_RANK -> t -> t.block.rank();
                case CLUSTER_SIZE -> new IndexCode.Constant(clusterBlocks);
            };
            case Expr.Var v -> {
                int slot = slots.of(v);
                yield t -> t.slots[slot];
            }
            case Expr.ParamValue p -> new IndexCode.Constant(bindings.integer(p.parameter()));
            case Expr.DeviceAddress a -> new IndexCode.Constant(bindings.deviceAddress(a.pointer()));
            case Expr.Binary b -> BinaryCode.of(b.op(), b.type(), index(b.left()), index(b.right()));
            case Expr.Select s -> {
                ConditionCode condition = condition(s.condition());
                IndexCode yes = index(s.yes());
                IndexCode no = index(s.no());
                yield t -> condition.holds(t) ? yes.value(t) : no.value(t);
            }
            case Expr.Convert c -> convert(index(c.value()), c.type());
            case Expr.Compare _, Expr.And _ -> throw new IllegalArgumentException("a condition is not an index: " + e);
        };
    }

    ConditionCode condition(Expr e) {
        return switch (e) {
            case Expr.Compare(Expr.Relation relation, Expr l, Expr r) -> {
                IndexCode a = index(l);
                IndexCode b = index(r);
                yield switch (relation) {
                    case EQ -> t -> a.value(t) == b.value(t);
                    case NE -> t -> a.value(t) != b.value(t);
                    case LT -> t -> a.value(t) < b.value(t);
                    case LE -> t -> a.value(t) <= b.value(t);
                    case GT -> t -> a.value(t) > b.value(t);
                    case GE -> t -> a.value(t) >= b.value(t);
                };
            }
            case Expr.And(Expr l, Expr r) -> {
                ConditionCode a = condition(l);
                ConditionCode b = condition(r);
                yield t -> a.holds(t) && b.holds(t);
            }
            default -> throw new IllegalArgumentException("an index is not a condition: " + e);
        };
    }

    private static IndexCode convert(IndexCode value, IntType type) {
        if (type == IntType.S64) {
            return value;
        }
        if (value instanceof IndexCode.Constant(long c) && (int) c == c) {
            return value;
        }
        return t -> {
            long v = value.value(t);
            if ((int) v != v) {
                throw IndexFault.narrowing(v);
            }
            return v;
        };
    }
}
