package dev.tilewright.program;

import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** Options of a wait for a phase of an mbarrier. */
public final class WaitStep {
    private final Body body;
    private final int place;
    private final Function<WaitOrder, PtxInstruction> form;
    private final List<Input> inputs;

    WaitStep(Body body, Function<WaitOrder, PtxInstruction> form, List<Input> inputs) {
        this.body = body;
        this.form = form;
        this.inputs = inputs;
        this.place = body.addAt(operation(WaitOrder.DEFAULT));
    }

    /** What the end of the wait orders: cluster scope for what other blocks stored before they arrived. */
    public WaitStep order(WaitOrder order) {
        Objects.requireNonNull(order, "order");
        body.revise(place, operation(order));
        return this;
    }

    private Operation operation(WaitOrder order) {
        return new Operation.Poll(form.apply(order), inputs, new Operation.Until.Done());
    }
}
