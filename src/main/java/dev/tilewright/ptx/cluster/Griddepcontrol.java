package dev.tilewright.ptx.cluster;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.Locale;
import java.util.Objects;

/**
 * {@code griddepcontrol}: lets the next kernel start early, or waits for the one before.
 *
 * @param action which of the two
 */
@About(section = "griddepcontrol", role = StepRole.OTHER,
        summary = "lets the next kernel start early, or waits for the one before")
public record Griddepcontrol(Action action) implements ClusterInstruction {
    public Griddepcontrol {
        Objects.requireNonNull(action, "action");
    }

    /** What it does. */
    public enum Action {
        /** The kernels that depend on this one may start once every block has said so or ended. */
        LAUNCH_DEPENDENTS,
        /** Waits until the kernels that this one depends on have ended and their memory can be seen. */
        WAIT
    }

    @Override
    public Form form() {
        return FormBuilder.form("griddepcontrol").with("." + action.name().toLowerCase(Locale.ROOT))
                .needs(Gates.HOPPER_FIRST,
                        action == Action.WAIT ? EffectsBuilder.waitingFor(Effects.Wait.EARLIER_KERNELS)
                        : EffectsBuilder.nothing());
    }
}
