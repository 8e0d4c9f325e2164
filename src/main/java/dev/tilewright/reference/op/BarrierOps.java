package dev.tilewright.reference.op;

import dev.tilewright.ptx.mbarrier.ArriveOp;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.InFlight;
import dev.tilewright.reference.state.Mbarrier;
import dev.tilewright.reference.state.PhaseToken;
import dev.tilewright.reference.state.Slots;
import dev.tilewright.reference.state.ThreadState;

/** The mbarrier family. A token is one slot: see {@link PhaseToken}. */
public final class BarrierOps {

    /** In place of a count, where it is one. */
    public static final IndexCode ONCE = new IndexCode.Constant(1);

    private BarrierOps() { }

    public record Init(Site site, BarrierRef barrier, IndexCode arrivals) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = barrier.any(t);
            long count = arrivals.value(t);
            site.init(t, b, count);
            b.init(count);
            return pc + 1;
        }
    }

    public record Invalidate(Site site, BarrierRef barrier) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = site.use(t, barrier);
            site.invalidate(t, b);
            b.invalidate();
            return pc + 1;
        }
    }

    /** @param completes whether it may complete the phase @param token slot, or {@link Slots#NONE} */
    public record Arrive(Site site, ArriveOp kind, BarrierRef barrier, IndexCode count, boolean completes, int token)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = site.use(t, barrier);
            long arrivals = count.value(t);
            site.arrives(t, b, arrivals, kind == ArriveOp.ARRIVE_DROP);
            if (!completes) {
                b.requireIncompleteAfter(arrivals);
            }
            t.keep(token, kind == ArriveOp.ARRIVE ? b.arrive(arrivals) : b.arriveAndDrop(arrivals));
            return pc + 1;
        }
    }

    /** Announces bytes first, so that the arrival cannot complete the phase without them. */
    public record ArriveExpectTx(Site site, ArriveOp kind, BarrierRef barrier, IndexCode bytes, int token)
            implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = site.use(t, barrier);
            long count = bytes.value(t);
            site.expects(t, b, count, false);
            site.arrives(t, b, 1, kind == ArriveOp.ARRIVE_DROP);
            b.expectTx(count);
            t.keep(token, kind == ArriveOp.ARRIVE ? b.arrive() : b.arriveAndDrop(1));
            return pc + 1;
        }
    }

    public record ExpectTx(Site site, BarrierRef barrier, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = site.use(t, barrier);
            long count = bytes.value(t);
            site.expects(t, b, count, true);
            b.expectTx(count);
            return pc + 1;
        }
    }

    public record CompleteTx(Site site, BarrierRef barrier, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = site.use(t, barrier);
            long count = bytes.value(t);
            site.completesTx(t, b, count);
            b.completeTx(count);
            return pc + 1;
        }
    }

    /** What a test or a wait asks of a barrier. */
    public sealed interface Question {
        /** Whether it is over. */
        boolean isOver(ThreadState t, Mbarrier barrier);

        /** Reports that a thread was told so. */
        void passed(Site site, ThreadState t, Mbarrier barrier);

        /** Reports that a thread waits. */
        void blocked(Site site, ThreadState t, Mbarrier barrier);
    }

    /** The phase that a token names. */
    public record OfToken(IndexCode token) implements Question {
        @Override
        public boolean isOver(ThreadState t, Mbarrier barrier) {
            long value = token.value(t);
            if (PhaseToken.address(value) != barrier.address()) {
                throw new Fault(Kind.BARRIER_MISUSE, "barrier " + barrier.name()
                        + " is waited for with a token of barrier "
                        + t.block.barrierAt(PhaseToken.address(value)).name());
            }
            return barrier.hasCompleted(barrier.phaseOf(value));
        }

        @Override
        public void passed(Site site, ThreadState t, Mbarrier barrier) {
            site.tokenPassed(t, barrier, token.value(t));
        }

        @Override
        public void blocked(Site site, ThreadState t, Mbarrier barrier) {
            site.blocked(t, barrier, -1);
        }
    }

    /** The phase of a parity. */
    public record OfParity(IndexCode parity) implements Question {
        @Override
        public boolean isOver(ThreadState t, Mbarrier barrier) {
            return barrier.hasCompletedParity(parity.value(t));
        }

        @Override
        public void passed(Site site, ThreadState t, Mbarrier barrier) {
            site.parityPassed(t, barrier, parity.value(t));
        }

        @Override
        public void blocked(Site site, ThreadState t, Mbarrier barrier) {
            site.blocked(t, barrier, parity.value(t));
        }
    }

    /** Waits until it is over. */
    public record Wait(Site site, BarrierRef barrier, Question question) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = site.use(t, barrier);
            if (question.isOver(t, b)) {
                question.passed(site, t, b);
                return pc + 1;
            }
            question.blocked(site, t, b);
            return block(t, b);
        }
    }

    /**
     * Says whether it is over. The first test of a thread that finds a phase not over says so at once. A thread that
     * asks again for the same phase polls: it waits, and is told no only when no thread can go on and nothing that it
     * waits for lands.
     *
     * @param result slot
     */
    public record Test(Site site, BarrierRef barrier, Question question, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = site.use(t, barrier);
            boolean over = question.isOver(t, b);
            t.keep(result, over ? 1 : 0);
            if (over) {
                question.passed(site, t, b);
            }
            if (over || t.polls.isFirst(b) || t.givesUp) {
                t.givesUp = false;
                return pc + 1;
            }
            block(t, b);
            t.status = ThreadState.Status.POLLING;
            return Op.BLOCKED;
        }
    }

    public record PendingCount(IndexCode token, int result) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.keep(result, PhaseToken.pending(token.value(t)));
            return pc + 1;
        }
    }

    /** @param added whether the arrival is one more than the phase expects */
    public record ArriveAfterCopies(Site site, BarrierRef barrier, boolean added) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = site.use(t, barrier);
            site.cpArrive(t, b, added);
            if (added) {
                b.addPending();
            }
            t.block.inFlight().start(new InFlight.Arrival(t.copies.startedEver(), b, t, pc));
            return pc + 1;
        }
    }

    private static int block(ThreadState t, Mbarrier barrier) {
        barrier.blockedIn(t.block.cluster().pass());
        t.waitsFor = barrier;
        t.status = ThreadState.Status.AT_BARRIER;
        return Op.BLOCKED;
    }
}
