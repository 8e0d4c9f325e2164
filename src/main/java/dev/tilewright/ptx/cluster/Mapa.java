package dev.tilewright.ptx.cluster;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code mapa}: the address in a block of the cluster that corresponds to one in the own shared memory. Inputs, in
 * order: {@code address, cta}. Result: {@code mapped}.
 *
 * @param shared whether addresses are written as ones in .shared::cluster; else they are generic
 * @param wide whether the register has 64 bits; else 32
 */
@About(section = "mapa", role = StepRole.OTHER,
        summary = "the address in a block of the cluster that corresponds to one in the own shared memory")
public record Mapa(boolean shared, boolean wide) implements ClusterInstruction {
    /** Maps addresses in the shared memory of a block of the cluster, 32 bits wide. */
    public static Mapa ofShared() {
        return new Mapa(true, false);
    }

    /** Maps generic addresses, 64 bits wide. */
    public static Mapa ofGeneric() {
        return new Mapa(false, true);
    }

    /** This form with an address of 32 bits. */
    public Mapa withU32() {
        return new Mapa(shared, false);
    }

    /** This form with an address of 64 bits. */
    public Mapa withU64() {
        return new Mapa(shared, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("mapa").withIf(shared, ".shared::cluster").with(wide ? ".u64" : ".u32")
                .operand("mapped", wide ? Operand.Kind.U64_OUT : Operand.Kind.U32_OUT)
                .operand("address", wide ? Operand.Kind.U64 : Operand.Kind.U32)
                .operand("cta", Operand.Kind.U32)
                .needs(Gates.HOPPER_FIRST);
    }
}
