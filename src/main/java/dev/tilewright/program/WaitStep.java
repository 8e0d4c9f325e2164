package dev.tilewright.program;

import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** Options of a wait for a phase of an mbarrier. */
public final class WaitStep {
    private final ThreadSteps body;
    private final int place;
    private final Function<WaitOrder, PtxInstruction> tests;
    private final List<Input> inputs;
    private Function<WaitOrder, PtxInstruction> form;
    private WaitOrder order = WaitOrder.DEFAULT;

    /** @param form waits for a while @param tests says how it is, at once */
    WaitStep(ThreadSteps body, Function<WaitOrder, PtxInstruction> form, Function<WaitOrder, PtxInstruction> tests,
            List<Input> inputs) {
        this.body = body;
        this.form = form;
        this.tests = tests;
        this.inputs = inputs;
        this.place = body.addAt(operation());
    }

    /** Sets what the end of the wait orders: cluster scope for stores of other blocks before they arrived. */
    public WaitStep order(WaitOrder order) {
        Objects.requireNonNull(order, "order");
        this.order = order;
        body.revise(place, operation());
        return this;
    }

    /**
     * Tests again and again ({@code mbarrier.test_wait}), which GPUs from sm_80 on can; else the wait suspends the
     * thread ({@code mbarrier.try_wait}), which needs sm_90.
     */
    public WaitStep byTesting() {
        form = tests;
        body.revise(place, operation());
        return this;
    }

    private Operation operation() {
        return new Operation.Poll(form.apply(order), inputs, new Operation.Until.Done());
    }

    /** {@code step that waits}. */
    @Override
    public String toString() {
        return "step that waits with " + form.apply(order).opcode();
    }
}
