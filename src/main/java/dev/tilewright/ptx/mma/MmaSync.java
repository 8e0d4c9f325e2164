package dev.tilewright.ptx.mma;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Reordering;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * {@code mma.sync}: a warp multiplies two matrices and adds to a third, D = A * B + C, all in registers. A is
 * row-major, B column-major: a thread's registers hold neighbours along k. Inputs, in order: {@code d, a, b, c}.
 *
 * @param shape sizes of the product
 * @param types of the elements
 * @param satfinite whether a sum of integers that does not fit stays at the largest or least one; else it wraps
 */
@About(section = "mma", role = StepRole.OTHER, reordering = Reordering.MEMORY,
        summary = "a warp multiplies two matrices in registers and adds a third")
public record MmaSync(MmaShape shape, MmaTypes types, boolean satfinite) implements MmaInstruction {
    private static final int THREADS = 32;

    public MmaSync {
        NotNull.all("shape, types", shape, types);
        Set<MmaShape> shapes = shapes(types);
        if (!shapes.contains(shape)) {
            throw new IllegalFormException("mma.sync of " + types + " has the shapes " + shapes + ", got " + shape,
                    MmaSync.class);
        }
        if (satfinite && !types.isInteger()) {
            throw new IllegalFormException("mma.sync takes .satfinite with integers, got " + types, MmaSync.class);
        }
    }

    /** Sums of integers wrap. */
    public MmaSync(MmaShape shape, MmaTypes types) {
        this(shape, types, false);
    }

    /** Sums of integers stay at the largest or least one. */
    public MmaSync withSatfinite() {
        return new MmaSync(shape, types, true);
    }

    /** The shapes that there are for the types. */
    public static Set<MmaShape> shapes(MmaTypes types) {
        Objects.requireNonNull(types, "types");
        return switch (types.a()) {
            case F16, BF16 -> EnumSet.of(MmaShape.M16N8K8, MmaShape.M16N8K16);
            case TF32 -> EnumSet.of(MmaShape.M16N8K4, MmaShape.M16N8K8);
            case E4M3, E5M2 -> EnumSet.of(MmaShape.M16N8K16, MmaShape.M16N8K32);
            case S8, U8 -> EnumSet.of(MmaShape.M8N8K16, MmaShape.M16N8K16, MmaShape.M16N8K32);
            case F64 -> EnumSet.of(MmaShape.M8N8K4, MmaShape.M16N8K4, MmaShape.M16N8K8, MmaShape.M16N8K16);
            case F32, S32 -> throw new IllegalStateException("no operand of a product is " + types.a());
        };
    }

    @Override
    public Form form() {
        int m = shape.m();
        int n = shape.n();
        int k = shape.k();
        MmaType a = types.a();
        MmaType b = types.b();
        MmaType d = types.d();
        int sums = d.registers(m * n, THREADS);
        return FormBuilder.form("mma.sync.aligned").with(shape).with(".row.col").withIf(satfinite, ".satfinite")
                .with(d).with(a).with(b).with(d)
                .registers(Operands.written("d", d.registers(), sums))
                .registers(Operands.read("a", a.registers(), a.registers(m * k, THREADS)))
                .registers(Operands.read("b", b.registers(), b.registers(n * k, THREADS)))
                .registers(Operands.read("c", d.registers(), sums))
                .needs(needed());
    }

    private Gate needed() {
        return switch (types.a()) {
            case E4M3, E5M2 -> shape == MmaShape.M16N8K32 && types.d() == MmaType.F32 ? Gates.MMA_FP8
                    : Gates.MMA_FP8_MORE;
            case F64 -> shape == MmaShape.M8N8K4 ? Gates.AMPERE : Gates.HOPPER_FIRST;
            default -> Gates.AMPERE;
        };
    }
}
