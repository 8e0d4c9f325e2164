package dev.tilewright.ptx.mbarrier;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Require;

/**
 * {@code mbarrier.try_wait.parity}: says whether the phase of this parity has completed, after waiting for a while.
 * Inputs, in order: {@code mbar, parity, [time_limit]}. Result: {@code done}.
 *
 * @param order what a wait that ends orders, and for whom
 * @param space where the barrier is: generic, or the block's own shared memory
 * @param timeLimit whether a limit for the suspension follows, in nanoseconds
 */
@About(section = "mbarrier.test_wait / mbarrier.try_wait", role = StepRole.WAIT,
        summary = "says whether the phase of this parity has completed, after waiting for a while")
public record MbarrierTryWaitParity(WaitOrder order, Space space, boolean timeLimit) implements MbarrierWait {
    public MbarrierTryWaitParity {
        NotNull.all("order, space", order, space);
        Require.space("mbarrier.try_wait.parity", space, Require.OWN_SHARED, MbarrierTryWaitParity.class);
    }

    /** The form for the block's own shared memory, with acquire at CTA scope. */
    public MbarrierTryWaitParity() {
        this(WaitOrder.DEFAULT, Space.SHARED_CTA, false);
    }

    /** This form with a memory order. */
    public MbarrierTryWaitParity withOrder(WaitOrder order) {
        return new MbarrierTryWaitParity(order, space, timeLimit);
    }

    /** For a barrier in this space. */
    public MbarrierTryWaitParity withSpace(Space space) {
        return new MbarrierTryWaitParity(order, space, timeLimit);
    }

    /** This form with a time limit for the suspension, in nanoseconds. */
    public MbarrierTryWaitParity withTimeLimit() {
        return new MbarrierTryWaitParity(order, space, true);
    }

    @Override
    public Form form() {
        return Mbarriers.wait("mbarrier.try_wait.parity", this, Mbarriers.PARITY, timeLimit, Gates.HOPPER_FIRST);
    }
}
