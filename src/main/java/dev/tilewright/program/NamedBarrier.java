package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import java.util.Objects;

/**
 * One of a block's 16 named barriers, at which a number of its threads meet, warp by warp: {@code bar.sync} and
 * {@code bar.arrive}. It opens when that many threads have come, and is then ready for the next time. All threads of a
 * warp come together. Barrier 0 is also that of {@code __syncthreads}. Source: PTX ISA, "barrier{.cta}".
 */
public final class NamedBarrier {
    /** How many a block has. */
    public static final int COUNT = 16;

    private final Body body;
    private final Expr id;
    private final int threads;

    NamedBarrier(Body body, Expr id, int threads) {
        this.body = body;
        this.id = id;
        this.threads = threads;
    }

    /** Waits until all have come, and shows each who waits what the others wrote before. */
    public void sync() {
        body.issue(new BarrierCtaSync().withAligned().withCounted(), Input.of(id), Input.of(threads));
    }

    /** Counts as come and goes on: those who wait see what was written before. */
    public void arrive() {
        body.issue(new BarrierCtaArrive().withAligned(), Input.of(id), Input.of(threads));
    }

    /**
     * Waits as {@link #sync} does.
     *
     * @return for how many threads that came a condition holds, i32
     */
    public Value count(Value condition) {
        return reduce(BarrierCtaRed.Op.POPC, condition);
    }

    /**
     * Waits as {@link #sync} does.
     *
     * @return whether a condition holds for all threads that came
     */
    public Value all(Value condition) {
        return reduce(BarrierCtaRed.Op.AND, condition).isNotEqualTo(Value.i32(0));
    }

    /**
     * Waits as {@link #sync} does.
     *
     * @return whether a condition holds for any thread that came
     */
    public Value any(Value condition) {
        return reduce(BarrierCtaRed.Op.OR, condition).isNotEqualTo(Value.i32(0));
    }

    private Value reduce(BarrierCtaRed.Op op, Value condition) {
        Objects.requireNonNull(condition, "condition");
        if (condition.type() != ValueType.PRED) {
            throw new IllegalArgumentException("threads vote on a predicate, got a value of type " + condition.type()
                    + ": compare it with something");
        }
        return body.issue("answer", new BarrierCtaRed(op).withAligned().withCounted(), Input.of(id), Input.of(threads),
                Input.of(condition.choose(Value.i32(1), Value.i32(0)).toIndex())).toValue();
    }

    /** {@code barrier 1 of 64 threads}. */
    @Override
    public String toString() {
        return "barrier " + id + " of " + threads + " threads";
    }
}
