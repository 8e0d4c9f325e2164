package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.paged.Key;
import dev.tilewright.program.Operation;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.memory.ScopedAccess;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Every order, depth first: only the states on the way to the one at hand are kept, of the others a fingerprint. */
final class Search {
    /** From this many on, copies move on before their threads do. */
    private static final int MANY_COPIES = 8;
    /** Of all passes together. */
    static final long MOST_STEPS = 20_000_000;
    private final Launched launched;
    private final Facts facts;
    private final Endings endings;
    private final int mostStates;
    private final long mostBytes;
    private final Set<Key.Print> met = new HashSet<>();
    private final List<Fork> path = new ArrayList<>();
    private Exploration.Limit limit = Exploration.Limit.NONE;
    private int states;
    /** Before this pass, and in it. */
    private long steps;
    private long bytes;

    /** What can move in a state: a block that begins, a thread, a copy. */
    private record Turn(Kind kind, int number) {
        enum Kind { START, THREAD, COPY }
    }

    /** A state, and which of its ways on have been gone. */
    private static final class Fork {
        final World w;
        final long bytes;
        final List<Turn> turns;
        private Chooser chooser = new Chooser();

        Fork(World w, List<Turn> turns) {
            this.w = w;
            this.bytes = w.bytes();
            this.turns = turns;
        }

        /** After a way was gone: goes on to the next way of this turn, or to the next turn. */
        void advance() {
            if (!chooser.next()) {
                chooser = new Chooser();
                turns.removeLast();
            }
        }
    }

    /** @param mostBytes of the states on the way, about @param steps that were made in passes before */
    Search(Launched launched, Facts facts, Endings endings, int mostStates, long mostBytes, long steps) {
        this.launched = launched;
        this.facts = facts;
        this.endings = endings;
        this.mostStates = mostStates;
        this.mostBytes = mostBytes;
        this.steps = steps;
    }

    /** How many were met. */
    int states() {
        return states;
    }

    /** How many were made, with those of passes before. */
    long steps() {
        return steps;
    }

    Exploration.Limit limit() {
        return limit;
    }

    /** Goes on until all orders are tried, two ends differ, one is a mistake, or a bound is reached. */
    void run() {
        settle(new World(launched));
        while (!path.isEmpty() && !endings.isWrong() && !facts.unwatchedRace && limit == Exploration.Limit.NONE) {
            Fork fork = path.getLast();
            if (fork.turns.isEmpty()) {
                path.removeLast();
                bytes -= fork.bytes;
            } else {
                World after = fork.w.copy();
                boolean settles = make(fork.turns.getLast(), after, fork.chooser);
                fork.advance();
                if (settles) {
                    settle(after);
                }
            }
        }
    }

    /** Makes a visible step. @return false where the run cannot go on */
    private boolean make(Turn turn, World w, Chooser chooser) {
        Machine m = new Machine(w, chooser, facts);
        try {
            switch (turn.kind) {
                case START -> w.started[turn.number] = true;
                case THREAD -> m.step(w.threads[turn.number]);
                case COPY -> new CopyProgress(m).step(w.copies.get(turn.number));
            }
            return true;
        } catch (Ending ending) {
            endings.goesWrong(w, ending.getMessage());
            return false;
        }
    }

    /** Makes all local steps, and goes on from the state later if it is new. */
    private void settle(World w) {
        Machine m = new Machine(w, new Chooser(), facts);
        CopyProgress copies = new CopyProgress(m);
        List<Turn> turns;
        try {
            boolean moved = true;
            while (moved && steps <= MOST_STEPS) {
                moved = false;
                for (ThreadState t : w.threads) {
                    while (m.next(t) == Machine.Next.LOCAL && steps++ <= MOST_STEPS) {
                        m.step(t);
                        moved = true;
                        if (w.copies.size() > MANY_COPIES) {
                            settle(w, copies);
                        }
                    }
                }
                moved |= settle(w, copies);
            }
            w.tidy();
            if (!met.add(w.print())) {
                return;
            }
            turns = turns(w);
        } catch (Ending ending) {
            endings.goesWrong(w, ending.getMessage());
            return;
        }
        if (turns.isEmpty()) {
            endings.ended(w);
        }
        Fork fork = new Fork(w, turns);
        path.add(fork);
        bytes += fork.bytes;
        long trail = w.trail == null ? 0 : (long) w.trail.length * Trail.BYTES;
        limit = ++states > mostStates ? Exploration.Limit.STATES : bytes + trail > mostBytes ? Exploration.Limit.MEMORY
                : steps > MOST_STEPS ? Exploration.Limit.STEPS : limit;
    }

    private static boolean settle(World w, CopyProgress copies) {
        boolean moved = false;
        for (Copy c : List.copyOf(w.copies)) {
            while (w.copies.contains(c) && copies.next(c) == Machine.Next.LOCAL) {
                copies.step(c);
                moved = true;
            }
        }
        return moved;
    }

    /** What is to be tried next: of a cluster that is apart alone, else of all. */
    private List<Turn> turns(World w) {
        Machine m = new Machine(w, null, facts);
        CopyProgress copies = new CopyProgress(m);
        List<Turn> all = new ArrayList<>();
        for (int cluster = 0; cluster < w.met.length; cluster++) {
            List<Turn> here = new ArrayList<>();
            for (int b = cluster * launched.clusterBlocks; b < (cluster + 1) * launched.clusterBlocks; b++) {
                if (!w.started[b]) {
                    here.add(new Turn(Turn.Kind.START, b));
                }
            }
            for (ThreadState t : w.threads) {
                if (w.cluster(t.number) == cluster && m.next(t) == Machine.Next.VISIBLE) {
                    here.add(new Turn(Turn.Kind.THREAD, t.number));
                }
            }
            for (int c = 0; c < w.copies.size(); c++) {
                if (w.cluster(w.copies.get(c).issuer) == cluster
                        && copies.next(w.copies.get(c)) == Machine.Next.VISIBLE) {
                    here.add(new Turn(Turn.Kind.COPY, c));
                }
            }
            if (!here.isEmpty() && isApart(w, cluster)) {
                return here;
            }
            all.addAll(here);
        }
        return all;
    }

    /**
     * Whether all that the cluster's threads and copies may do next concerns the cluster alone, so that what others do
     * before makes no difference.
     */
    private boolean isApart(World w, int cluster) {
        for (ThreadState t : w.threads) {
            if (w.cluster(t.number) == cluster && !t.finished && !isApart(launched.code.code.get(t.pc))) {
                return false;
            }
        }
        return w.copies.stream().noneMatch(c -> w.cluster(c.issuer) == cluster && c.stage != Copy.Stage.COMPLETE);
    }

    private static boolean isApart(FlatCode.Insn insn) {
        return !(insn instanceof FlatCode.Again) && !(insn instanceof FlatCode.Do(Operation operation)
                && !isApart(operation));
    }

    private static boolean isApart(Operation operation) {
        return operation instanceof Operation.SyncThreads || operation instanceof Operation.Instruction i
                && !(i.form() instanceof ScopedAccess) && !(i.form() instanceof Fence);
    }
}
