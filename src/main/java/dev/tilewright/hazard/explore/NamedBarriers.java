package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.paged.Key;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Warp;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import dev.tilewright.ptx.warp.WarpInstruction;

/**
 * The named barriers of a block (PTX ISA, "barrier{.cta}"): a phase ends when as many threads have come as it is for;
 * those who wait then know what all who came knew.
 *
 * <p>Who comes counts in the same phase in every order where he knows that the phase before is complete, as a later
 * arrival then cannot be taken for this one. Where somebody does not know, the order of arrivals is tried out.
 */
record NamedBarriers(Machine m) {
    /** In each block. */
    static final int COUNT = 16;

    /** One of the 16 named barriers of a block. */
    static final class NamedBarrier {
        /** How many come in this phase; 0 where none has. */
        int threads;
        int come;
        /** How many of the threads that came voted true. */
        int trues;
        /** Phases that are complete. */
        int completed;
        /** What the threads that came knew. */
        View gathered;

        NamedBarrier(View empty) {
            gathered = empty;
        }

        NamedBarrier copy() {
            NamedBarrier b = new NamedBarrier(gathered.copy());
            b.threads = threads;
            b.come = come;
            b.trues = trues;
            b.completed = completed;
            return b;
        }

        void addTo(Key key) {
            key.add(threads * 4096L + come);
            key.add(trues * 4096L + completed);
            View.addTo(key, gathered);
        }
    }

    static boolean isOne(Object form) {
        return form instanceof BarrierCtaSync || form instanceof BarrierCtaArrive || form instanceof BarrierCtaRed;
    }

    private int id(ThreadState t, Operation.Instruction i) {
        long id = new Eval(m.w, t).of(i, "barrier");
        if (id < 0 || id >= COUNT) {
            throw new Ending("a named barrier that is not there");
        }
        if (id == 0 && m.w.launched.meets) {
            throw new Unsupported("named barrier 0 beside __syncthreads, which is the same");
        }
        return (int) id;
    }

    /** Its number among all barriers of the launch. */
    private int number(ThreadState t, int id) {
        return m.w.barriers.length + m.w.block(t.number) * COUNT + id;
    }

    Machine.Next next(ThreadState t, Operation.Instruction i) {
        return m.at(number(t, id(t, i)));
    }

    void come(ThreadState t, Operation.Issue issue, WarpInstruction form) {
        int id = id(t, issue);
        int number = number(t, id);
        NamedBarrier b = m.w.named[m.w.block(t.number) * COUNT + id];
        boolean isCounted = m.w.launched.input(issue, "threads") != null;
        int threads = isCounted ? (int) new Eval(m.w, t).of(issue, "threads") : m.w.launched.threadsPerBlock;
        if (threads <= 0 || threads % Warp.LANES != 0 && isCounted || threads > m.w.launched.threadsPerBlock) {
            throw new Ending("a named barrier of " + threads + " threads");
        }
        if (b.threads != 0 && b.threads != threads) {
            throw new Ending("a named barrier of " + b.threads + " threads and of " + threads);
        }
        if (t.view.phases.get(number) != b.completed) {
            m.facts.meetAt(m.w.launched, number);
        }
        b.threads = threads;
        b.come++;
        b.gathered.join(t.view);
        if (form instanceof BarrierCtaRed && new Eval(m.w, t).of(issue, "predicate") != 0) {
            b.trues++;
        }
        if (!(form instanceof BarrierCtaArrive)) {
            t.named = number + 1;
        }
        if (b.come == threads) {
            complete(number, b);
        }
    }

    private void complete(int number, NamedBarrier b) {
        b.completed++;
        b.gathered.phases.set(number, b.completed);
        for (ThreadState t : m.w.threads) {
            if (t.named == number + 1) {
                t.named = 0;
                t.view.join(b.gathered);
                if (m.w.launched.code.code.get(t.pc - 1) instanceof FlatCode.Do(Operation.Issue issue)
                        && issue.form() instanceof BarrierCtaRed red && !issue.results().isEmpty()) {
                    m.set(t, issue.results().getFirst(), switch (red.op()) {
                        case POPC -> b.trues;
                        case AND -> b.trues == b.come ? 1 : 0;
                        case OR -> b.trues > 0 ? 1 : 0;
                    });
                }
            }
        }
        b.threads = 0;
        b.come = 0;
        b.trues = 0;
        b.gathered = m.w.launched.view();
    }
}
