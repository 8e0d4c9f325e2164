package dev.tilewright.reference.schedule;

import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.op.Op;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.ClusterState;
import dev.tilewright.reference.state.InFlight;
import dev.tilewright.reference.state.ThreadState.Status;
import dev.tilewright.reference.state.ThreadState;
import java.util.List;
import java.util.function.Supplier;

/**
 * Runs clusters of a compiled program. Threads take turns in the order of their numbers, block by block; a turn lasts
 * until the thread has to wait. When a whole round lets no thread go on, or threads repeat loops again and again,
 * copies in flight land, oldest first, until a phase that somebody waits for completes; if none does, the first thread
 * that polls a barrier is told that its phase is not over.
 */
public final class ClusterRunner {

    /** How far a cluster got. */
    enum Progress {
        /** All its threads have exited. */
        ENDED,
        /** Some thread did something, and now none can. */
        MOVED,
        /** Threads repeat loops, which may wait for what another cluster does, or for what is in flight. */
        REPEATS,
        /** No thread could do anything. */
        STUCK
    }

    private final CompiledProgram program;
    private final Op[] ops;
    private final RunBudget budget;
    private final int slice;
    /** Steps that the budget does not know of yet. */
    private long unspent;
    private long threadSteps;
    private final Supplier<List<ClusterState>> started;

    /** @param budget of the whole run @param started clusters under way, for a run that has to end before them */
    public ClusterRunner(CompiledProgram program, RunBudget budget, Supplier<List<ClusterState>> started) {
        this.program = program;
        this.ops = program.ops();
        this.budget = budget;
        this.started = started;
        this.slice = budget.slice();
    }

    /** The budget is told now and then. */
    public void took(long steps) {
        unspent += steps;
        if (unspent >= slice) {
            long spent = unspent;
            unspent = 0;
            budget.spend(spent, this::where);
        }
    }

    /** Asks the budget whether the run may go on. */
    void askBudget() {
        budget.spend(0, this::where);
    }

    private String where() {
        return new Whereabouts(program).of(started.get());
    }

    /** Operations that were performed elsewhere count too. */
    public void performed(long steps) {
        threadSteps += steps;
        took(steps);
    }

    /** Operations performed since this runner was made, added up over all threads. */
    public long threadSteps() {
        return threadSteps;
    }

    /** Runs a cluster to its end. @throws ReferenceException if the program makes a mistake */
    public void run(ClusterState cluster) {
        goOn(cluster, new Rounds());
    }

    /** Runs a cluster on to its end. @param rounds the rounds that others have run; see {@link #run} */
    public void goOn(ClusterState cluster, Rounds rounds) {
        for (;;) {
            switch (advance(cluster, rounds)) {
                case ENDED -> {
                    return;
                }
                case REPEATS -> landForRepeaters(cluster);
                case MOVED, STUCK -> throw new Deadlock(program, cluster).describe();
            }
        }
    }

    /**
     * Runs a cluster until its end, until no thread can go on, or until its threads have repeated loops often enough.
     *
     * @throws ReferenceException if the program makes a mistake
     */
    Progress advance(ClusterState cluster) {
        return advance(cluster, new Rounds());
    }

    private Progress advance(ClusterState cluster, Rounds rounds) {
        boolean any = false;
        while (cluster.live() > 0) {
            took(0);
            cluster.nextPass();
            rounds.begin();
            for (BlockState block : cluster.blocks()) {
                for (ThreadState thread : block.threads()) {
                    if (thread.status.tries) {
                        long again = thread.again;
                        boolean did = takeTurn(thread);
                        rounds.turnEnds(did, thread.again > again);
                    }
                }
            }
            if (rounds.areEnough()) {
                return Progress.REPEATS;
            }
            if (!rounds.moved() && !landForWaiters(cluster) && !somePollFails(cluster)) {
                return any ? Progress.MOVED : Progress.STUCK;
            }
            any = true;
        }
        requireNothingInFlight(cluster);
        return Progress.ENDED;
    }

    /** Runs a thread until it waits or exits. @return whether it did anything */
    public boolean takeTurn(ThreadState thread) {
        Op[] code = ops;
        int pc = thread.pc;
        long done = 0;
        long told = 0;
        int mask = slice - 1;
        thread.status = Status.RUNNABLE;
        try {
            for (;;) {
                int next = code[pc].run(thread, pc);
                if (next < 0) {
                    if (next == Op.BLOCKED) {
                        thread.pc = pc;
                        return done > 0;
                    }
                    done++;
                    return true;
                }
                done++;
                pc = next;
                if ((done & mask) == 0) {
                    thread.pc = pc;
                    took(done - told);
                    told = done;
                }
            }
        } catch (Fault f) {
            clashes(thread, f.other());
            throw failed(thread, pc, f.kind(), f.getMessage());
        } catch (ArithmeticException e) {
            throw failed(thread, pc, Kind.ARITHMETIC, "an address does not fit 64 bits: " + e.getMessage());
        } finally {
            threadSteps += done;
            unspent += done - told;
        }
    }

    /** Runs a thread for at most n steps. @return whether it did anything */
    boolean takeTurn(ThreadState thread, int steps) {
        boolean moved = false;
        thread.status = Status.RUNNABLE;
        try {
            for (int i = 0; i < steps; i++) {
                int next = ops[thread.pc].run(thread, thread.pc);
                if (next == Op.BLOCKED) {
                    return moved;
                }
                moved = true;
                threadSteps++;
                took(1);
                if (next == Op.YIELD) {
                    return true;
                }
                thread.pc = next;
            }
            return moved;
        } catch (Fault f) {
            clashes(thread, f.other());
            throw failed(thread, thread.pc, f.kind(), f.getMessage());
        } catch (ArithmeticException e) {
            throw failed(thread, thread.pc, Kind.ARITHMETIC, "an address does not fit 64 bits: " + e.getMessage());
        }
    }

    /** Lands what is in flight until a phase that a thread waits for completes. @return false if none does */
    public boolean landForWaiters(ClusterState cluster) {
        for (;;) {
            InFlight.Pending pending = cluster.inFlight().takeOldestWaitedFor(cluster.pass());
            if (pending == null) {
                return false;
            }
            long phase = pending.barrier().phase();
            land(pending);
            if (pending.barrier().phase() != phase) {
                return true;
            }
        }
    }

    /** The first thread that polls may be told no. @return false if none polls */
    private static boolean somePollFails(ClusterState cluster) {
        for (BlockState block : cluster.blocks()) {
            for (ThreadState t : block.threads()) {
                if (t.status == Status.POLLING) {
                    t.givesUp = true;
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Ends what a GPU would end by itself, where threads may wait for it in loops: what other threads wait for, or else
     * the oldest bulk store, or else the oldest copy.
     */
    public void landForRepeaters(ClusterState cluster) {
        if (!landForWaiters(cluster) && !writeOldest(cluster)) {
            landOldest(cluster);
        }
    }

    /** Writes the oldest bulk store of the first thread that has one. @return false if none has */
    static boolean writeOldest(ClusterState cluster) {
        for (BlockState block : cluster.blocks()) {
            for (ThreadState t : block.threads()) {
                if (t.stores.writeOldest()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Lands the oldest copy in flight. @return false if there is none */
    boolean landOldest(ClusterState cluster) {
        if (cluster.inFlight().size() == 0) {
            return false;
        }
        land(cluster.inFlight().take(0));
        return true;
    }

    void land(InFlight.Pending pending) {
        try {
            pending.land();
        } catch (Fault f) {
            throw at(pending.by(), pending.pc(), f.kind(), f.getMessage());
        }
    }

    /** @throws ReferenceException if the cluster ends before a copy that it has started */
    public void requireNothingInFlight(ClusterState cluster) {
        if (cluster.inFlight().size() > 0) {
            InFlight.Pending left = cluster.inFlight().leftOver();
            if (left != null) {
                throw at(left.by(), left.pc(), Kind.LEFT_IN_FLIGHT, left.leftOver().getMessage());
            }
        }
    }

    /** @param other whom the thread does not fit with; null for none */
    private void clashes(ThreadState thread, Fault.Other other) {
        if (program.observer() != null && other != null) {
            program.observer().clashes(thread.block.index(), other.thread(), program.step(other.pc()));
        }
    }

    /** A step was refused while a thread performed it. */
    private ReferenceException failed(ThreadState thread, int pc, Kind kind, String sentence) {
        if (program.observer() != null) {
            program.observer().fault(thread.block.index(), thread.index, program.step(pc), kind, sentence);
        }
        return at(thread, pc, kind, sentence);
    }

    private ReferenceException at(ThreadState thread, int pc, Kind kind, String sentence) {
        return new ReferenceException(
                kind, program.name(), thread.block.index(), thread.index, program.step(pc), program.purpose(pc),
                sentence);
    }
}
