package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.cpAsync;
import static dev.tilewright.hazard.SmallKernels.load;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.setUp;

import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import org.junit.jupiter.api.Test;

/** The words for copies that are under way when a block ends, where {@link CodeMessagesTest} has them not. */
class CopyMessagesTest {

    @Test
    void aCopyThatNoThreadWaitsFor() {
        Messages.are(one(body -> cpAsync(body, 0)),
                "group-never-waited: step 1 ('copy to 0', #) of thread 0 of block 0 starts a cp.async, and ends "
                    + "without having waited for it; no thread can use what it copies; "
                    + "wait for its group before the end");
    }

    @Test
    void aCopyThatIsWaitedForInAllTurnsButTheLast() {
        Messages.are(one(body -> {
            body.purpose("twice").loop("turn", 0, 2, 1, (each, turn) -> {
                each.purpose("copy")
                        .cpAsync(BUFFER.at(T.times(4).plus(turn.times(256))), SmallKernels.from(T.times(4)), 4);
                each.purpose("a group").cpAsyncCommit();
            });
            body.purpose("the first one").cpAsyncWait(1);
        }),
                "exit-in-flight: step 2 ('copy', #) of thread 0 of block 0 starts a cp.async, and ends without "
                    + "having waited for it; no thread can use what it copies; wait for its group before the end");
    }

    @Test
    void aCopyWhosePhaseNoThreadWaitsFor() {
        Messages.are(one(body -> {
            setUp(body, 1);
            body.purpose("one").when(T.isEqualTo(0), b -> {
                cpAsync(b, 0);
                b.purpose("arrive").issue(new CpAsyncMbarrierArrive().withNoinc(), Input.of(READY));
            });
        }),
                "exit-in-flight: step 6 ('copy to 0', #) of thread 0 of block 0 starts a copy into the shared memory "
                    + "of block 0, which ends without a thread that has waited for it; phase 0 of barrier ready[0] "
                    + "completes when it has landed; wait for that phase before the last thread ends");
    }

    @Test
    void aLoadThatNoThreadWaitsFor() {
        Messages.are(one(body -> {
            setUp(body, 1);
            load(body, 0, 256, 256);
        }),
                "exit-in-flight: step 7 ('load 256 bytes to 0', #) of thread 0 of block 0 starts a copy into the "
                    + "shared memory of block 0, which ends without a thread that has waited for it; "
                    + "phase 0 of barrier ready[0] completes when it has landed; "
                    + "wait for that phase before the last thread ends");
    }

    /** The analysis says so when the barrier ends, before the reference does when the block ends. */
    @Test
    void aLoadWhoseBarrierIsInvalidated() {
        Messages.are(one(body -> {
            setUp(body, 1);
            load(body, 0, 256, 256);
            body.purpose("the same thread").when(T.isEqualTo(0), b ->
                    b.purpose("forget it").issue(new MbarrierInval(), Input.of(READY)));
        }),
                "inval-in-use: step 9 ('forget it', #) of thread 0 of block 0 invalidates barrier ready[0], and step "
                    + "7 ('load 256 bytes to 0', #) of thread 0 of block 0 starts a copy that completes on it; "
                    + "nothing makes sure that this is over by then; "
                    + "wait for the phase that counts the copy's bytes");
    }
}
