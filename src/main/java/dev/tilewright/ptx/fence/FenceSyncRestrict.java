package dev.tilewright.ptx.fence;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.Objects;

/**
 * {@code fence.sync_restrict}: an acquire or release fence at cluster scope for accesses to shared memory alone.
 *
 * @param direction whether it releases what is in the block's own shared memory, or acquires what is in the cluster's
 */
@About(section = "membar / fence", role = StepRole.FENCE,
        summary = "an acquire or release fence at cluster scope for accesses to shared memory alone")
public record FenceSyncRestrict(Direction direction) implements FenceInstruction {
    public FenceSyncRestrict {
        Objects.requireNonNull(direction, "direction");
    }

    @Override
    public Form form() {
        return FormBuilder.form("fence").with(direction)
                .with(Scope.CLUSTER)
                .needs(Gates.SYNC_RESTRICT, EffectsBuilder.nothing().ordered(direction.semantics(), Scope.CLUSTER));
    }
}
