package dev.tilewright.ptx.copy;

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
 * {@code cp.async.wait_group}: waits until at most n of this thread's cp.async groups are pending.
 *
 * @param pending groups, the youngest ones, that may still be in flight
 */
@About(section = "cp.async.wait_group / cp.async.wait_all", role = StepRole.WAIT,
        summary = "waits until at most n of this thread's cp.async groups are pending")
public record CpAsyncWaitGroup(@OneOf(0) int pending) implements GroupWait {
    public CpAsyncWaitGroup {
        Require.pending(pending, CpAsyncWaitGroup.class);
    }

    @Override
    public CopyGroup group() {
        return CopyGroup.CP_ASYNC;
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.wait_group").immediate("n", pending)
                .named("cp_async_wait_group_" + pending)
                .needs(Gates.AMPERE, EffectsBuilder.waitingFor(Effects.Wait.CP_ASYNC_GROUPS));
    }

    @Override
    public String summary() {
        return pending == 0 ? "waits until this thread's cp.async groups have completed"
                : "waits until at most " + pending + " of this thread's cp.async groups are pending";
    }
}
