package dev.tilewright.reference.state;

import dev.tilewright.Counted;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;

/**
 * One mbarrier: its phase, the arrivals it still waits for, and the bytes announced less the bytes that came.
 *
 * <p>A phase completes when no arrival is pending and the byte count is zero; the next phase then starts with all its
 * arrivals pending. Source: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier", from which
 * the ranges are taken too. The hardware keeps one bit of the phase number and calls it parity; here the whole number
 * is kept, for messages and to notice tokens that are too old.
 */
public final class Mbarrier {
    /** The largest byte count that an mbarrier can hold, either sign. */
    static final int LARGEST_TX = (1 << 20) - 1;
    /** The most arrivals that a phase can have. */
    static final int MOST_ARRIVALS = (1 << 20) - 1;

    private enum Life { NEVER_INITIALISED, VALID, INVALIDATED }

    private final String name;
    private final int address;
    private Life life = Life.NEVER_INITIALISED;
    private int expectedArrivals;
    private int pendingArrivals;
    private long bytesExpected;
    private long bytesCame;
    private long phase;
    /**
     * Phases, and some never begun, of the barriers before this one at its place: tokens count them, so that theirs are
     * known.
     */
    private long phasesBefore;
    private int owner;
    private long lastBlockedPass;

    /**
     * @param name as people know it, such as {@code full[2]}
     * @param address where it lies in shared memory, a multiple of 8
     */
    Mbarrier(String name, int address) {
        this.name = name;
        this.address = address;
    }

    public String name() {
        return name;
    }

    /** Where it lies in its block's shared memory. */
    public int address() {
        return address;
    }

    /** The block whose shared memory it lies in, by its number in the grid. */
    public int owner() {
        return owner;
    }

    /** Back to memory in which no barrier has been initialised. @param block whose it is from now on */
    void restart(int block) {
        owner = block;
        life = Life.NEVER_INITIALISED;
        phase = 0;
        phasesBefore = 0;
    }

    public void init(long arrivals) {
        if (life == Life.VALID) {
            throw misuse("is initialised a second time");
        }
        if (arrivals < 1 || arrivals > MOST_ARRIVALS) {
            throw arrivals("can be initialised for 1 to " + MOST_ARRIVALS + " arrivals, got " + arrivals);
        }
        expectedArrivals = (int) arrivals;
        pendingArrivals = (int) arrivals;
        bytesExpected = 0;
        bytesCame = 0;
        if (life == Life.INVALIDATED) {
            phasesBefore += phase + 1;
        }
        phase = 0;
        life = Life.VALID;
    }

    /** Ends its life; its bytes may serve otherwise, or hold another barrier. */
    public void invalidate() {
        requireInitialised();
        life = Life.INVALIDATED;
    }

    public void requireInitialised() {
        if (life != Life.VALID) {
            throw misuse(life == Life.INVALIDATED ? "is used after mbarrier.inval has ended its life"
                    : "is used before it is initialised");
        }
    }

    public boolean isValid() {
        return life == Life.VALID;
    }

    /** Announces bytes for the current phase. */
    public void expectTx(long bytes) {
        if (bytes < 0 || bytes > LARGEST_TX) {
            throw new Fault(Kind.BAD_SIZE, "barrier " + name + " can be told to expect 0 to " + LARGEST_TX
                    + " bytes at once, got " + bytes);
        }
        bytesExpected += bytes;
        checkTx();
        completeIfDone();
    }

    /** Arrives once. @return a token of the phase arrived in */
    public long arrive() {
        return arrive(1);
    }

    /** Arrives n times. @return a token of the phase arrived in */
    public long arrive(long count) {
        return arrive(count, expectedArrivals);
    }

    private long arrive(long count, int expectedBefore) {
        long token = PhaseToken.of(this, phasesBefore + phase, pendingArrivals);
        if (count < 1 || count > MOST_ARRIVALS) {
            throw arrivals("can be arrived at 1 to " + MOST_ARRIVALS + " times at once, got " + count);
        }
        if (expectedBefore == 0 && pendingArrivals == 0) {
            throw arrivals("gets an arrival, but every participant has dropped out: no thread may arrive any more");
        }
        if (count > pendingArrivals) {
            if (pendingArrivals > 0) {
                throw arrivals("gets " + Counted.of(count, "arrival") + " at once, and only " + pendingArrivals
                        + " of phase " + phase + (pendingArrivals == 1 ? " is" : " are") + " pending");
            }
            throw fault(Kind.ARRIVAL_BEFORE_BYTES, "gets an arrival too many: "
                    + (expectedBefore == 1 ? "the only one of phase " + phase + " has come"
                            : "all " + expectedBefore + " of phase " + phase + " have come") + ", and the phase still "
                            + "waits for bytes (" + bytesExpected + " expected, " + bytesCame + " came)");
        }
        pendingArrivals -= (int) count;
        completeIfDone();
        return token;
    }

    /** Arrives n times, and the later phases expect n fewer arrivals. @return a token of the phase arrived in */
    public long arriveAndDrop(long count) {
        int before = expectedArrivals;
        expectedArrivals = (int) Math.max(0, before - count);
        try {
            return arrive(count, before);
        } catch (Fault f) {
            expectedArrivals = before;
            throw f;
        }
    }

    /** What must not complete the phase: an arrival that was not to ({@code .noComplete}). */
    public void requireIncompleteAfter(long count) {
        if (count == pendingArrivals && bytesExpected == bytesCame) {
            throw arrivals("has " + Counted.of(pendingArrivals, "arrival") + " of phase " + phase + " pending, and "
                    + count + (count == 1 ? " more comes" : " more come") + " with .noComplete, which must not "
                    + "complete the phase: its behaviour is undefined then");
        }
    }

    /** One arrival more is pending in the current phase alone: that of copies under way. */
    public void addPending() {
        if (pendingArrivals == MOST_ARRIVALS) {
            throw arrivals("cannot wait for more than " + MOST_ARRIVALS + " arrivals");
        }
        pendingArrivals++;
    }

    /** Bytes that were announced, or will be, have come. */
    public void completeTx(long bytes) {
        if (bytes < 0 || bytes > LARGEST_TX) {
            throw new Fault(Kind.BAD_SIZE, "barrier " + name + " can be told of 0 to " + LARGEST_TX
                    + " bytes at once, got " + bytes);
        }
        requireInitialised();
        bytesCame += bytes;
        checkTx();
        completeIfDone();
    }

    /** The phase of this barrier that a token names. */
    public long phaseOf(long token) {
        return PhaseToken.phase(token) - phasesBefore;
    }

    /** Whether a phase, as a token names it, is over. */
    public boolean hasCompleted(long tokenPhase) {
        if (tokenPhase < 0) {
            throw misuse("is waited for with a token from before mbarrier.inval: it was initialised again since");
        }
        if (tokenPhase < phase - 1) {
            throw misuse("is in phase " + phase + ", and a token of phase " + tokenPhase
                    + " can no longer be waited for: only the current phase and the one before it can");
        }
        return tokenPhase != phase;
    }

    /** Whether a wait for this parity passes: the current, incomplete phase has the other one. */
    public boolean hasCompletedParity(long parity) {
        if (parity != 0 && parity != 1) {
            throw misuse("is waited for with parity " + parity + ": a parity is 0 or 1");
        }
        return (phase & 1) != parity;
    }

    public long phase() {
        return phase;
    }

    /** Remembers that a thread waits for the current phase in this pass of the scheduler. */
    public void blockedIn(long pass) {
        lastBlockedPass = pass;
    }

    boolean isWaitedForIn(long pass) {
        return lastBlockedPass == pass;
    }

    /** What keeps the current phase from completing, for people. */
    public String state() {
        return "barrier " + name + " stays in phase " + phase + " (parity " + (phase & 1) + ") with " + pendingArrivals
                + " of " + Counted.of(expectedArrivals, "arrival") + " pending, "
                + Counted.of(bytesExpected, "byte") + " expected and " + Counted.of(bytesCame, "byte") + " that came";
    }

    private void checkTx() {
        long tx = bytesExpected - bytesCame;
        if (tx > LARGEST_TX || tx < -LARGEST_TX) {
            throw misuse("cannot count " + tx + " outstanding bytes: its range is -" + LARGEST_TX + " to "
                    + LARGEST_TX);
        }
    }

    private void completeIfDone() {
        if (pendingArrivals == 0 && bytesExpected == bytesCame) {
            phase++;
            pendingArrivals = expectedArrivals;
            bytesExpected = 0;
            bytesCame = 0;
        }
    }

    private Fault misuse(String what) {
        return fault(Kind.BARRIER_MISUSE, what);
    }

    private Fault arrivals(String what) {
        return fault(Kind.BARRIER_ARRIVALS, what);
    }

    private Fault fault(Kind kind, String what) {
        return new Fault(kind, "barrier " + name + " " + what);
    }
}
