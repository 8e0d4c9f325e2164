package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code setmaxnreg}: changes how many registers each thread of a warpgroup has.
 *
 * @param increase whether it asks for more, which may wait; else it gives some back
 * @param registers the new number: a multiple of 8 from 24 to 256
 */
@About(section = "setmaxnreg", role = StepRole.OTHER,
        summary = "changes how many registers each thread of a warpgroup has")
public record Setmaxnreg(boolean increase, @OneOf(64) int registers) implements WarpInstruction {
    public Setmaxnreg {
        if (registers < 24 || registers > 256 || registers % 8 != 0) {
            throw new IllegalFormException("setmaxnreg takes a multiple of 8 from 24 to 256, got " + registers,
                    Setmaxnreg.class);
        }
    }

    /** Asks for this many registers, more than there are. */
    public static Setmaxnreg inc(int registers) {
        return new Setmaxnreg(true, registers);
    }

    /** Keeps this many registers and gives the rest back. */
    public static Setmaxnreg dec(int registers) {
        return new Setmaxnreg(false, registers);
    }

    @Override
    public Form form() {
        return FormBuilder.form("setmaxnreg").with(increase ? ".inc" : ".dec").with(".sync.aligned.u32")
                .immediate("n", registers)
                .named("setmaxnreg_" + (increase ? "inc_" : "dec_") + registers)
                .needs(Gates.SETMAXNREG);
    }
}
