package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Token;
import dev.tilewright.ptx.mbarrier.ArriveOp;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import java.util.Map;
import java.util.Objects;

/** Options of an arrival at an mbarrier. */
public final class ArriveStep extends IssuedStep<MbarrierArrive> {
    ArriveStep(ThreadSteps body, MbarrierArrive form, Map<String, Input> inputs) {
        super(body, form, inputs);
    }

    /** Sets what the arrival orders, and for which threads. */
    public ArriveStep order(ArriveOrder order) {
        Objects.requireNonNull(order, "order");
        revise(form().withOrder(order));
        return this;
    }

    /** Arrives {@code count} times (32 bits). */
    public ArriveStep count(Expr count) {
        Objects.requireNonNull(count, "count");
        revise(form().withCount(), "count", Input.of(count));
        return this;
    }

    /** Arrives {@code count} times. */
    public ArriveStep count(int count) {
        return count(Expr.of(count));
    }

    /** Leaves the barrier: its later phases expect this number of arrivals fewer. */
    public ArriveStep drop() {
        revise(form().withKind(ArriveOp.ARRIVE_DROP));
        return this;
    }

    /** Names the phase that it arrived in. */
    public Token token(String name) {
        Objects.requireNonNull(name, "name");
        return new Token(result(name));
    }
}
