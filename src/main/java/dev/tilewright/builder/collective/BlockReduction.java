package dev.tilewright.builder.collective;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BinaryOperator;

/**
 * Reductions and scans over all threads of a block, in the order of their numbers, so that a sum of floats is one bit
 * pattern: within each warp first ({@link Warp#butterfly}, {@link Warp#scan}), then over the warps from the first to
 * the last, {@code ((w0 o w1) o w2) o ...}. All threads of the block come to each.
 *
 * <p>The warps hand their results over in shared memory: {@link #scratch}, which belongs into the kernel's layout, and
 * is free again when the step is done.
 */
public final class BlockReduction {
    private final ValueType type;
    private final int warps;
    private final SharedRegion.Buffer scratch;

    /**
     * @param name of the shared memory
     * @param type of the values, 8 to 64 bits
     * @param threads of the block, all of them: a multiple of 32; a kernel with larger or smaller blocks is refused
     */
    public BlockReduction(String name, ValueType type, int threads) {
        NotNull.all("name, type", name, type);
        if (threads < Warp.LANES || threads % Warp.LANES != 0) {
            throw new IllegalArgumentException("a block is reduced warp by warp: its threads must be a positive "
                    + "multiple of 32, got " + threads);
        }
        this.type = type;
        this.warps = threads / Warp.LANES;
        this.scratch = new SharedRegion.Buffer(name, warps * type.bytes(), 16);
    }

    /** The shared memory that it needs: one value for each warp. */
    public SharedRegion.Buffer scratch() {
        return scratch;
    }

    /**
     * Reduces the values of all threads of the block; every thread gets the result.
     *
     * @param combine a warp's own and another lane's value, in whichever order; then what earlier warps have and the
     *         next
     */
    public Value reduce(Body body, Value value, BinaryOperator<Value> combine) {
        NotNull.all("body, value, combine", body, value, combine);
        requireType(value);
        Value own = body.warp().butterfly(value, combine);
        if (warps == 1) {
            alone(body);
            return own;
        }
        List<Value> totals = exchange(body, own, 0);
        Value sum = totals.getFirst();
        for (Value total : totals.subList(1, warps)) {
            sum = body.let("total", combine.apply(sum, total));
        }
        return sum;
    }

    /**
     * Scans the values of the block's threads, from thread 0 to this one, inclusive.
     *
     * @param combine what earlier threads have, and what later ones have
     */
    public Value scan(Body body, Value value, BinaryOperator<Value> combine) {
        NotNull.all("body, value, combine", body, value, combine);
        requireType(value);
        Value own = body.warp().scan(value, combine);
        if (warps == 1) {
            alone(body);
            return own;
        }
        List<Value> totals = exchange(body, own, Warp.LANES - 1);
        Expr warp = Builtin.THREAD_NUMBER.dividedBy(Warp.LANES);
        Value before = totals.getFirst();
        Value mine = before;
        for (int w = 2; w < warps; w++) {
            before = body.let("before", combine.apply(before, totals.get(w - 1)));
            mine = body.let("mine", warp.isEqualTo(w).toValue().choose(before, mine));
        }
        return body.let("sum", warp.isEqualTo(0).toValue().choose(own, combine.apply(mine, own)));
    }

    /** Only a block of one warp reaches it. */
    private static void alone(Body body) {
        body.purpose("the block is one warp").syncThreads(Warp.LANES);
    }

    /** Hands the value of one lane of each warp to all threads. */
    private List<Value> exchange(Body body, Value value, int lane) {
        int bytes = type.bytes();
        body.purpose("one lane of each warp hands its warp's result over").when(Warp.lane().isEqualTo(lane),
                b -> b.store(scratch.at(Builtin.THREAD_NUMBER.dividedBy(Warp.LANES).times(bytes)), value));
        body.purpose("all warps have written").syncThreads(warps * Warp.LANES);
        List<Value> totals = new ArrayList<>();
        for (int w = 0; w < warps; w++) {
            totals.add(body.load("warp" + w, type, scratch.at(w * bytes)));
        }
        body.purpose("all have read them").syncThreads();
        return totals;
    }

    private void requireType(Value value) {
        if (value.type() != type) {
            throw new IllegalArgumentException("a reduction of values of type " + type + " got one of type "
                    + value.type() + ": convert it, with to(" + type.name() + ")");
        }
    }

    /** {@code reduction of f32 over 8 warps in 'sums'}. */
    @Override
    public String toString() {
        return "reduction of " + type + " over " + Counted.of(warps, "warp") + " in '" + scratch.name() + "'";
    }
}
