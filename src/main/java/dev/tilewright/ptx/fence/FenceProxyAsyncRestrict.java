package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Effects.Semantics;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code fence.proxy.async::generic}: orders ordinary accesses and asynchronous ones to shared memory, one way, at cluster scope.
 *
 * @param release whether it releases what is in the block's own shared memory; else it acquires what is in the cluster's
 */
public record FenceProxyAsyncRestrict(boolean release) implements FenceInstruction {
    private static final String SECTION = "membar / fence";

    @Override
    public Form form() {
        return FormBuilder.form("fence.proxy.async::generic")
                .with(release ? ".release.sync_restrict::shared::cta" : ".acquire.sync_restrict::shared::cluster").with(Scope.CLUSTER)
                .needs(Gates.SYNC_RESTRICT, Effects.NONE.ordered(release ? Semantics.RELEASE : Semantics.ACQUIRE, Scope.CLUSTER)
                        .fencing(Effects.Proxy.GENERIC, Effects.Proxy.ASYNC, release ? Effects.Memory.OWN_SHARED : Effects.Memory.CLUSTER_SHARED));
    }

    @Override
    public String summary() {
        return "orders ordinary accesses and asynchronous ones to shared memory, one way, at cluster scope";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
