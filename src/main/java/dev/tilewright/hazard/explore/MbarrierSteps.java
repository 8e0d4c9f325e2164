package dev.tilewright.hazard.explore;

import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.mbarrier.ArriveOp;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierArriveNoComplete;
import dev.tilewright.ptx.mbarrier.MbarrierCompleteTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInstruction;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.mbarrier.MbarrierPendingCount;
import dev.tilewright.ptx.mbarrier.MbarrierWait;

/** A thread's steps at mbarriers. */
final class MbarrierSteps {
    private final Machine m;
    private final ThreadState t;
    private final Places places;

    MbarrierSteps(Machine m, ThreadState t) {
        this.m = m;
        this.t = t;
        this.places = new Places(m.w, t);
    }

    void perform(Operation.Issue issue, MbarrierInstruction form) {
        if (form instanceof MbarrierPendingCount) {
            throw new Unsupported(form.opcode());
        }
        int number = places.barrier(places.of(issue, "mbar"));
        if (form instanceof MbarrierInit) {
            m.barriers.initialise(m.agent(t), number, number(issue, "arrivals"));
            return;
        }
        if (form instanceof MbarrierInval) {
            m.barriers.invalidate(m.agent(t), number);
            return;
        }
        Barrier b = m.barriers.used(m.agent(t), number);
        if (!(form instanceof MbarrierWait)) {
            m.facts.at(t.number, t.barrierSteps++, number, b.completed);
        }
        switch (form) {
            case MbarrierArrive a -> {
                long phase = b.phase;
                arrive(number, issue, a.count() ? number(issue, "count") : 1, a.kind());
                token(issue, phase);
            }
            case MbarrierArriveExpectTx a -> {
                long phase = b.phase;
                b.expect(number(issue, "bytes"));
                arrive(number, issue, 1, a.kind());
                token(issue, phase);
            }
            case MbarrierExpectTx _ -> {
                m.barriers.comesBefore(t, number, b.completed);
                b.expect(number(issue, "bytes"));
                m.barriers.advance(number);
            }
            case MbarrierCompleteTx _ -> {
                m.barriers.counts(t.view, number);
                b.expect(-number(issue, "bytes"));
                m.barriers.advance(number);
            }
            case MbarrierWait _ -> {
                // Whether it is complete when somebody looks is a matter of time.
                m.facts.meetAt(m.w.launched, number);
                boolean done = m.barriers.isDone(b, parity(issue));
                if (done) {
                    Effects.Order order = m.w.launched.order(issue);
                    m.barriers.learn(t, number, order.semantics(), order.scope());
                }
                if (!issue.results().isEmpty()) {
                    m.set(t, issue.results().getFirst(), done ? 1 : 0);
                }
            }
            case MbarrierArriveNoComplete _, CpAsyncMbarrierArrive _, MbarrierInit _, MbarrierInval _,
                    MbarrierPendingCount _ -> throw new Unsupported(form.opcode());
        }
    }

    /** The parity, or the token, whose lowest bit is the parity of its phase. */
    long parity(Operation.Instruction i) {
        Input token = m.w.launched.input(i, "token");
        return new Eval(m.w, t).of(token != null ? token : m.w.launched.input(i, "parity"));
    }

    private void arrive(int number, Operation.Issue issue, int count, ArriveOp kind) {
        Barrier b = m.w.barriers[number];
        m.barriers.counts(t.view, number);
        b.arrive(count, kind == ArriveOp.ARRIVE_DROP);
        Effects.Order order = m.w.launched.order(issue);
        m.barriers.note(t, b, order.semantics(), order.scope());
        m.barriers.advance(number);
    }

    private void token(Operation.Issue issue, long phase) {
        if (!issue.results().isEmpty()) {
            m.set(t, issue.results().getFirst(), phase);
        }
    }

    private int number(Operation.Issue issue, String operand) {
        return (int) new Eval(m.w, t).of(issue, operand);
    }
}
