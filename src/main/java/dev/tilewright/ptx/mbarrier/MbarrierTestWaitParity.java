package dev.tilewright.ptx.mbarrier;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Require;

/**
 * {@code mbarrier.test_wait.parity}: says whether the phase of this parity has completed. Inputs, in order:
 * {@code mbar, parity}. Result: {@code done}.
 *
 * @param order what a wait that ends orders, and for whom
 * @param space where the barrier is: generic, or the block's own shared memory
 */
@About(section = "mbarrier.test_wait / mbarrier.try_wait", role = StepRole.WAIT,
        summary = "says whether the phase of this parity has completed")
public record MbarrierTestWaitParity(WaitOrder order, Space space) implements MbarrierWait {
    public MbarrierTestWaitParity {
        NotNull.all("order, space", order, space);
        Require.space("mbarrier.test_wait.parity", space, Require.OWN_SHARED, MbarrierTestWaitParity.class);
    }

    /** The form for the block's own shared memory, with acquire at CTA scope. */
    public MbarrierTestWaitParity() {
        this(WaitOrder.DEFAULT, Space.SHARED_CTA);
    }

    /** This form with a memory order. */
    public MbarrierTestWaitParity withOrder(WaitOrder order) {
        return new MbarrierTestWaitParity(order, space);
    }

    /** For a barrier in this space. */
    public MbarrierTestWaitParity withSpace(Space space) {
        return new MbarrierTestWaitParity(order, space);
    }

    @Override
    public Form form() {
        return Mbarriers.wait("mbarrier.test_wait.parity", this, Mbarriers.PARITY, false, Gates.PARITY_TEST);
    }
}
