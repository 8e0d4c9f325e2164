package dev.tilewright.hazard.explore;

import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import java.util.ArrayList;
import java.util.List;

/** Waits: an instruction issued until a condition on its result holds. Only the last time counts. */
final class Polls {
    private final Machine m;
    private final ThreadState t;
    private final Places places;

    Polls(Machine m, ThreadState t) {
        this.m = m;
        this.t = t;
        this.places = new Places(m.w, t);
    }

    boolean canEnd(Operation.Poll poll) {
        return switch (poll.form()) {
            case MbarrierWait _ -> {
                Barrier b = m.w.barriers[places.barrier(places.of(poll, "mbar"))];
                yield b.life != Barrier.Life.VALID || m.barriers.isDone(b, new MbarrierSteps(m, t).parity(poll));
            }
            case Ld _, Atom _ -> !fitting(poll).isEmpty();
            default -> throw new Unsupported("waiting by " + poll.form().opcode());
        };
    }

    /** The writes that would end the wait, by their places among the writes to the cell. */
    private List<Integer> fitting(Operation.Poll poll) {
        long[] before = t.variables.clone();
        int cell = new ScopedSteps(m, t).cell(poll);
        List<Write> all = m.w.writes[cell];
        List<Integer> fitting = new ArrayList<>();
        boolean updates = poll.form() instanceof Atom;
        for (int i = updates ? all.size() - 1 : t.view.generic.get(cell); i < all.size(); i++) {
            if (holds(poll, Values.toLong(m.w.launched.values.bytes(all.get(i).value())))) {
                fitting.add(i);
            }
        }
        t.variables = before;
        return fitting;
    }

    private boolean holds(Operation.Poll poll, long value) {
        if (!(poll.until() instanceof Operation.Until.Holds(Expr.Var variable, Expr condition))) {
            throw new Unsupported("a wait for a predicate of memory");
        }
        m.set(t, variable, value);
        return new Eval(m.w, t).of(condition) != 0;
    }

    void end(Operation.Poll poll) {
        switch (poll.form()) {
            case MbarrierWait _ -> {
                int number = places.barrier(places.of(poll, "mbar"));
                Barrier b = m.barriers.used(m.agent(t), number);
                m.facts.at(t.number, t.barrierSteps++, number, b.completed);
                Effects.Order order = m.w.launched.order(poll);
                m.barriers.learn(t, number, order.semantics(), order.scope());
            }
            case Ld ld -> {
                int cell = new ScopedSteps(m, t).cell(poll);
                List<Integer> fitting = fitting(poll);
                int last = m.w.writes[cell].size() - 1;
                int pick = m.chooser.pick(fitting.size() + (fitting.contains(last) ? 0 : 1));
                if (pick == fitting.size()) {
                    // It looked when the value was another one again.
                    t.view.generic.set(cell, last);
                    t.pc--;
                    return;
                }
                int seen = fitting.get(pick);
                Write write = m.w.writes[cell].get(seen);
                if (seen > t.view.generic.get(cell)) {
                    see(cell, ld.scope(), write);
                }
                t.view.generic.raise(cell, seen);
                new ScopedSteps(m, t).learn(cell, write, ld.order() == Ld.Order.ACQUIRE, ld.scope());
                holds(poll, Values.toLong(m.w.launched.values.bytes(write.value())));
            }
            case Atom atom -> {
                if (atom.op() != AtomicOp.CAS) {
                    throw new Unsupported("waiting by " + atom.opcode());
                }
                holds(poll, new ScopedSteps(m, t).update(poll, atom));
            }
            default -> throw new Unsupported("waiting by " + poll.form().opcode());
        }
    }

    /** Goes on because of a write that came since it looked. */
    private void see(int cell, Scope scope, Write write) {
        m.facts.meeting(m.w.launched.cells, cell);
        if (!m.memory.isStrong(t.number, scope, write)) {
            m.facts.race(m.w.launched.cells, cell, "a wait for a value that need never be seen");
            if (m.chooser.pick(2) == 1) {
                throw new Ending("a wait for a value that need never be seen");
            }
        }
    }

    /** How another turn of a loop can begin. */
    Machine.Next again() {
        return t.looked.isEmpty() ? Machine.Next.LOCAL
                : newer().isEmpty() ? Machine.Next.BLOCKED : Machine.Next.VISIBLE;
    }

    /** The cells that it has looked at and that were written since. */
    private List<Integer> newer() {
        return t.looked.keySet().stream().filter(c -> t.view.generic.get(c) < m.w.writes[c].size() - 1).toList();
    }

    /** Begins another turn of a loop; if the last one looked at values, this one sees another one of them. */
    void beginAgain() {
        List<Integer> newer = newer();
        if (!newer.isEmpty()) {
            int cell = newer.get(m.chooser.pick(newer.size()));
            int next = t.view.generic.get(cell) + 1;
            t.view.generic.set(cell, next);
            see(cell, t.looked.get(cell), m.w.writes[cell].get(next));
        }
        t.looked.clear();
    }
}
