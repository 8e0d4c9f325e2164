package dev.tilewright.builder.pipeline;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import java.util.List;

/** How the barriers of rings are set up: by one thread, before any other touches them. */
final class RingSetup {

    private RingSetup() { }

    static void write(Body body, List<BarrierRing> rings) {
        boolean ofCluster = rings.stream().anyMatch(ring -> !ring.share.isAlone());
        boolean ofCopyEngine = rings.stream().anyMatch(ring -> ring.fill.hasCopyEngine());
        body.purpose("one thread sets up the barriers").when(Builtin.THREAD_NUMBER.isEqualTo(0), one -> {
            rings.forEach(ring -> initialise(one, ring));
            if (ofCluster || ofCopyEngine) {
                one.purpose(ofCluster ? "make them visible to the copy engine and the cluster"
                        : "make them visible to the copy engine")
                        .barrierInitFence();
            }
        });
        if (ofCluster) {
            body.purpose("no thread of the cluster touches a barrier before it is set up").clusterSync();
        } else {
            body.purpose("no thread touches a barrier before it is set up").syncThreads();
        }
    }

    private static void initialise(Body body, BarrierRing ring) {
        body.purpose(ring.hasEmptyBarriers() ? "two barriers for each stage" : "a barrier for each stage")
                .loop("stage", ring.memory.stages(), (each, stage) -> {
                    each.purpose(fullPhase(ring)).barrierInit(ring.full.at(stage), ring.fullArrivals());
                    if (ring.hasEmptyBarriers()) {
                        each.purpose(emptyPhase(ring)).barrierInit(ring.empty.at(stage), ring.emptyArrivals());
                    }
                });
    }

    private static String fullPhase(BarrierRing ring) {
        String own = switch (ring.fill) {
            case COPY_ENGINE -> ring.consumersArrive
                    ? "a phase takes the loading thread's arrival and bytes"
                    : "a phase takes one arrival, the loading thread's, and the bytes it announces";
            case STORES -> ring.producerArrivals == Arrivals.EACH_WARP
                    ? "full: a phase takes one arrival of each filling warp"
                    : "full: a phase takes one arrival of each filling thread";
            case COPY_ENGINE_AND_STORES ->
                    "full: a phase takes one arrival of each filling thread, and the bytes that one announces";
            case CP_ASYNC, CP_ASYNC_AND_STORES -> "full: a phase takes one arrival of each filling thread";
        };
        return own + (ring.consumersArrive ? ", and one arrival of each waiting thread" : "");
    }

    private static String emptyPhase(BarrierRing ring) {
        return "empty: a phase takes one arrival of each reading "
                + (ring.consumerArrivals == Arrivals.EACH_WARP ? "warp" : "thread")
                + (ring.share.isAlone() ? "" : " of the blocks that this one loads for");
    }
}
