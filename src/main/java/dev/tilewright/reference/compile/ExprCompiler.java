package dev.tilewright.reference.compile;

import dev.tilewright.program.Dim3;
import dev.tilewright.program.GridShape;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.code.ConditionCode;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.SharedWindow;
import dev.tilewright.reference.state.Slots;
import java.util.HashMap;
import java.util.Map;

/**
 * Turns index expressions into code over a thread's slots; parameters and the sizes of grid and clusters become
 * constants.
 */
final class ExprCompiler {
    private final Slots slots;
    private final Bindings bindings;
    private final Dim3 threads;
    private final GridShape shape;
    private final ValueCompiler values;
    /** What variables of loops are worth, whose turns are compiled one by one. */
    private final Map<Expr.Var, Long> constants = new HashMap<>();

    /** @param threads of a block in each dimension */
    ExprCompiler(Slots slots, Bindings bindings, Dim3 threads, GridShape shape) {
        this.slots = slots;
        this.bindings = bindings;
        this.threads = threads;
        this.shape = shape;
        this.values = new ValueCompiler(slots, bindings, this);
    }

    /** Compiles something in which a variable has a known value. */
    void where(Expr.Var variable, long value, Runnable compilation) {
        constants.put(variable, value);
        compilation.run();
        constants.remove(variable);
    }

    IndexCode index(Expr e) {
        return switch (e) {
            case Expr.Const c -> new IndexCode.Constant(c.value());
            case Expr.Named n -> new IndexCode.Constant(n.value().value());
            case Expr.Builtin b -> builtin(b);
            case Expr.Var v -> {
                Long known = constants.get(v);
                if (known != null) {
                    yield new IndexCode.Constant(known);
                }
                yield new IndexCode.Slot(slots.of(v));
            }
            case Expr.ParamValue p -> new IndexCode.Constant(bindings.integer(p.parameter()));
            case Expr.DeviceAddress a -> new IndexCode.Constant(bindings.deviceAddress(a.pointer()));
            case Expr.SharedAddress a -> {
                int offset = bindings.sharedOffset(a.buffer());
                yield t -> SharedWindow.address(t.block.rank(), offset);
            }
            case Expr.Binary b -> BinaryCode.of(b.op(), b.type(), index(b.left()), index(b.right()));
            case Expr.Select s -> new IndexCode.Select(condition(s.condition()), index(s.yes()), index(s.no()));
            case Expr.Convert c -> convert(index(c.value()), c.type());
            case Expr.OfValue(Value value) when e.type() != IntType.BOOL -> ofValue(value);
            case Expr.Compare _, Expr.And _, Expr.Or _, Expr.Not _,
                    Expr.OfValue _ -> throw new IllegalArgumentException("a condition is not an index: " + e);
        };
    }

    private IndexCode builtin(Expr.Builtin b) {
        return switch (b) {
            case THREAD -> threads.isLine() ? new IndexCode.Thread() : t -> threads.place(t.index).x();
            case THREAD_Y -> t -> threads.place(t.index).y();
            case THREAD_Z -> t -> threads.place(t.index).z();
            case THREAD_NUMBER -> new IndexCode.Thread();
            case BLOCK -> shape.isLine() ? new IndexCode.Block() : t -> shape.place(t.block.index()).x();
            case BLOCK_Y -> t -> shape.place(t.block.index()).y();
            case BLOCK_Z -> t -> shape.place(t.block.index()).z();
            case GRID -> new IndexCode.Constant(shape.grid().x());
            case GRID_Y -> new IndexCode.Constant(shape.grid().y());
            case GRID_Z -> new IndexCode.Constant(shape.grid().z());
            case CLUSTER_RANK -> t -> t.block.rank();
            case CLUSTER_SIZE -> new IndexCode.Constant(shape.cluster().count());
            case CLUSTER_BLOCK_X -> t -> shape.withinCluster(t.block.index()).x();
            case CLUSTER_BLOCK_Y -> t -> shape.withinCluster(t.block.index()).y();
            case CLUSTER_BLOCK_Z -> t -> shape.withinCluster(t.block.index()).z();
            case CLUSTER_SIZE_X -> new IndexCode.Constant(shape.cluster().x());
            case CLUSTER_SIZE_Y -> new IndexCode.Constant(shape.cluster().y());
            case CLUSTER_SIZE_Z -> new IndexCode.Constant(shape.cluster().z());
            case CLUSTER_X -> t -> shape.clusterOf(t.block.index()).x();
            case CLUSTER_Y -> t -> shape.clusterOf(t.block.index()).y();
            case CLUSTER_Z -> t -> shape.clusterOf(t.block.index()).z();
            case CLUSTERS_X -> new IndexCode.Constant(shape.clusters().x());
            case CLUSTERS_Y -> new IndexCode.Constant(shape.clusters().y());
            case CLUSTERS_Z -> new IndexCode.Constant(shape.clusters().z());
        };
    }

    ConditionCode condition(Expr e) {
        return switch (e) {
            case Expr.Compare(Expr.Relation relation, Expr l, Expr r, Expr.Size _) ->
                    BinaryCode.compare(relation, index(l), index(r));
            case Expr.And(Expr l, Expr r, Expr.Size _) -> new ConditionCode.And(condition(l), condition(r));
            case Expr.Or(Expr l, Expr r, Expr.Size _) -> new ConditionCode.Or(condition(l), condition(r));
            case Expr.Not(Expr c, Expr.Size _) -> new ConditionCode.Not(condition(c));
            case Expr.OfValue(Value value) when e.type() == IntType.BOOL -> values.condition(value);
            default -> throw new IllegalArgumentException("an index is not a condition: " + e);
        };
    }

    ValueCompiler values() {
        return values;
    }

    /** A value's word is the index, but where it is too large. */
    private IndexCode ofValue(Value value) {
        IndexCode word = values.word(value);
        return value.type() != ValueType.U64 ? word : t -> {
            long v = word.value(t);
            if (v < 0) {
                throw new Fault(Kind.ARITHMETIC, "the value " + Long.toUnsignedString(v)
                        + " does not fit a 64-bit index");
            }
            return v;
        };
    }

    private static IndexCode convert(IndexCode value, IntType type) {
        if (type == IntType.S64) {
            return value;
        }
        if (value instanceof IndexCode.Constant(long c) && (int) c == c) {
            return value;
        }
        return new IndexCode.Narrowed(value);
    }
}
