package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;

/** The mbarrier family. A token takes two slots: the phase, and the number of the barrier it came from. */
final class BarrierOps {

    /** In place of a slot, where nobody wants the token. */
    static final int NO_TOKEN = -1;

    private BarrierOps() {
    }

    record Init(String purpose, BarrierPlace barrier, int arrivals) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.block.barrier(barrier.number(t)).init(arrivals);
            return pc + 1;
        }
    }

    record Arrive(String purpose, BarrierPlace barrier, int token) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            arrive(t, barrier, token);
            return pc + 1;
        }
    }

    /** Announces bytes first, so that the arrival cannot complete the phase without them. */
    record ArriveExpectTx(String purpose, BarrierPlace barrier, IndexCode bytes, int token) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            barrier.barrier(t).expectTx(bytes.value(t));
            arrive(t, barrier, token);
            return pc + 1;
        }
    }

    record ExpectTx(String purpose, BarrierPlace barrier, IndexCode bytes) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            barrier.barrier(t).expectTx(bytes.value(t));
            return pc + 1;
        }
    }

    record WaitToken(String purpose, BarrierPlace barrier, int token) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = barrier.barrier(t);
            long from = t.slots[token + 1];
            if (from != barrier.number(t)) {
                throw new Fault(Kind.BARRIER_MISUSE, "barrier " + b.name() + " is waited for with a token of barrier "
                        + t.block.barrier((int) from).name());
            }
            return b.hasCompleted(t.slots[token]) ? pc + 1 : block(t, b);
        }
    }

    record WaitParity(String purpose, BarrierPlace barrier, IndexCode parity) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            Mbarrier b = barrier.barrier(t);
            return b.hasCompletedParity(parity.value(t)) ? pc + 1 : block(t, b);
        }
    }

    private static void arrive(ThreadState t, BarrierPlace barrier, int token) {
        long phase = barrier.barrier(t).arrive();
        if (token != NO_TOKEN) {
            t.slots[token] = phase;
            t.slots[token + 1] = barrier.number(t);
        }
    }

    private static int block(ThreadState t, Mbarrier barrier) {
        barrier.blockedIn(t.block.pass());
        t.waitsFor = barrier;
        t.status = ThreadState.Status.AT_BARRIER;
        return Op.BLOCKED;
    }
}
