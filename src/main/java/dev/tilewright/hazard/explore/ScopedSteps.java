package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Write.Note;
import dev.tilewright.program.Operation;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.memory.St;
import java.util.ArrayList;
import java.util.List;

/** A thread's accesses that have an order and a scope (PTX ISA, "Release and Acquire Patterns"). */
record ScopedSteps(Machine m, ThreadState t) {
    /** The cell that the instruction accesses. */
    int cell(Operation.Instruction i) {
        Places places = new Places(m.w, t);
        Copy.Place place = places.of(i, i.form() instanceof Ld ? "src" : "dst");
        DataType type = switch ((ScopedAccess) i.form()) {
            case Ld ld -> ld.type();
            case St st -> st.type();
            case Atom atom -> atom.type();
            case Red red -> red.type();
        };
        if (place.offset() % type.bytes() != 0) {
            throw new Ending("a misaligned access");
        }
        int cell = m.w.launched.cells.of(place.space(), place.offset(), type.bytes())[0];
        if (m.w.launched.cells.bytes(cell) != type.bytes()) {
            throw new Unsupported("scoped accesses of several widths");
        }
        return cell;
    }

    /** Whether it matters when the access is made. */
    boolean isVisible(Operation.Instruction i) {
        int cell = cell(i);
        Cells cells = m.w.launched.cells;
        return cells.isWatched(cell) || cells.isShared(cell) && cells.block(cell) != m.w.block(t.number);
    }

    void perform(Operation.Issue issue, ScopedAccess access) {
        switch (access) {
            case Ld ld -> {
                t.looked.put(cell(issue), ld.scope());
                Write seen = m.memory.readScoped(m.agent(t), cell(issue), ld.scope());
                learn(cell(issue), seen, ld.order() == Ld.Order.ACQUIRE, ld.scope());
                if (!issue.results().isEmpty()) {
                    m.setRead(t, issue.results().getFirst(), seen.value());
                }
            }
            case St st -> {
                int cell = cell(issue);
                long value = value(issue, "value");
                m.memory.write(m.agent(t), cell, m.w.launched.values.number(Values.of(value, st.type().bytes())),
                        st.scope(), notes(cell, st.order() == St.Order.RELEASE, st.scope()));
            }
            case Red red -> m.memory.update(m.agent(t), cell(issue), red.scope(), red.op(), red.type(),
                    value(issue, "value"), 0, notes(cell(issue), red.order() == Red.Order.RELEASE, red.scope()));
            case Atom atom -> result(issue, update(issue, atom));
        }
    }

    /** Makes an update. @return the old value */
    long update(Operation.Instruction i, Atom atom) {
        int cell = cell(i);
        boolean releases = atom.order() == Atom.Order.RELEASE || atom.order() == Atom.Order.ACQ_REL;
        boolean acquires = atom.order() == Atom.Order.ACQUIRE || atom.order() == Atom.Order.ACQ_REL;
        List<Note> notes = notes(cell, releases, atom.scope());
        t.looked.put(cell, atom.scope());
        Memory.Update update = m.memory.update(m.agent(t), cell, atom.scope(), atom.op(), atom.type(),
                value(i, "value"), atom.op() == AtomicOp.CAS ? value(i, "replacement") : 0, notes);
        learn(cell, update.seen(), acquires, atom.scope());
        return update.old();
    }

    /** What a write of this thread to the cell hands on. */
    private List<Note> notes(int cell, boolean releases, Scope scope) {
        List<Note> notes = new ArrayList<>();
        if (releases) {
            notes.add(new Note(t.number, scope, t.view.copy()));
            t.handedOn.put(cell, notes.stream().map(Note::copy).toList());
        } else if (t.handedOn.containsKey(cell)) {
            t.handedOn.get(cell).forEach(n -> notes.add(new Note(n.writer(),
                    World.level(scope) < World.level(n.scope()) ? scope : n.scope(), n.view().copy())));
        }
        for (int level = 0; level < 3; level++) {
            if (t.released[level] != null) {
                Scope fence = new Scope[] {Scope.CTA, Scope.CLUSTER, Scope.GPU}[level];
                notes.add(new Note(t.number, World.level(scope) < level ? scope : fence, t.released[level].copy()));
            }
        }
        return notes;
    }

    /**
     * What a thread learns from the write to a cell that it sees: at once, or when a fence or an acquiring read of the
     * cell follows (PTX ISA 8.8, the three forms of an acquire pattern). The first operation of a release pattern and
     * the last of an acquire pattern are morally strong (8.9.4).
     */
    void learn(int cell, Write seen, boolean acquires, Scope scope) {
        if (acquires) {
            t.seenAt.getOrDefault(cell, List.of()).forEach(n -> acquire(n, scope));
            t.seenAt.remove(cell);
        }
        for (Note n : seen.notes()) {
            if (acquires) {
                acquire(n, scope);
            } else if (isHeard(n, scope)) {
                Barriers.see(t, m.w, n);
                if (!n.view().isWithin(t.view)) {
                    t.seenAt.computeIfAbsent(cell, _ -> new ArrayList<>()).add(n.copy());
                }
            }
        }
    }

    private void acquire(Note n, Scope scope) {
        if (isHeard(n, scope)) {
            t.view.join(n.view());
        }
    }

    private boolean isHeard(Note n, Scope scope) {
        return m.w.includes(n.scope(), n.writer(), t.number) && m.w.includes(scope, t.number, n.writer());
    }

    private void result(Operation.Issue issue, long value) {
        if (!issue.results().isEmpty()) {
            m.set(t, issue.results().getFirst(), value);
        }
    }

    private long value(Operation.Instruction i, String operand) {
        return new Eval(m.w, t).of(i, operand);
    }
}
