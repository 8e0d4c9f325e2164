package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;

/**
 * One mbarrier: its phase, the arrivals it still waits for, and the bytes announced less the bytes that came.
 *
 * <p>A phase completes when no arrival is pending and the byte count is zero; the next phase then starts with all its
 * arrivals pending. Source: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier", from which
 * the ranges are taken too. The hardware keeps one bit of the phase number and calls it parity; here the whole number
 * is kept, for messages and to notice tokens that are too old.
 */
final class Mbarrier {
    /** The largest byte count that an mbarrier can hold, either sign. */
    static final int LARGEST_TX = (1 << 20) - 1;

    private final String name;
    private boolean initialised;
    private int expectedArrivals;
    private int pendingArrivals;
    private long bytesExpected;
    private long bytesCame;
    private long phase;
    private long lastBlockedPass;

    /** @param name as people know it, such as {@code full[2]} */
    Mbarrier(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    /** Back to memory that nobody has initialised. */
    void forget() {
        initialised = false;
    }

    void init(int arrivals) {
        if (initialised) {
            throw misuse("is initialised a second time");
        }
        initialised = true;
        expectedArrivals = arrivals;
        pendingArrivals = arrivals;
        bytesExpected = 0;
        bytesCame = 0;
        phase = 0;
    }

    void requireInitialised() {
        if (!initialised) {
            throw misuse("is used before it is initialised");
        }
    }

    /** Announces bytes for the current phase. */
    void expectTx(long bytes) {
        if (bytes < 0 || bytes > LARGEST_TX) {
            throw new Fault(Kind.BAD_SIZE, "barrier " + name + " can be told to expect 0 to " + LARGEST_TX
                    + " bytes at once, got " + bytes);
        }
        bytesExpected += bytes;
        checkTx();
        completeIfDone();
    }

    /** Arrives once. @return the phase arrived in: the value of a token */
    long arrive() {
        long arrivedIn = phase;
        if (pendingArrivals == 0) {
            throw misuse("gets an arrival too many: all " + expectedArrivals + " of phase " + phase
                    + " have come, and the phase still waits for bytes (" + bytesExpected + " expected, " + bytesCame
                    + " came)");
        }
        pendingArrivals--;
        completeIfDone();
        return arrivedIn;
    }

    /** Counts bytes that landed. */
    void completeTx(long bytes) {
        bytesCame += bytes;
        checkTx();
        completeIfDone();
    }

    /** Whether the phase that a token names is over. */
    boolean hasCompleted(long tokenPhase) {
        if (tokenPhase < phase - 1) {
            throw misuse("is in phase " + phase + ", and a token of phase " + tokenPhase
                    + " can no longer be waited for: only the current phase and the one before it can");
        }
        return tokenPhase != phase;
    }

    /** Whether a wait for this parity passes: the current, incomplete phase has the other one. */
    boolean hasCompletedParity(long parity) {
        if (parity != 0 && parity != 1) {
            throw misuse("is waited for with parity " + parity + ": a parity is 0 or 1");
        }
        return (phase & 1) != parity;
    }

    long phase() {
        return phase;
    }

    /** Remembers that a thread waits for the current phase in this pass of the scheduler. */
    void blockedIn(long pass) {
        lastBlockedPass = pass;
    }

    boolean isWaitedForIn(long pass) {
        return lastBlockedPass == pass;
    }

    /** What keeps the current phase from completing, for people. */
    String state() {
        return "barrier " + name + " stays in phase " + phase + " (parity " + (phase & 1) + ") with " + pendingArrivals
                + " of " + expectedArrivals + " arrivals pending, " + bytesExpected + " bytes expected and "
                + bytesCame + " bytes that came";
    }

    private void checkTx() {
        long tx = bytesExpected - bytesCame;
        if (tx > LARGEST_TX || tx < -LARGEST_TX) {
            throw misuse("cannot count " + tx + " outstanding bytes: its range is -" + LARGEST_TX + " to " + LARGEST_TX);
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
        return new Fault(Kind.BARRIER_MISUSE, "barrier " + name + " " + what);
    }
}
