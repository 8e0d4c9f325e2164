package dev.tilewright.reference;

import dev.tilewright.ptx.mbarrier.ArriveOp;
import dev.tilewright.reference.ReferenceException.Kind;

/** The mbarrier family. A token is one slot: see {@link PhaseToken}. */
final class BarrierOps {

    /** In place of a slot, where nobody wants the token. */
    static final int NO_TOKEN = -1;

    /** In place of a count, where it is one. */
    static final IndexCode ONCE = new IndexCode.Constant(1);

    private BarrierOps() {
    }

    record Init(String purpose, BarrierRef barrier, IndexCode arrivals) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            barrier.any(t).init(arrivals.value(t));
            return pc + 1;
        }
    }

    record Invalidate(String purpose, BarrierRef barrier) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            barrier.any(t).invalidate();
            return pc + 1;
        }
    }

    record Arrive(String purpose, BarrierRef barrier, int token) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            keep(t, token, barrier.barrier(t).arrive());
            return pc + 1;
        }
    }

    /** @param completes whether it may complete the phase */
    record ArriveCounted(String purpose, ArriveOp kind, BarrierRef barrier, IndexCode count, boolean completes, int token)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = barrier.barrier(t);
            long arrivals = count.value(t);
            if (!completes) {
                b.requireIncompleteAfter(arrivals);
            }
            keep(t, token, kind == ArriveOp.ARRIVE ? b.arrive(arrivals) : b.arriveAndDrop(arrivals));
            return pc + 1;
        }
    }

    /** Announces bytes first, so that the arrival cannot complete the phase without them. */
    record ArriveExpectTx(String purpose, ArriveOp kind, BarrierRef barrier, IndexCode bytes, int token) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = barrier.barrier(t);
            b.expectTx(bytes.value(t));
            keep(t, token, kind == ArriveOp.ARRIVE ? b.arrive() : b.arriveAndDrop(1));
            return pc + 1;
        }
    }

    record ExpectTx(String purpose, BarrierRef barrier, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            barrier.barrier(t).expectTx(bytes.value(t));
            return pc + 1;
        }
    }

    record CompleteTx(String purpose, BarrierRef barrier, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            barrier.barrier(t).completeTx(bytes.value(t));
            return pc + 1;
        }
    }

    record WaitToken(String purpose, BarrierRef barrier, int token) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = barrier.barrier(t);
            return isOver(t, b, t.slots[token]) ? pc + 1 : block(t, b);
        }
    }

    record WaitParity(String purpose, BarrierRef barrier, IndexCode parity) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = barrier.barrier(t);
            return b.hasCompletedParity(parity.value(t)) ? pc + 1 : block(t, b);
        }
    }

    /** Says whether the phase of a token is over: see {@link #tested}. @param result slot */
    record TestToken(String purpose, BarrierRef barrier, IndexCode token, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = barrier.barrier(t);
            return tested(t, pc, b, result, isOver(t, b, token.value(t)));
        }
    }

    /** Says whether the phase of a parity is over: see {@link #tested}. @param result slot */
    record TestParity(String purpose, BarrierRef barrier, IndexCode parity, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = barrier.barrier(t);
            return tested(t, pc, b, result, b.hasCompletedParity(parity.value(t)));
        }
    }

    record PendingCount(String purpose, IndexCode token, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.slots[result] = PhaseToken.pending(token.value(t));
            return pc + 1;
        }
    }

    /** @param added whether the arrival is one more than the phase expects */
    record ArriveAfterCopies(String purpose, BarrierRef barrier, boolean added) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = barrier.barrier(t);
            if (added) {
                b.addPending();
            }
            t.block.inFlight().start(new InFlight.Arrival(t.copies.startedEver(), b, t, pc));
            return pc + 1;
        }
    }

    private static void keep(ThreadState t, int slot, long token) {
        if (slot != NO_TOKEN) {
            t.slots[slot] = token;
        }
    }

    private static boolean isOver(ThreadState t, Mbarrier barrier, long token) {
        if (PhaseToken.address(token) != barrier.address()) {
            throw new Fault(Kind.BARRIER_MISUSE, "barrier " + barrier.name() + " is waited for with a token of barrier "
                    + t.block.barrierAt(PhaseToken.address(token)).name());
        }
        return barrier.hasCompleted(barrier.phaseOf(token));
    }

    /**
     * The end of a test. The first of a thread that finds a phase not over says so at once. Whoever asks again for the same
     * phase polls: it waits, and is told no only when nobody can go on and nothing that it waits for lands.
     */
    private static int tested(ThreadState t, int pc, Mbarrier barrier, int result, boolean over) {
        t.slots[result] = over ? 1 : 0;
        if (over || t.polls.isFirst(barrier) || t.givesUp) {
            t.givesUp = false;
            return pc + 1;
        }
        block(t, barrier);
        t.status = ThreadState.Status.POLLING;
        return Op.BLOCKED;
    }

    private static int block(ThreadState t, Mbarrier barrier) {
        barrier.blockedIn(t.block.cluster().pass());
        t.waitsFor = barrier;
        t.status = ThreadState.Status.AT_BARRIER;
        return Op.BLOCKED;
    }
}
