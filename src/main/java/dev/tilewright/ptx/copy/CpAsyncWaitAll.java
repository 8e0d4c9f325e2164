package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/** {@code cp.async.wait_all}: commits the thread's open group of cp.async copies and waits for every group. */
@About(section = "cp.async.wait_group / cp.async.wait_all", role = StepRole.WAIT,
        summary = "commits the thread's open group of cp.async copies and waits for every group")
public record CpAsyncWaitAll() implements GroupWait {
    @Override
    public CopyGroup group() {
        return CopyGroup.CP_ASYNC;
    }

    @Override
    public Form form() {
        return FormBuilder.form("cp.async.wait_all")
                .needs(Gates.AMPERE, EffectsBuilder.waitingFor(Effects.Wait.CP_ASYNC_GROUPS));
    }
}
