package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.Ld;
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

    /**
     * Options of a wait for a value in memory: by loads that acquire, for the threads of the GPU, without these. It has
     * no time limit: use a loop that counts its loads and leaves by {@link Body#breakLoop}.
     */
    public static final class ForValue {
        private final ThreadSteps body;
        private final int place;
        private final List<Input> from;
        private final Operation.Until.Holds until;
        private Ld form;

        ForValue(ThreadSteps body, ValueType type, Space space, Input from, Operation.Until.Holds until) {
            this.body = body;
            this.from = List.of(from);
            this.until = until;
            this.form = Ld.acquire(Scope.GPU, space, DataType.of(type.element().orElseThrow()));
            this.place = body.addAt(operation());
        }

        /** Sets what the end of the wait orders: nothing besides, where relaxed. */
        public ForValue order(Ld.Order order) {
            Objects.requireNonNull(order, "order");
            return revised(new Ld(false, order, form.scope(), form.space(), form.type()));
        }

        /** The threads that it is ordered for: that which stores the value is one of them. */
        public ForValue scope(Scope threads) {
            Objects.requireNonNull(threads, "threads");
            return revised(new Ld(false, form.order(), threads, form.space(), form.type()));
        }

        /** The value with which the condition held, 32 or 64 bits. */
        public Expr.Var value() {
            return until.value();
        }

        private ForValue revised(Ld other) {
            form = other;
            body.revise(place, operation());
            return this;
        }

        private Operation operation() {
            return new Operation.Poll(form, from, until);
        }

        /** {@code step that waits with ld.acquire.gpu.global.u32}. */
        @Override
        public String toString() {
            return "step that waits with " + form.opcode();
        }
    }
}
