package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code fence.sync_restrict}: an acquire or release fence at cluster scope for accesses to shared memory alone.
 *
 * @param release whether it releases what is in the block's own shared memory; else it acquires what is in the cluster's
 */
public record FenceSyncRestrict(boolean release) implements FenceInstruction {
    private static final String SECTION = "membar / fence";

    @Override
    public Form form() {
        return FormBuilder.form("fence").with(release ? ".release.sync_restrict::shared::cta" : ".acquire.sync_restrict::shared::cluster")
                .with(Scope.CLUSTER)
                .needs(Gates.SYNC_RESTRICT, Effects.NONE.ordered(release ? Semantics.RELEASE : Semantics.ACQUIRE, Scope.CLUSTER));
    }

    @Override
    public String summary() {
        return "an acquire or release fence at cluster scope for accesses to shared memory alone";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
