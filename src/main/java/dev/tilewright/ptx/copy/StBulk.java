package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.counted;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Require;
import java.util.EnumSet;
import java.util.Objects;

/**
 * {@code st.bulk}: sets bytes of shared memory to zero. Inputs, in order: {@code dst, bytes}.
 *
 * @param weak whether .weak is written; it is weak either way
 * @param space where the bytes are: generic, or the block's own shared memory
 */
@About(section = "st.bulk", role = StepRole.OTHER, summary = "sets bytes of shared memory to zero")
public record StBulk(boolean weak, Space space) implements CopyInstruction {
    public StBulk {
        Objects.requireNonNull(space, "space");
        Require.space("st.bulk", space, EnumSet.of(Space.GENERIC, Space.SHARED_CTA), StBulk.class);
    }

    /** The form for the block's own shared memory. */
    public StBulk() {
        this(false, Space.SHARED_CTA);
    }

    /** This form with .weak written. */
    public StBulk withWeak() {
        return new StBulk(true, space);
    }

    /** This form with an address in this state space. */
    public StBulk withSpace(Space space) {
        return new StBulk(weak, space);
    }

    @Override
    public Form form() {
        return FormBuilder.form("st.bulk").withIf(weak, ".weak").with(space)
                .operand(Operands.destination(space, "dst")).operand("bytes", Operand.Kind.U64)
                .literal("0")
                .needs(Gates.BLACKWELL, writes("dst", Proxy.GENERIC, counted("bytes")));
    }
}
