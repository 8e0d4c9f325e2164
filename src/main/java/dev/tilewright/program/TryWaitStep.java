package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Options of a wait for a phase of an mbarrier that ends after a while, whether the phase has completed or not. */
public final class TryWaitStep extends IssuedStep<PtxInstruction> {
    private final Function<WaitOrder, PtxInstruction> limited;
    private Function<WaitOrder, PtxInstruction> chosen;
    private WaitOrder order = WaitOrder.DEFAULT;

    /** @param unlimited waits as long as the hardware does by itself @param limited has a limit as an operand */
    TryWaitStep(ThreadSteps body, Function<WaitOrder, PtxInstruction> unlimited,
            Function<WaitOrder, PtxInstruction> limited, Map<String, Input> inputs) {
        super(body, unlimited.apply(WaitOrder.DEFAULT), inputs);
        this.chosen = unlimited;
        this.limited = limited;
    }

    /** Sets what a successful wait orders: cluster scope for stores of other blocks. */
    public TryWaitStep order(WaitOrder order) {
        this.order = Objects.requireNonNull(order, "order");
        revise(chosen.apply(order));
        return this;
    }

    /** Waits for about this long at most; for as long as the hardware does by itself, without this. */
    public TryWaitStep timeLimit(int nanoseconds) {
        return timeLimit(Expr.of(nanoseconds));
    }

    /**
     * Waits for about this long at most.
     *
     * @param nanoseconds 32 bits
     */
    public TryWaitStep timeLimit(Expr nanoseconds) {
        Objects.requireNonNull(nanoseconds, "nanoseconds");
        chosen = limited;
        revise(chosen.apply(order), "time_limit", Input.of(nanoseconds));
        return this;
    }

    /**
     * Whether the phase has completed, as a condition.
     *
     * @param name of the number that it is kept in, 1 or 0
     */
    public Expr done(String name) {
        Objects.requireNonNull(name, "name");
        return result(name).isNotEqualTo(0);
    }
}
