package dev.tilewright.ptx.cluster;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;

/**
 * {@code getctarank}: the rank in its cluster of the block that a shared address belongs to. Inputs, in order:
 * {@code address}. Result: {@code cta}.
 *
 * @param shared whether the address is written as one in .shared::cluster; else it is generic
 * @param wide whether the address has 64 bits; else 32
 */
@About(section = "getctarank", role = StepRole.OTHER,
        summary = "the rank in its cluster of the block that a shared address belongs to")
public record Getctarank(boolean shared, boolean wide) implements ClusterInstruction {
    /** The rank of an address in the shared memory of a block of the cluster, 32 bits wide. */
    public static Getctarank ofShared() {
        return new Getctarank(true, false);
    }

    /** The rank of a generic address, 64 bits wide. */
    public static Getctarank ofGeneric() {
        return new Getctarank(false, true);
    }

    /** This form with an address of 32 bits. */
    public Getctarank withU32() {
        return new Getctarank(shared, false);
    }

    /** This form with an address of 64 bits. */
    public Getctarank withU64() {
        return new Getctarank(shared, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form("getctarank").withIf(shared, ".shared::cluster").with(wide ? ".u64" : ".u32")
                .operand("cta", Operand.Kind.U32_OUT)
                .operand("address", wide ? Operand.Kind.U64 : Operand.Kind.U32)
                .needs(Gates.HOPPER_FIRST);
    }
}
