package dev.tilewright.builder.pipeline;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.ptx.fence.Direction;
import dev.tilewright.ptx.fence.FenceSyncRestrict;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import java.util.function.Consumer;

/** Arrivals of each thread or of one lane of each warp. */
final class ThreadArrival {
    private static final String PURPOSE = "hand the stage back";

    private ThreadArrival() { }

    /** @param arrive adds the one step of an arrival, whose purpose is given */
    static void write(Body body, Arrivals arrivals, String purpose, Consumer<Body> arrive) {
        if (arrivals == Arrivals.EACH_THREAD) {
            arrive.accept(body.purpose(purpose));
            return;
        }
        body.purpose("all lanes are done").syncWarp();
        body.purpose("one lane arrives for its warp").when(ThreadRange.lane().isEqualTo(0),
                one -> arrive.accept(one.purpose(purpose)));
    }

    /** Hands a stage back, in the block itself or in every block that loads for it. */
    static void release(Body body, BarrierRing ring, Expr stage) {
        if (ring.share.isAlone()) {
            write(body, ring.consumerArrivals, PURPOSE, b -> b.arrive(ring.empty.at(stage)));
            return;
        }
        int peers = ring.share.peers();
        if (ring.consumerArrivals == Arrivals.EACH_THREAD) {
            fence(body, ring);
            for (int i = 0; i < peers; i++) {
                arrive(body, ring, stage, ring.share.peer(Expr.of(i)));
            }
            return;
        }
        body.purpose("all lanes are done").syncWarp();
        body.purpose("a lane for each block that loads for this one").when(ThreadRange.lane().lessThan(peers),
                one -> {
                    fence(one, ring);
                    arrive(one, ring, stage, ring.share.peer(ThreadRange.lane()));
                });
    }

    /** Before a thread's first arrival in another block. */
    private static void fence(Body body, BarrierRing ring) {
        if (ring.isRestricted()) {
            body.purpose("what was read of the stage is before what fills it again").issue(
                    new FenceSyncRestrict(Direction.RELEASE));
        }
    }

    private static ArriveOrder order(BarrierRing ring) {
        return ring.isRestricted() ? ArriveOrder.RELAXED_CLUSTER
                : ring.fencedReleases ? ArriveOrder.RELEASE_CLUSTER : ArriveOrder.DEFAULT;
    }

    private static void arrive(Body body, BarrierRing ring, Expr stage, Expr rank) {
        body.purpose(PURPOSE).arriveRemote(ring.empty.at(stage), rank).order(order(ring));
    }
}
