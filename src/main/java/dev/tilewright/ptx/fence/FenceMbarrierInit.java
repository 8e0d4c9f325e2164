package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/** {@code fence.mbarrier_init}: shows the thread's mbarrier.init to the cluster and to asynchronous copies. */
@About(section = "membar / fence", role = StepRole.FENCE,
        summary = "makes freshly initialised barriers known to the asynchronous proxy and to the cluster")
public record FenceMbarrierInit() implements FenceInstruction {
    @Override
    public Form form() {
        return FormBuilder.form("fence.mbarrier_init.release.cluster")
                .named("fence_mbarrier_init")
                .needs(Gates.HOPPER, EffectsBuilder.nothing().ordered(Semantics.RELEASE, Scope.CLUSTER));
    }
}
