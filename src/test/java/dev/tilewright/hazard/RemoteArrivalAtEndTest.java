package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A block must not end before others have arrived at its barriers, whichever runs first. */
class RemoteArrivalAtEndTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void anArrivalThatTheBlockDoesNotWaitFor(int from) {
        Twins.found(HazardCode.REMOTE_AFTER_EXIT, "arrive there",
                SmallKernels.check(2, 2, body -> arriveRemotely(body, from, true)));
        Twins.clean(SmallKernels.check(2, 2, body -> arriveRemotely(body, from, false)));
    }

    /** @param from the rank of the block that arrives at the other one's barrier */
    private static void arriveRemotely(Body body, int from, boolean wrong) {
        body.purpose("set up").when(T.isEqualTo(0), b -> {
            b.purpose("one arrival").barrierInit(READY, 1);
            b.purpose("known to the cluster").barrierInitFence();
        });
        body.purpose("set up everywhere").clusterSync();
        body.purpose("one thread").when(T.isEqualTo(0), b -> b.purpose("one block").when(
                Builtin.CLUSTER_RANK.isEqualTo(from), mine -> {
            Expr there = mine.purpose("the other's barrier").issue("there", Mapa.ofShared(), Input.of(READY),
                    Input.of(1 - from));
            mine.purpose("arrive there").issue(new MbarrierArrive().withOrder(ArriveOrder.RELEASE_CLUSTER)
                    .withSpace(Space.SHARED_CLUSTER), Input.of(there));
        }, other -> {
            if (!wrong) {
                other.purpose("it has arrived").waitParity(READY, 0).order(WaitOrder.ACQUIRE_CLUSTER);
            }
        }));
    }
}
