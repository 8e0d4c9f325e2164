package dev.tilewright.ptx.copy;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;
import static dev.tilewright.ptx.form.EffectsBuilder.writes;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Effects.Completion;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;
import dev.tilewright.ptx.form.Require;
import java.util.List;

/**
 * {@code st.async (to shared memory)}: stores registers into the shared memory of a block of the cluster; an mbarrier
 * there counts the bytes. Inputs, in order: {@code dst, value0..., mbar}.
 *
 * @param weak whether .weak is written; it is weak either way
 * @param explicitSpace whether .shared::cluster is written; the address is one either way
 * @param vector how many values
 * @param type of one value: 32 or 64 bits; four of 64 bits are too many
 */
@About(section = "st.async", role = StepRole.COUNTED_LOAD,
        summary = "stores registers into the shared memory of a block of the cluster; an mbarrier there counts the"
                + " bytes")
public record StAsync(boolean weak, boolean explicitSpace, Vector vector, DataType type) implements CopyInstruction {
    /** How many values one store has. */
    public enum Vector implements Qualifier {
        ONE, V2, V4;

        @Override
        public String text() {
            return this == ONE ? "" : Qualifier.super.text();
        }

        /** The vector of so many values: 1, 2 or 4. */
        public static Vector of(int count) {
            return switch (count) {
                case 1 -> ONE;
                case 2 -> V2;
                case 4 -> V4;
                default -> throw new IllegalArgumentException("st.async takes 1, 2 or 4 values, got " + count);
            };
        }

        int count() {
            return 1 << ordinal();
        }
    }

    public StAsync {
        NotNull.all("vector, type", vector, type);
        Require.type("st.async into shared memory", type, DataType.WORDS, StAsync.class);
        if (vector == Vector.V4 && type.bytes() == 8) {
            throw new IllegalFormException(
                    "st.async into shared memory takes 1, 2 or 4 values of 32 bits, 1 or 2 of 64, got "
                    + vector.count() + " of " + 8 * type.bytes(), StAsync.class);
        }
    }

    /** One value; what need not be written is left out. */
    public StAsync(DataType type) {
        this(false, false, Vector.ONE, type);
    }

    /** This form with .weak written. */
    public StAsync withWeak() {
        return new StAsync(true, explicitSpace, vector, type);
    }

    /** This form with .shared::cluster written. */
    public StAsync withExplicitSpace() {
        return new StAsync(weak, true, vector, type);
    }

    /** Storing several values at once. */
    public StAsync withVector(Vector vector) {
        return new StAsync(weak, explicitSpace, vector, type);
    }

    @Override
    public Form form() {
        FormBuilder form = FormBuilder.form("st.async").withIf(weak, ".weak").withIf(explicitSpace, ".shared::cluster")
                .with(Ptx.MBARRIER_BYTES).with(vector).with(type).operand(Ptx.CLUSTER_DST);
        List<Operand> values = Operands.several("value", vector.count(), Operands.input(type, "").kind());
        return (vector == Vector.ONE ? form.operand(values.getFirst()) : form.vector(values))
                .operand(Ptx.CLUSTER_MBARRIER)
                .needs(Gates.ST_ASYNC, Completion.MBARRIER,
                        writes("dst", Proxy.GENERIC, bytes(vector.count() * type.bytes())),
                                updates("mbar", Proxy.GENERIC, bytes(8)));
    }
}
