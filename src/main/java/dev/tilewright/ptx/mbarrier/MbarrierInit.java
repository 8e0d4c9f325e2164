package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
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
public record MbarrierInit(Space space) implements MbarrierInstruction {
    private static final String SECTION = "mbarrier.init";

    public MbarrierInit {
        Objects.requireNonNull(space, "space");
        Require.space("mbarrier.init", space, Require.OWN_SHARED, SECTION);
    }

    /** In the block's own shared memory. */
    public MbarrierInit() {
        this(Space.SHARED_CTA);
    }

    /** A barrier in this space. */
    public MbarrierInit withSpace(Space space) {
        Objects.requireNonNull(space, "space");
        return new MbarrierInit(space);
    }

    @Override
    public Form form() {
        return FormBuilder.form("mbarrier.init").with(space).with(".b64")
                .operand(Operands.destination(space, "mbar")).operand(Operands.of("arrivals", Operand.Kind.U32))
                .needs(Gates.of(space), EffectsBuilder.of(Completion.AT_ONCE, writes("mbar", Proxy.GENERIC, bytes(8))));
    }

    @Override
    public String functionName() {
        return "mbarrier_init" + Ptx.suffix(space);
    }

    @Override
    public List<PtxInstruction> spellings() {
        return MbarrierInstruction.spellings(this, space, this::withSpace);
    }

    @Override
    public String summary() {
        return "initialises an mbarrier whose phases complete after n arrivals";
    }

    @Override
    public String section() {
        return SECTION;
    }

    @Override
    public StepRole role() {
        return StepRole.INIT;
    }
}
