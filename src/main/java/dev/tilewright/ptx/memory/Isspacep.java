package dev.tilewright.ptx.memory;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import java.util.Objects;

/**
 * {@code isspacep}: says whether a generic address is in a state space. Inputs, in order: {@code address}. Result:
 * {@code inside}.
 *
 * @param space the space
 */
@About(section = "isspacep", role = StepRole.OTHER, summary = "says whether a generic address is in a state space")
public record Isspacep(AddressSpace space) implements AddressConversion {
    public Isspacep {
        Objects.requireNonNull(space, "space");
    }

    @Override
    public Form form() {
        return FormBuilder.form("isspacep").with(space)
                .operand("inside", Operand.Kind.PREDICATE_OUT)
                .operand("address", Operand.Kind.U64)
                .needs(space.gate());
    }
}
