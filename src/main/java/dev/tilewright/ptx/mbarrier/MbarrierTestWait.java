package dev.tilewright.ptx.mbarrier;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Require;

/**
 * {@code mbarrier.test_wait}: says whether the phase that the token names has completed. Inputs, in order:
 * {@code mbar, token}. Result: {@code done}.
 *
 * @param order what a wait that ends orders, and for whom
 * @param space where the barrier is: generic, or the block's own shared memory
 */
@About(section = "mbarrier.test_wait / mbarrier.try_wait", role = StepRole.WAIT,
        summary = "says whether the phase that the token names has completed")
public record MbarrierTestWait(WaitOrder order, Space space) implements MbarrierWait {
    public MbarrierTestWait {
        NotNull.all("order, space", order, space);
        Require.space("mbarrier.test_wait", space, Require.OWN_SHARED, MbarrierTestWait.class);
    }

    /** The form for the block's own shared memory, with acquire at CTA scope. */
    public MbarrierTestWait() {
        this(WaitOrder.DEFAULT, Space.SHARED_CTA);
    }

    /** This form with a memory order. */
    public MbarrierTestWait withOrder(WaitOrder order) {
        return new MbarrierTestWait(order, space);
    }

    /** For a barrier in this space. */
    public MbarrierTestWait withSpace(Space space) {
        return new MbarrierTestWait(order, space);
    }

    @Override
    public Form form() {
        return Mbarriers.wait("mbarrier.test_wait", this, Mbarriers.TOKEN, false, Gates.AMPERE);
    }
}
