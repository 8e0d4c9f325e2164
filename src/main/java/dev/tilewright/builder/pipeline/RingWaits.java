package dev.tilewright.builder.pipeline;

import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.fence.Direction;
import dev.tilewright.ptx.fence.FenceSyncRestrict;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import java.util.List;

/** Waits for the mbarriers of a ring, and what they order. */
record RingWaits(BarrierRing ring) {

    /** Waits until the stage at a position is free, and sees what its readers did before. */
    void free(Body body, RingPosition position) {
        pollFree(body, position);
        acquireShared(body);
    }

    /** Waits until the stage at a position is free; {@link #acquireShared} follows. */
    void pollFree(Body body, RingPosition position) {
        wait(body, "the stage is free: every reader has released it", ring.empty.at(position.stage()),
                position.parity().xor(1), emptyOrder());
    }

    /** What other blocks have read of their shared memory comes before what fills it again. */
    void acquireShared(Body body) {
        if (ring.isRestricted()) {
            body.purpose("what they have read comes before what fills it again").issue(
                    new FenceSyncRestrict(Direction.ACQUIRE));
        }
    }

    /** Waits until the stage at a position has been released in its own turn. */
    void released(Body body, RingPosition position) {
        wait(body, "all are done with the stage", ring.empty.at(position.stage()), position.parity(), emptyOrder());
        acquireShared(body);
    }

    Tried tryFree(Body body, RingPosition position) {
        return tried(body, "free", "whether the stage is free already", ring.empty.at(position.stage()),
                position.parity().xor(1), emptyOrder());
    }

    void full(Body body, RingPosition position) {
        wait(body, ring.fill == StageFill.COPY_ENGINE ? "all bytes of the stage have landed" : "the stage is full",
                ring.full.at(position.stage()), position.parity(), WaitOrder.DEFAULT);
    }

    Tried tryFull(Body body, RingPosition position) {
        return tried(body, "full_already", "whether the stage is full already", ring.full.at(position.stage()),
                position.parity(), WaitOrder.DEFAULT);
    }

    private WaitOrder emptyOrder() {
        return ring.isRestricted() ? WaitOrder.RELAXED_CLUSTER
                : ring.share.isAlone() || !ring.fencedReleases ? WaitOrder.DEFAULT : WaitOrder.ACQUIRE_CLUSTER;
    }

    private PtxInstruction form(WaitOrder order) {
        return ring.belowSm90 ? new MbarrierTestWaitParity().withOrder(order)
                : new MbarrierTryWaitParity().withOrder(order);
    }

    private void wait(Body body, String purpose, Address.Barrier barrier, Expr parity, WaitOrder order) {
        body.purpose(purpose).add(new Operation.Poll(form(order), List.of(Input.of(barrier), Input.of(parity)),
                new Operation.Until.Done()));
    }

    private Tried tried(Body body, String name, String purpose, Address.Barrier barrier, Expr parity,
            WaitOrder order) {
        return new Tried(body.purpose(purpose).issue(name, form(order), Input.of(barrier), Input.of(parity)));
    }
}
