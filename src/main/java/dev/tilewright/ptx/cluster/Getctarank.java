package dev.tilewright.ptx.cluster;

import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code getctarank}: the rank in its cluster of the block that a shared address belongs to.
 *
 * @param shared whether the address is written as one in .shared::cluster; else it is generic
 * @param wide whether the address has 64 bits; else 32
 */
public record Getctarank(boolean shared, boolean wide) implements ClusterInstruction {
    private static final String SECTION = "getctarank";

    @Override
    public Form form() {
        return FormBuilder.form("getctarank").withIf(shared, ".shared::cluster").with(wide ? ".u64" : ".u32")
                .operand(Operand.of("cta", Operand.Kind.U32_OUT))
                .operand(Operand.of("address", wide ? Operand.Kind.U64 : Operand.Kind.U32))
                .needs(Gates.HOPPER_FIRST, Effects.NONE);
    }

    @Override
    public String summary() {
        return "the rank in its cluster of the block that a shared address belongs to";
    }

    @Override
    public String section() {
        return SECTION;
    }
}
