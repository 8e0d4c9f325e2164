package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.SPARE;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.from;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.show;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import org.junit.jupiter.api.Test;

/** Every arrival by {@code cp.async.mbarrier.arrive} comes after all earlier copies of its thread, not some of them. */
class ArrivalsAfterCopiesTest {
    @Test
    void aLaterArrivalCountsForCopiesThatAnotherFollows() {
        Twins.found(HazardCode.READ_IN_FLIGHT, "read it", one(body -> twice(body, true)));
        Twins.clean(one(body -> twice(body, false)));
    }

    /** An arrival follows the copy, another comes before it or follows it, too; the threads wait for that. */
    private static void twice(Body body, boolean wrong) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("one").barrierInit(READY, THREADS);
            one.purpose("another").barrierInit(SPARE, THREADS);
        });
        body.purpose("set up").syncThreads();
        if (wrong) {
            arrive(body, SPARE);
        }
        body.purpose("copy").cpAsync(BUFFER.at(T.times(4)), from(T.times(4)), 4);
        arrive(body, READY);
        if (!wrong) {
            arrive(body, SPARE);
        }
        body.purpose("wait").waitParity(SPARE, 0);
        show(body, T.plus(1).modulo(THREADS).times(4));
        body.purpose("wait for all").waitParity(READY, 0);
    }

    /** The copies are known to be over by the later arrival, or by a group, and the earlier one is never waited for. */
    @Test
    void anArrivalThatNobodyWaitsForMayComeWhenTheBlockHasEnded() {
        for (boolean byGroup : new boolean[] {false, true}) {
            Twins.found(HazardCode.EXIT_IN_FLIGHT, "after the copies", one(body -> left(body, byGroup, false)));
            Twins.clean(one(body -> left(body, byGroup, true)));
        }
    }

    private static void left(Body body, boolean byGroup, boolean waits) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("one").barrierInit(READY, THREADS);
            one.purpose("another").barrierInit(SPARE, THREADS);
        });
        body.purpose("set up").syncThreads();
        body.purpose("copy").cpAsync(BUFFER.at(T.times(4)), from(T.times(4)), 4);
        arrive(body, READY);
        if (byGroup) {
            body.purpose("a group").cpAsyncCommit();
            body.purpose("its end").cpAsyncWait(0);
            body.purpose("all know").syncThreads();
        } else {
            arrive(body, SPARE);
            body.purpose("wait").waitParity(SPARE, 0);
        }
        show(body, T.plus(1).modulo(THREADS).times(4));
        if (waits) {
            body.purpose("wait for the first").waitParity(READY, 0);
        }
    }

    private static void arrive(Body body, Address.Barrier barrier) {
        body.purpose("after the copies").issue(new CpAsyncMbarrierArrive().withNoinc(), Input.of(barrier));
    }
}
