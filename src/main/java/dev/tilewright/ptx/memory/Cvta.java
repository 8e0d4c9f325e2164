package dev.tilewright.ptx.memory;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import java.util.Objects;

/**
 * {@code cvta}: turns an address in a state space into a generic one, or back. Inputs, in order: {@code address}.
 * Result: {@code converted}.
 *
 * @param toSpace whether a generic address is turned into one in the space
 * @param space the space
 */
@About(section = "cvta", role = StepRole.OTHER,
        summary = "turns an address in a state space into a generic one, or back")
public record Cvta(boolean toSpace, AddressSpace space) implements AddressConversion {
    public Cvta {
        Objects.requireNonNull(space, "space");
    }

    /** Turns an address in the space into a generic one. */
    public static Cvta from(AddressSpace space) {
        return new Cvta(false, space);
    }

    /** Turns a generic address into one in the space. */
    public static Cvta to(AddressSpace space) {
        return new Cvta(true, space);
    }

    @Override
    public Form form() {
        return FormBuilder.form("cvta").withIf(toSpace, ".to").with(space).with(".u64")
                .operand("converted", Operand.Kind.U64_OUT)
                .operand("address", Operand.Kind.U64)
                .needs(space.gate());
    }
}
