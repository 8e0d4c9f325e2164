package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Memory.Agent;
import dev.tilewright.hazard.explore.Write.Note;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Scope;

/** What threads and copies do with mbarriers. */
record Barriers(World w, Chooser chooser, Facts facts) {
    /** The barrier; its user must know that it is initialised. */
    Barrier used(Agent agent, int number) {
        w.requireThere(number / w.launched.barriersPerBlock);
        Barrier b = w.barriers[number];
        if (b.life != Barrier.Life.VALID) {
            throw new Ending(b.life == Barrier.Life.NONE ? "a barrier that nothing has initialised"
                    : "a barrier after mbarrier.inval");
        }
        for (int c : cells(number)) {
            if (agent.known(c) < w.writes[c].size() - 1) {
                throw new Ending("a barrier whose initialisation need not be seen yet");
            }
        }
        return b;
    }

    /**
     * Somebody makes the phase come nearer to its end: an arrival, or bytes that have come. Where he knows that the
     * phase before is complete, and the phase cannot end without him, he counts in this one in every order.
     */
    void counts(View knows, int number) {
        Barrier b = w.barriers[number];
        if (knows.phases.get(number) != b.completed) {
            facts.meetAt(w.launched, number);
        }
        b.gathered.join(knows);
    }

    /**
     * A thread announces bytes, or passes a wait: something that has to come before the phase ends, or else the order
     * makes a difference. @param least phases that it has to know to be complete
     */
    void comesBefore(ThreadState t, int number, int least) {
        if (t.view.phases.get(number) < least) {
            facts.meetAt(w.launched, number);
        }
        if (w.passers.has(number, t.number)) {
            w.forEachView(v -> v.passed.remove(number, t.number));
        }
        w.passers.add(number, t.number);
        t.view.passed.add(number, t.number);
    }

    /** Goes on to the next phase where nothing is missing. */
    void advance(int number) {
        Barrier b = w.barriers[number];
        if (b.advance(w.launched.threadsPerBlock)) {
            if (w.passers.hasMore(number, b.gathered.passed, -1)) {
                facts.meetAt(w.launched, number);
            }
            w.passers.clear(number);
            w.forEachView(v -> v.passed.clear(number));
            b.gathered = b.gathered.empty();
        }
    }

    /** At the end of a block: that all has landed which was counted at its barriers, some thread has to know. */
    void requireLanded(int block) {
        for (int i = 0; i < w.launched.barriersPerBlock; i++) {
            int number = block * w.launched.barriersPerBlock + i;
            int known = 0;
            for (ThreadState t : w.threads) {
                known = w.block(t.number) == block ? Math.max(known, t.view.phases.get(number)) : known;
            }
            if (w.barriers[number].counted >= known) {
                facts.meetAt(w.launched, number);
            }
        }
    }

    int[] cells(int number) {
        int block = number / w.launched.barriersPerBlock;
        return w.launched.cells.of(w.launched.sharedSpace(block),
                w.launched.barrierOffsets[number % w.launched.barriersPerBlock], 8);
    }

    void initialise(Agent agent, int number, int arrivals) {
        Barrier b = w.barriers[number];
        if (b.life == Barrier.Life.VALID) {
            throw new Ending("mbarrier.init of a barrier that is one");
        }
        new Memory(w, chooser, facts).write(agent, cells(number), Values.of(1, 8));
        b.initialise(arrivals);
    }

    void invalidate(Agent agent, int number) {
        used(agent, number).life = Barrier.Life.GONE;
    }

    /** What a thread's arrival hands on. */
    void note(ThreadState t, Barrier b, Effects.Semantics semantics, Scope scope) {
        if (semantics == Effects.Semantics.RELEASE) {
            Barrier.add(b.arriving, new Note(t.number, scope, t.view), w.launched.threadsPerBlock);
        }
        for (int level = 0; level < 3; level++) {
            if (t.released[level] != null) {
                Scope fence = new Scope[] {Scope.CTA, Scope.CLUSTER, Scope.GPU}[level];
                Scope reach = World.level(scope) < level ? scope : fence;
                Barrier.add(b.arriving, new Note(t.number, reach, t.released[level]), w.launched.threadsPerBlock);
            }
        }
    }

    boolean isDone(Barrier b, long parity) {
        return b.phase != (parity & 1);
    }

    /** What a thread learns by seeing that a phase is complete. */
    void learn(ThreadState t, int number, Effects.Semantics semantics, Scope scope) {
        Barrier b = w.barriers[number];
        comesBefore(t, number, b.completed - 1);
        t.view.phases.set(number, b.completed);
        boolean acquires = semantics == Effects.Semantics.ACQUIRE;
        if (acquires) {
            t.view.join(b.landed);
        } else {
            see(t, 0, b.landed);
        }
        for (Note n : b.complete) {
            if (w.includes(n.scope(), n.writer(), t.number) && w.includes(scope, t.number, n.writer())) {
                if (acquires) {
                    t.view.join(n.view());
                } else {
                    see(t, w.distance(n.writer(), t.number), n.view());
                }
            }
        }
    }

    private static void see(ThreadState t, int level, View view) {
        if (t.seen[level] == null) {
            t.seen[level] = view.copy();
        } else {
            t.seen[level].join(view);
        }
    }

    static void see(ThreadState t, World w, Note note) {
        see(t, w.distance(note.writer(), t.number), note.view());
    }
}
