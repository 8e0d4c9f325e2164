package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.copy;
import static dev.tilewright.hazard.SmallKernels.cpAsync;
import static dev.tilewright.hazard.SmallKernels.load;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.setUp;

import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import org.junit.jupiter.api.Test;

/** The words for mistakes with mbarriers, where {@link CodeMessagesTest} has them not. */
class BarrierMessagesTest {

    @Test
    void aBarrierOfAnotherBlockThatIsNotInitialised() {
        Messages.are(SmallKernels.check(2, 2, body -> {
            body.purpose("both have started").clusterSync();
            Expr there = body.purpose("the other block's barrier")
                    .issue("there", Mapa.ofShared(), Input.of(READY), Input.of(Expr.of(1).minus(Builtin.CLUSTER_RANK)));
            body.purpose("arrive there")
                    .issue(new MbarrierArrive().withSpace(Space.SHARED_CLUSTER), Input.of(there));
        }),
                "barrier-not-initialised: step 4 ('arrive there', #) of thread 62 of block 1 uses barrier "
                    + "ready[0] of block 0, which is not initialised; nothing makes sure that it is by then; "
                    + "initialise it earlier, and synchronise the threads in between");
    }

    @Test
    void anInitialisationThatTheCopyEngineNeedNotSee() {
        Messages.are(one(body -> {
            body.purpose("one thread does all").when(T.isEqualTo(0), b -> {
                b.purpose("for 1 arrival").barrierInit(READY, 1);
                b.purpose("announce").arriveExpectTx(READY, 256);
                copy(b, 0, 256);
            });
            body.purpose("set up").syncThreads();
            body.purpose("it has landed").waitParity(READY, 0);
        }),
                "barrier-init-not-visible: step 4 ('load 256 bytes to 0', #) of thread 0 of block 0 lets the "
                    + "copy engine use barrier ready[0], which step 2 ('for 1 arrival', #) of thread 0 of block 0 "
                    + "initialises; nothing makes the initialisation visible to the copy engine; "
                    + "put fence.mbarrier_init after the initialisation");
    }

    @Test
    void moreArrivalsThanAPhaseTakes() {
        Messages.are(one(body -> {
            setUp(body, 1);
            cpAsync(body, 0);
            body.purpose("two threads").when(T.lessThan(2), b -> b.purpose("arrive when it has landed")
                    .issue(new CpAsyncMbarrierArrive().withNoinc(), Input.of(READY)));
            body.purpose("landed").cpAsyncWait(0);
        }),
                "wrong-arrival-count: step 2 ('for 1 arrival', #) of block 0: step 8 ('arrive when it has "
                    + "landed', #) of thread 1 of block 0 arrives at barrier ready[0], whose phase 0 takes 1 "
                    + "arrival and has them all, including arrivals that follow copies in flight; "
                    + "the phase completes without one of them; initialise it with as many arrivals as a phase gets");
    }

    @Test
    void phasesThatCompleteTooSoon() {
        Messages.are(one(body -> {
            setUp(body, 1);
            body.purpose("here").arrive(READY);
            body.purpose("all are").waitParity(READY, 0);
        }),
                "wrong-arrival-count: step 2 ('for 1 arrival', #) of block 0: a phase of barrier ready[0] takes 1 "
                    + "arrival, and phase 0 is complete before step 5 ('here', #) of thread 1 of block 0 arrives; "
                    + "nothing makes sure that it is, so that the arrival may count in it; "
                    + "initialise it with as many arrivals as a phase gets, or wait for that phase before the arrival");
    }

    @Test
    void aParityThatNeverComes() {
        Messages.are(one(body -> {
            setUp(body, 1);
            load(body, 0, 256, 256);
            body.purpose("it has landed").waitParity(READY, 0);
            body.purpose("for what?").waitParity(READY, 1);
        }),
                "wrong-parity: step 9 ('for what?', #) of thread 0 of block 0 waits for parity 1 of barrier "
                    + "ready[0], and no thread arrives in its phase 1; phase 0 is complete; wait for parity 0");
    }

    @Test
    void bytesThatAreAnnouncedAfterThePhase() {
        Messages.are(one(body -> {
            setUp(body, 1);
            body.purpose("one thread loads").when(T.isEqualTo(0), b -> {
                copy(b, 0, 256);
                b.purpose("here").arrive(READY);
                b.purpose("too late").expectTx(READY, 256);
                b.purpose("here").arrive(READY);
            });
            body.purpose("it has landed").waitParity(READY, 0);
            body.purpose("really").waitParity(READY, 1);
        }),
                "tx-late: step 8 ('too late', #) of thread 0 of block 0 announces bytes for phase 1 of barrier "
                    + "ready[0] when phase 0, in which their copy started, is complete; "
                    + "announce them before the arrival, or with it");
    }

    @Test
    void fewerBytesThanAreUnderWay() {
        Messages.are(one(body -> {
            setUp(body, 2);
            body.purpose("one thread loads").when(T.isEqualTo(0), b -> {
                b.purpose("announce").arriveExpectTx(READY, 256);
                copy(b, 0, 256);
                copy(b, 256, 256);
            });
        }),
                "tx-too-small: step 6 ('announce', #) of block 0: fewer bytes are announced on barrier ready[0] "
                    + "than its copies bring: 256 announced in phase 0, 512 under way; "
                    + "announce the bytes of all copies that complete on it");
    }

    @Test
    void moreBytesThanAClusterBrings() {
        Messages.are(SmallKernels.check(2, 2, body -> {
            setUp(body, 1);
            load(body, 0, 256, 512);
            body.purpose("it has landed").waitParity(READY, 0);
        }),
                "tx-too-large: step 6 ('announce', #) of block 0: more bytes are announced on barrier ready[0] "
                    + "than copies bring: 512 announced in phase 0, 256 under way; "
                    + "announce the bytes of the copies that complete on it, and start all of them, with this block in "
                    + "the masks of the copies that go to several");
    }
}
