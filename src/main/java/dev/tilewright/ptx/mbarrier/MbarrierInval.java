package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Require;
import java.util.List;
import java.util.Objects;

/**
 * {@code mbarrier.inval}: ends the life of an mbarrier, so that its bytes can serve otherwise. Inputs, in order:
 * {@code mbar}.
 *
 * @param space where the barrier is: generic, or the block's own shared memory
 */
@About(section = "mbarrier.inval", role = StepRole.OTHER,
        summary = "ends the life of an mbarrier, so that its bytes can serve otherwise")
public record MbarrierInval(Space space) implements MbarrierInstruction {
    public MbarrierInval {
        Objects.requireNonNull(space, "space");
        Require.space("mbarrier.inval", space, Require.OWN_SHARED, MbarrierInval.class);
    }

    /** The form for the block's own shared memory. */
    public MbarrierInval() {
        this(Space.SHARED_CTA);
    }

    /** A barrier in this space. */
    public MbarrierInval withSpace(Space space) {
        return new MbarrierInval(space);
    }

    @Override
    public Form form() {
        return FormBuilder.form("mbarrier.inval").with(space).with(".b64").operand(Operands.destination(space, "mbar"))
                .needs(Gates.of(space), writes("mbar", Proxy.GENERIC, bytes(8)));
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
    }
}
