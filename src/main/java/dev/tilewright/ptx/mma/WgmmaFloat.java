package dev.tilewright.ptx.mma;

import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.Objects;

/**
 * {@code wgmma.mma_async} of floats: see {@link Wgmma}. A is m64 rows of k columns; how a matrix in shared memory may
 * lie, its major dimension, is k's for both unless it is transposed. Inputs, in order:
 * {@code d, [a_desc], [a], b_desc, scale_d}.
 *
 * @param types of the elements
 * @param n columns of B: a multiple of 8 up to 256
 * @param registersA whether A is in registers; else in shared memory
 * @param negatedA whether A's elements are negated
 * @param negatedB whether B's elements are negated
 * @param transposedA whether neighbours along m lie together in shared memory, for A of 16-bit elements
 * @param transposedB whether neighbours along n lie together in shared memory, for B of 16-bit elements
 */
@About(section = "wgmma.mma_async", role = StepRole.OTHER,
        summary = "a warpgroup starts a matrix product with B, and optionally A, in shared memory")
public record WgmmaFloat(
        MmaTypes types,
        @OneOf({8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136, 144, 152, 160, 168, 176, 184,
        192, 200,
            208, 216, 224, 232, 240, 248, 256}) int n,
        boolean registersA, boolean negatedA, boolean negatedB, boolean transposedA, boolean transposedB)
        implements Wgmma {
    public WgmmaFloat {
        Objects.requireNonNull(types, "types");
        if (types.isInteger() || types == MmaTypes.F64_F64_F64) {
            throw new IllegalFormException("wgmma.mma_async of floats takes f16, bf16, tf32, e4m3 or e5m2, got " + types
                    + (types.isInteger() ? ": use WgmmaInteger" : ": use mma.sync"), WgmmaFloat.class);
        }
        if (n < 8 || n > 256 || n % 8 != 0) {
            throw new IllegalFormException("wgmma.mma_async of floats has an n that is a multiple of 8 from 8 to 256, "
                    + "got " + n, WgmmaFloat.class);
        }
        if (transposedA && registersA) {
            throw new IllegalFormException("wgmma.mma_async transposes A in shared memory only, got A in registers",
                    WgmmaFloat.class);
        }
        if ((transposedA || transposedB) && types.a().bits() != 16) {
            throw new IllegalFormException("wgmma.mma_async transposes matrices of 16-bit elements only, got " + types
                    + ": neighbours along k have to lie together in shared memory", WgmmaFloat.class);
        }
    }

    /** A and B in shared memory with neighbours along k together, as they are. */
    public WgmmaFloat(MmaTypes types, int n) {
        this(types, n, false, false, false, false, false);
    }

    /** A in registers. */
    public WgmmaFloat withRegistersA() {
        return new WgmmaFloat(types, n, true, negatedA, negatedB, transposedA, transposedB);
    }

    /** This form with A's elements negated. */
    public WgmmaFloat withNegatedA() {
        return new WgmmaFloat(types, n, registersA, true, negatedB, transposedA, transposedB);
    }

    /** This form with B's elements negated. */
    public WgmmaFloat withNegatedB() {
        return new WgmmaFloat(types, n, registersA, negatedA, true, transposedA, transposedB);
    }

    /** This form with A transposed: neighbours along m are contiguous in shared memory. */
    public WgmmaFloat withTransposedA() {
        return new WgmmaFloat(types, n, registersA, negatedA, negatedB, true, transposedB);
    }

    /** This form with B transposed: neighbours along n are contiguous in shared memory. */
    public WgmmaFloat withTransposedB() {
        return new WgmmaFloat(types, n, registersA, negatedA, negatedB, transposedA, true);
    }

    @Override
    public Form form() {
        FormBuilder form = WgmmaOperands.add(FormBuilder.form("wgmma.mma_async.sync.aligned")
                .with(".m64n").with("" + n).with("k" + k()).with(types.d()).with(types.a()).with(types.b()), this)
                .flag(negatedA ? -1 : 1).flag(negatedB ? -1 : 1);
        if (types.a().bits() == 16) {
            if (!registersA) {
                form.flag(transposedA ? 1 : 0);
            }
            form.flag(transposedB ? 1 : 0);
        }
        return form
                .named(WgmmaOperands.functionName(this) + (negatedA ? "_negated_a" : "")
                        + (negatedB ? "_negated_b" : "")
                        + (transposedA ? "_transposed_a" : "") + (transposedB ? "_transposed_b" : ""))
                .needs(Gates.WGMMA, WgmmaOperands.effects(this));
    }
}
