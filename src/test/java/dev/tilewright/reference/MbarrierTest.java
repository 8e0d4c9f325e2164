package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.reference.ReferenceException.Kind;
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
        assertEquals("barrier full[0] stays in phase 0 (parity 0) with 0 of 1 arrivals pending, 0 bytes expected and "
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
        assertMisuse("barrier full[0] is in phase 2, and a token of phase 0 can no longer be waited for: only the current "
                + "phase and the one before it can", () -> barrier.hasCompleted(first));
    }

    @Test
    void anArrivalTooManyIsRefused() {
        init(1);
        barrier.expectTx(2048);
        barrier.arrive();
        barrier.completeTx(1024);
        assertMisuse("barrier full[0] gets an arrival too many: all 1 of phase 0 have come, and the phase still waits for "
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
        barrier.forget();
        assertMisuse("barrier full[0] is used before it is initialised", barrier::requireInitialised);
        init(3);
        assertEquals(0, barrier.phase());
    }

    @Test
    void aParityIsZeroOrOne() {
        init(1);
        assertMisuse("barrier full[0] is waited for with parity 2: a parity is 0 or 1", () -> barrier.hasCompletedParity(2));
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
