package dev.tilewright.ptx.mbarrier;

import static dev.tilewright.ptx.Effects.bytes;
import static dev.tilewright.ptx.Effects.writes;

import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.form.FormBuilder;

/**
 * {@code mbarrier.inval}: ends the life of an mbarrier, so that its bytes can serve otherwise.
 *
 * @param space where the barrier is: generic, or the block's own shared memory
 */
public record MbarrierInval(Space space) implements MbarrierInstruction {
    private static final String SECTION = "mbarrier.inval";

    public MbarrierInval {
        Space.require("mbarrier.inval", space, Space.OWN_SHARED, SECTION);
    }

    /** In the block's own shared memory. */
    public MbarrierInval() {
        this(Space.SHARED_CTA);
    }

    /** A barrier in this space. */
    public MbarrierInval withSpace(Space space) {
        return new MbarrierInval(space);
    }

    @Override
    public Form form() {
        return FormBuilder.form("mbarrier.inval").with(space).with(".b64").operand(space.destination("mbar"))
                .needs(space.gate(), Effects.of(Completion.AT_ONCE, writes("mbar", Proxy.GENERIC, bytes(8))));
    }

    @Override
    public String summary() {
        return "ends the life of an mbarrier, so that its bytes can serve otherwise";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
