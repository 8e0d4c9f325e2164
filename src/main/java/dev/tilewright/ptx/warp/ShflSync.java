package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Reordering;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import java.util.Objects;

/**
 * {@code shfl.sync}: every lane of the members hands out a value and takes that of another lane. Inputs, in order:
 * {@code value, lane, clamp, members}. Results: {@code taken, [inside]}.
 *
 * <p>The operand {@code lane} says which (a distance, a mask or a number, by the mode), {@code clamp} where a lane's
 * segment ends: bits 0 to 4 hold the bound, bits 8 to 12 the mask that splits the warp into segments. CUDA's functions
 * make it of a width: {@code (32 - width) << 8}, with {@code | 31} but for up. A lane whose source lies beyond keeps
 * its own value.
 *
 * @param mode how the source lane is found
 * @param inside whether it is also handed out if the source lay within the segment
 */
@About(section = "shfl.sync", role = StepRole.OTHER, reordering = Reordering.MEMORY,
        summary = "every lane of the members takes the value of another lane")
public record ShflSync(Mode mode, boolean inside) implements WarpInstruction {
    /** How a lane finds the one that it takes from. */
    public enum Mode implements Qualifier {
        /** The own number less a distance. */
        UP,
        /** The own number and a distance. */
        DOWN,
        /** The own number, with the bits of a mask turned over. */
        BFLY,
        /** A number within the segment. */
        IDX;
    }

    public ShflSync {
        Objects.requireNonNull(mode, "mode");
    }

    /** Handing out the value alone. */
    public ShflSync(Mode mode) {
        this(mode, false);
    }

    /** Handing out too if the source lay within the segment. */
    public ShflSync withInside() {
        return new ShflSync(mode, true);
    }

    @Override
    public Form form() {
        FormBuilder form = FormBuilder.form("shfl.sync").with(mode).with(".b32");
        Operand taken = Operands.of("taken", Operand.Kind.U32_OUT);
        return (inside ? form.pair(taken, Operands.of("inside", Operand.Kind.PREDICATE_OUT)) : form.operand(taken))
                .operand("value", Operand.Kind.U32)
                .operand("lane", Operand.Kind.U32)
                .operand("clamp", Operand.Kind.U32)
                .operand("members", Operand.Kind.U32)
                .named("shfl_sync" + mode.text().replace('.', '_') + (inside ? "_inside" : ""))
                .needs(Gates.AMPERE);
    }
}
