package dev.tilewright.ptx.mma;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Require;

/**
 * {@code wgmma.wait_group}: waits until at most n of the warpgroup's groups of products are pending. Those waited for
 * have read their matrices, and their registers are the threads' again.
 *
 * @param pending groups, the youngest ones, that may still be in flight
 */
@About(section = "wgmma.wait_group", role = StepRole.WAIT,
        summary = "waits until at most n of the warpgroup's groups of products are pending")
public record WgmmaWaitGroup(@OneOf(0) int pending) implements MmaInstruction {
    public WgmmaWaitGroup {
        Require.pending(pending, WgmmaWaitGroup.class);
    }

    @Override
    public Form form() {
        return FormBuilder.form("wgmma.wait_group.sync.aligned").immediate("n", pending)
                .named("wgmma_wait_group_" + pending)
                .needs(Gates.WGMMA, EffectsBuilder.waitingFor(Effects.Wait.WGMMA_GROUPS));
    }

    @Override
    public String summary() {
        return pending == 0 ? "waits until the warpgroup's groups of products have completed"
                : "waits until at most " + pending + " of the warpgroup's groups of products are pending";
    }
}
