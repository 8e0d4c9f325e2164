package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.load;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.setUp;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.memory.St;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The words where the reference cannot go on, where {@link CodeMessagesTest} has them not. */
class StopMessagesTest {

    @Test
    void threadsAtDifferentMeetings() {
        HazardReport report = one(body -> body.purpose("half of the threads").when(T.lessThan(32),
                b -> b.purpose("here").syncThreads(), b -> b.purpose("or here").syncThreads()));
        Messages.are(report,
                "deadlock: step 3 ('or here', #) of thread 63 of block 0 fails: thread 63 is at this "
                    + "__syncthreads() while thread 0 is at another; all threads of a block must meet at the same "
                    + "one");
        Finding finding = report.findings().getFirst();
        assertEquals(List.of(3, 2), List.of(finding.step(), finding.otherStep()));
        assertFalse(report.complete());
        assertEquals("the run ends there: there may be more to find", report.lines().getLast());
    }

    @Test
    void anArrivalBeforeThePhaseIsComplete() {
        Messages.are(one(body -> {
            setUp(body, 1);
            load(body, 0, 256, 256);
            body.purpose("once more").when(T.isEqualTo(0), b -> b.purpose("too early").arrive(READY));
        }),
                "wrong-arrival-count: step 9 ('too early', #) of thread 0 of block 0 arrives at barrier "
                    + "ready[0] again, in its phase 0, which takes 1 arrival and is not complete; it did so "
                    + "before in step 6 ('announce', #); a thread that arrives for a phase must know that the "
                    + "one before is complete; before it, wait for the work that the phase's end announces, or arrive "
                    + "fewer times");
    }

    @Test
    void moreArrivalsAtOnceThanArePending() {
        Messages.are(one(body -> {
            setUp(body, 2);
            body.purpose("one thread").when(T.isEqualTo(0), b -> b.purpose("arrive for three")
                    .arrive(READY).count(3));
        }),
                "wrong-arrival-count: step 2 ('for 2 arrivals', #) of block 0: step 6 ('arrive for three', #) of "
                    + "thread 0 of block 0 arrives at barrier ready[0], whose phase 0 takes 2 arrivals and has them "
                    + "all, including arrivals that follow copies in flight; "
                    + "the phase completes without one of them; initialise it with as many arrivals as a phase gets",
                "wrong-arrival-count: step 6 ('arrive for three', #) of thread 0 of block 0 fails: barrier "
                    + "ready[0] gets 3 arrivals at once, and only 2 of phase 0 are pending");
    }

    @Test
    void aBlockThatMayNotHaveStarted() {
        Messages.are(SmallKernels.check(2, 2, body -> {
            Expr there = body.purpose("my place in the other block").issue("there", Mapa.ofShared(),
                    Input.of(BUFFER.at(T.times(4))), Input.of(Expr.of(1).minus(Builtin.CLUSTER_RANK)));
            body.purpose("leave a number there")
                    .issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.B32), Input.of(there), Input.of(T));
            body.purpose("no block ends before").clusterSync();
        }),
                "missing-barrier: step 2 ('leave a number there', #) of thread 0 of block 0 fails: block 1 (rank "
                    + "1 of its cluster) may not have started: put a barrier of the cluster before the first use "
                    + "of another block's shared memory");
    }
}
