package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.Objects;

/**
 * {@code fence.proxy.async::generic}: orders ordinary accesses and asynchronous ones to shared memory, one way, at
 * cluster scope.
 *
 * @param direction whether it releases what is in the block's own shared memory, or acquires what is in the cluster's
 */
@About(section = "membar / fence", role = StepRole.FENCE,
        summary = "orders ordinary accesses and asynchronous ones to shared memory, one way, at cluster scope")
public record FenceProxyAsyncRestrict(Direction direction) implements FenceInstruction {
    public FenceProxyAsyncRestrict {
        Objects.requireNonNull(direction, "direction");
    }

    @Override
    public Form form() {
        return FormBuilder.form("fence.proxy.async::generic")
                .with(direction).with(Scope.CLUSTER)
                .needs(Gates.SYNC_RESTRICT, EffectsBuilder.nothing().ordered(direction.semantics(), Scope.CLUSTER)
                        .fencing(Effects.Proxy.GENERIC, Effects.Proxy.ASYNC, direction.memory()));
    }
}
