package dev.tilewright.ptx.warp;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import java.util.List;

/**
 * {@code elect.sync}: chooses one thread of the warp. Inputs, in order: {@code members}. Results:
 * {@code [lane], elected}.
 *
 * @param lane whether the number of the chosen lane is handed out too; else the sink _ stands in its place
 */
@About(section = "elect.sync", role = StepRole.OTHER, summary = "chooses one thread of the warp")
public record ElectSync(boolean lane) implements WarpInstruction {
    /** The sink instead of the lane. */
    public ElectSync() {
        this(false);
    }

    /** This form with the number of the chosen lane as a result. */
    public ElectSync withLane() {
        return new ElectSync(true);
    }

    @Override
    public Form form() {
        Operand elected = Operands.of("elected", Operand.Kind.PREDICATE_OUT);
        FormBuilder form = FormBuilder.form("elect.sync");
        return (lane ? form.pair(Operands.of("lane", Operand.Kind.U32_OUT), elected)
                : form.mixed("_|%elected%", List.of(elected)))
                .operand("members", Operand.Kind.U32)
                .named("elect_sync" + (lane ? "_lane" : ""))
                .needs(Gates.HOPPER);
    }
}
