package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;
import dev.tilewright.ptx.form.Require;
import java.util.List;
import java.util.Objects;

/**
 * {@code mbarrier.init}: initialises an mbarrier whose phases complete after n arrivals. Inputs, in order:
 * {@code mbar, arrivals}.
 *
 * @param space where the barrier is: generic, or the block's own shared memory
 */
@About(section = "mbarrier.init", role = StepRole.INIT,
        summary = "initialises an mbarrier whose phases complete after n arrivals")
public record MbarrierInit(Space space) implements MbarrierInstruction {
    public MbarrierInit {
        Objects.requireNonNull(space, "space");
        Require.space("mbarrier.init", space, Require.OWN_SHARED, MbarrierInit.class);
    }

    /** The form for the block's own shared memory. */
    public MbarrierInit() {
        this(Space.SHARED_CTA);
    }

    /** A barrier in this space. */
    public MbarrierInit withSpace(Space space) {
        return new MbarrierInit(space);
    }

    @Override
    public Form form() {
        return FormBuilder.form("mbarrier.init").with(space).with(".b64")
                .operand(Operands.destination(space, "mbar")).operand("arrivals", Operand.Kind.U32)
                .named("mbarrier_init" + Ptx.suffix(space))
                .needs(Gates.of(space), writes("mbar", Proxy.GENERIC, bytes(8)));
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
    }
}
