package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.copy;
import static dev.tilewright.hazard.SmallKernels.from;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.setUp;
import static dev.tilewright.hazard.SmallKernels.show;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Who arrives, announces or brings bytes for a phase must know that it is the one: mistakes are found whichever thread
 * comes first.
 */
class PhaseKnowledgeTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 31, THREADS - 1})
    void aThreadArrivesTwice(int thread) {
        HazardReport report = one(body -> arrivals(body, thread, 2));
        Twins.found(thread == THREADS - 1 ? HazardCode.PHASE_NOT_KNOWN : HazardCode.WRONG_ARRIVAL_COUNT, "again",
                report);
        Twins.clean(one(body -> arrivals(body, thread, 1)));
    }

    private static void arrivals(Body body, int thread, int times) {
        setUp(body, THREADS);
        body.purpose("three times").loop("turn", 3, (each, turn) -> {
            each.purpose("here").arrive(READY);
            if (times > 1) {
                each.purpose("one of them").when(T.isEqualTo(thread), b -> b.purpose("again").arrive(READY));
            }
            each.purpose("all are").waitParity(READY, turn.modulo(2));
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anArrivalBeforeTheAnnouncement(int loader) {
        Twins.found(HazardCode.TX_LATE, "announce", one(body -> loadOfTwo(body, loader, true)));
        Twins.clean(one(body -> loadOfTwo(body, loader, false)));
    }

    /** Two threads arrive, one of which loads. */
    private static void loadOfTwo(Body body, int loader, boolean wrong) {
        setUp(body, 2);
        body.purpose("two threads").when(T.lessThan(2), two -> two.purpose("one loads").when(T.isEqualTo(loader), b -> {
            if (wrong) {
                b.purpose("here").arrive(READY);
            }
            b.purpose("announce").expectTx(READY, 256);
            copy(b, 0, 256);
            if (!wrong) {
                b.purpose("here").arrive(READY);
            }
        }, other -> other.purpose("also here").arrive(READY)));
        landed(body);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anAnnouncementByAThreadThatDoesNotArrive(int loader) {
        Twins.found(HazardCode.TX_LATE, "announce", one(body -> loadForAnother(body, loader, true)));
        Twins.clean(one(body -> loadForAnother(body, loader, false)));
    }

    private static void loadForAnother(Body body, int loader, boolean wrong) {
        setUp(body, 1);
        body.purpose("one loads").when(T.isEqualTo(loader), b -> {
            b.purpose("announce").expectTx(READY, 256);
            copy(b, 0, 256);
        });
        if (!wrong) {
            body.purpose("it is announced").syncThreads();
        }
        body.purpose("another arrives").when(T.isEqualTo(1 - loader), b -> b.purpose("here").arrive(READY));
        landed(body);
    }

    private static void landed(Body body) {
        body.purpose("it has landed").waitParity(READY, 0);
        show(body, T.times(4));
    }

    @Test
    void anArrivalOfCopiesIsAddedAfterTheThreadsOwn() {
        Twins.found(HazardCode.PHASE_NOT_KNOWN, "when it has landed", one(body -> addedArrival(body, true)));
        Twins.clean(one(body -> addedArrival(body, false)));
    }

    private static void addedArrival(Body body, boolean wrong) {
        setUp(body, THREADS);
        body.purpose("copy").cpAsync(BUFFER.at(T.times(4)), from(T.times(4)), 4);
        if (wrong) {
            body.purpose("here").arrive(READY);
        }
        body.purpose("when it has landed").issue(new CpAsyncMbarrierArrive(), Input.of(READY));
        if (!wrong) {
            body.purpose("here").arrive(READY);
        }
        body.purpose("all have").waitParity(READY, 0);
        show(body, T.plus(1).modulo(THREADS).times(4));
    }

    /** The bytes of the first load hold the phase open until those of the second are announced. */
    @Test
    void bytesHoldAPhaseOpen() {
        Twins.clean(one(body -> twoLoads(body, false)));
        Twins.found(HazardCode.TX_LATE, "announce more", one(body -> twoLoads(body, true)));
    }

    private static void twoLoads(Body body, boolean wrong) {
        setUp(body, 1);
        body.purpose("one loads").when(T.isEqualTo(0), b -> {
            b.purpose("announce").arriveExpectTx(READY, 256);
            if (wrong) {
                copy(b, 0, 256);
            }
            b.purpose("announce more").expectTx(READY, 256);
            if (!wrong) {
                copy(b, 0, 256);
            }
            copy(b, 256, 256);
        });
        landed(body);
    }

    /** Who knows of all arrivals of a phase knows that it is complete. */
    @Test
    void arrivalsAreCounted() {
        Twins.clean(one(body -> countedPhases(body, true)));
        Twins.found(HazardCode.PHASE_NOT_KNOWN, "here", one(body -> countedPhases(body, false)));
    }

    private static void countedPhases(Body body, boolean synchronised) {
        setUp(body, THREADS);
        body.purpose("three times").loop("turn", 3, (each, turn) -> {
            each.purpose("here").arrive(READY);
            if (synchronised) {
                each.purpose("all are").syncThreads();
            }
        });
        body.purpose("in the end").waitParity(READY, 0);
    }
}
