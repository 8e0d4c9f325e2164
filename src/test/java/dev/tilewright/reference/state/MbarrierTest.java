package dev.tilewright.reference.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The states of one mbarrier. */
class MbarrierTest {
    private final Mbarrier barrier = new Mbarrier("full[0]", 16);

    private void init(int arrivals) {
        barrier.init(arrivals);
    }

    @Test
    void aPhaseCompletesWithItsLastArrivalAndTheNextOneStartsAfresh() {
        init(2);
        assertEquals(0, PhaseToken.phase(barrier.arrive()));
        assertEquals(0, barrier.phase());
        assertEquals(0, PhaseToken.phase(barrier.arrive()));
        assertEquals(1, barrier.phase());
        assertEquals(1, PhaseToken.phase(barrier.arrive()));
        assertEquals(1, PhaseToken.phase(barrier.arrive()));
        assertEquals(2, barrier.phase());
    }

    @Test
    void announcedBytesHoldThePhaseOpen() {
        init(1);
        barrier.expectTx(512);
        barrier.arrive();
        assertEquals(0, barrier.phase());
        barrier.completeTx(256);
        assertEquals(0, barrier.phase());
        barrier.completeTx(256);
        assertEquals(1, barrier.phase());
    }

    @Test
    void bytesMayComeBeforeTheyAreAnnounced() {
        init(1);
        barrier.completeTx(64);
        barrier.expectTx(64);
        assertEquals(0, barrier.phase());
        barrier.arrive();
        assertEquals(1, barrier.phase());
    }

    @Test
    void bytesThatNobodyAnnouncedHoldThePhaseOpenToo() {
        init(1);
        barrier.completeTx(64);
        barrier.arrive();
        assertEquals(0, barrier.phase());
        assertEquals("barrier full[0] stays in phase 0 (parity 0) with 0 of 1 arrival pending, 0 bytes expected and "
                + "64 bytes that came", barrier.state());
    }

    @Test
    void anAnnouncementThatComesLastCompletesThePhase() {
        init(1);
        barrier.completeTx(64);
        barrier.arrive();
        barrier.expectTx(64);
        assertEquals(1, barrier.phase());
    }

    @Test
    void aParityWaitPassesWhenTheCurrentPhaseHasTheOtherParity() {
        init(1);
        assertFalse(barrier.hasCompletedParity(0));
        assertTrue(barrier.hasCompletedParity(1));
        barrier.arrive();
        assertTrue(barrier.hasCompletedParity(0));
        assertFalse(barrier.hasCompletedParity(1));
    }

    @Test
    void aTokenNamesItsPhase() {
        init(1);
        long first = PhaseToken.phase(barrier.arrive());
        assertTrue(barrier.hasCompleted(first));
        barrier.expectTx(16);
        long second = PhaseToken.phase(barrier.arrive());
        assertFalse(barrier.hasCompleted(second));
        barrier.completeTx(16);
        assertTrue(barrier.hasCompleted(second));
    }

    @Test
    void anOldTokenIsRefused() {
        init(1);
        long first = PhaseToken.phase(barrier.arrive());
        barrier.arrive();
        assertMisuse("barrier full[0] is in phase 2, and a token of phase 0 can no longer be waited for: only the "
                + "current "
                + "phase and the one before it can", () -> barrier.hasCompleted(first));
    }

    @Test
    void anArrivalTooManyIsRefused() {
        init(1);
        barrier.expectTx(2048);
        barrier.arrive();
        barrier.completeTx(1024);
        assertFault(Kind.ARRIVAL_BEFORE_BYTES, "barrier full[0] gets an arrival too many: the only one of phase 0 has "
                + "come, and the phase still waits for "
                + "bytes (2048 expected, 1024 came)", barrier::arrive);
    }

    @Test
    void theByteCountHasARange() {
        init(1);
        barrier.expectTx(Mbarrier.LARGEST_TX);
        assertMisuse("barrier full[0] cannot count 1048576 outstanding bytes: its range is -1048575 to 1048575",
                () -> barrier.expectTx(1));
    }

    @Test
    void theByteCountHasALowerEndToo() {
        init(1);
        barrier.completeTx(Mbarrier.LARGEST_TX);
        assertMisuse("barrier full[0] cannot count -1048576 outstanding bytes: its range is -1048575 to 1048575",
                () -> barrier.completeTx(1));
    }

    @Test
    void anAnnouncementHasARange() {
        init(1);
        assertFault(Kind.BAD_SIZE, "barrier full[0] can be told to expect 0 to 1048575 bytes at once, got -16",
                () -> barrier.expectTx(-16));
        assertFault(Kind.BAD_SIZE, "barrier full[0] can be told to expect 0 to 1048575 bytes at once, got 1048576",
                () -> barrier.expectTx(1048576));
    }

    @Test
    void initialisationHappensOnce() {
        assertMisuse("barrier full[0] is used before it is initialised", barrier::requireInitialised);
        init(1);
        barrier.requireInitialised();
        assertMisuse("barrier full[0] is initialised a second time", () -> init(1));
        barrier.restart(0);
        assertMisuse("barrier full[0] is used before it is initialised", barrier::requireInitialised);
        init(3);
        assertEquals(0, barrier.phase());
    }

    @Test
    void severalArrivalsComeAtOnce() {
        init(5);
        assertEquals(5, PhaseToken.pending(barrier.arrive(2)));
        long token = barrier.arrive(1);
        assertEquals(3, PhaseToken.pending(token));
        assertEquals(0, PhaseToken.phase(token));
        assertEquals(16, PhaseToken.address(token));
        assertFault(Kind.BARRIER_ARRIVALS, "barrier full[0] gets 3 arrivals at once, and only 2 of phase 0 are pending",
                () -> barrier.arrive(3));
        assertFault(Kind.BARRIER_ARRIVALS, "barrier full[0] can be arrived at 1 to 1048575 times at once, got 0",
                () -> barrier.arrive(0));
        barrier.arrive(2);
        assertEquals(1, barrier.phase());
    }

    @Test
    void whoDropsOutIsNotExpectedAgain() {
        init(3);
        barrier.arriveAndDrop(1);
        assertEquals("barrier full[0] stays in phase 0 (parity 0) with 2 of 2 arrivals pending, 0 bytes expected and 0 "
                + "bytes that came", barrier.state());
        barrier.arrive(2);
        assertEquals(1, barrier.phase());
        barrier.arriveAndDrop(2);
        assertEquals(2, barrier.phase());
        assertFault(Kind.BARRIER_ARRIVALS, "barrier full[0] gets an arrival, but every participant has dropped out: no "
                + "thread may arrive any more", barrier::arrive);
        assertFault(Kind.BARRIER_ARRIVALS, "barrier full[0] gets an arrival, but every participant has dropped out: no "
                + "thread may arrive any more", () -> barrier.arriveAndDrop(1));
    }

    @Test
    void aTokenEndsWithItsBarrier() {
        init(1);
        long old = barrier.arrive();
        long open = barrier.arrive();
        barrier.invalidate();
        init(1);
        for (long token : new long[] {old, open}) {
            assertMisuse("barrier full[0] is waited for with a token from before mbarrier.inval: it was initialised "
                    + "again since", () -> barrier.hasCompleted(barrier.phaseOf(token)));
        }
        assertEquals(0, barrier.phase());
        long fresh = barrier.arrive();
        assertEquals(0, barrier.phaseOf(fresh));
        assertTrue(barrier.hasCompleted(barrier.phaseOf(fresh)));
    }

    @Test
    void aRefusedDropLeavesTheBarrierAsItWas() {
        init(3);
        assertFault(Kind.BARRIER_ARRIVALS, "barrier full[0] gets 4 arrivals at once, and only 3 of phase 0 are pending",
                () -> barrier.arriveAndDrop(4));
        assertEquals("barrier full[0] stays in phase 0 (parity 0) with 3 of 3 arrivals pending, 0 bytes expected and 0 "
                + "bytes that came", barrier.state());
    }

    @Test
    void whatMustNotCompleteThePhaseDoesNot() {
        init(2);
        barrier.requireIncompleteAfter(1);
        assertFault(Kind.BARRIER_ARRIVALS, "barrier full[0] has 2 arrivals of phase 0 pending, and 2 more come with "
                + ".noComplete, which must not complete the "
                + "phase: its behaviour is undefined then", () -> barrier.requireIncompleteAfter(2));
        barrier.expectTx(16);
        barrier.requireIncompleteAfter(2);
    }

    @Test
    void copiesMayAddAnArrivalToThePhaseAlone() {
        init(1);
        barrier.addPending();
        barrier.arrive();
        assertEquals(0, barrier.phase());
        barrier.arrive();
        assertEquals(1, barrier.phase());
        barrier.arrive();
        assertEquals(2, barrier.phase());
    }

    @Test
    void aBarrierEndsAndAnotherTakesItsPlace() {
        init(1);
        barrier.invalidate();
        assertMisuse("barrier full[0] is used after mbarrier.inval has ended its life", barrier::requireInitialised);
        assertMisuse("barrier full[0] is used after mbarrier.inval has ended its life", barrier::invalidate);
        init(7);
        assertEquals("barrier full[0] stays in phase 0 (parity 0) with 7 of 7 arrivals pending, 0 bytes expected and 0 "
                + "bytes that came", barrier.state());
        barrier.restart(0);
        assertFault(Kind.BARRIER_ARRIVALS, "barrier full[0] can be initialised for 1 to 1048575 arrivals, got 0",
                () -> init(0));
        assertFault(Kind.BARRIER_ARRIVALS, "barrier full[0] can be initialised for 1 to 1048575 arrivals, got 1048576",
                () -> init(1 << 20));
    }

    @Test
    void aTokenHoldsLargeNumbers() {
        Mbarrier last = new Mbarrier("last", 227 * 1024 - 8);
        long token = PhaseToken.of(last, (1L << 28) - 1, Mbarrier.MOST_ARRIVALS);
        assertEquals((1L << 28) - 1, PhaseToken.phase(token));
        assertEquals(227 * 1024 - 8, PhaseToken.address(token));
        assertEquals(Mbarrier.MOST_ARRIVALS, PhaseToken.pending(token));
    }

    @Test
    void aParityIsZeroOrOne() {
        init(1);
        assertMisuse("barrier full[0] is waited for with parity 2: a parity is 0 or 1",
                () -> barrier.hasCompletedParity(2));
    }

    private static void assertMisuse(String message, Executable use) {
        assertFault(Kind.BARRIER_MISUSE, message, use);
    }

    private static void assertFault(Kind kind, String message, Executable use) {
        Fault f = assertThrows(Fault.class, use);
        assertEquals(message, f.getMessage());
        assertEquals(kind, f.kind());
    }
}
