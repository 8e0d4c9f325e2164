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
 * {@code wgmma.mma_async} of 8-bit integers: see {@link Wgmma}. In shared memory neighbours along k lie together.
 * Inputs, in order: {@code d, [a_desc], [a], b_desc, scale_d}.
 *
 * @param types of the elements
 * @param n columns of B: 8, 24, or a multiple of 16 up to 256
 * @param registersA whether A is in registers; else in shared memory
 * @param satfinite whether a sum that does not fit stays at the largest or least integer; else it wraps
 */
@About(section = "wgmma.mma_async", role = StepRole.OTHER,
        summary = "a warpgroup starts a matrix product with B, and optionally A, in shared memory")
public record WgmmaInteger(
        MmaTypes types,
        @OneOf({8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256}) int n,
        boolean registersA, boolean satfinite) implements Wgmma {
    public WgmmaInteger {
        Objects.requireNonNull(types, "types");
        if (!types.isInteger()) {
            throw new IllegalFormException("wgmma.mma_async of integers takes s8 and u8, got " + types
                    + ": use WgmmaFloat", WgmmaInteger.class);
        }
        if (n < 8 || n > 256 || n % 16 != 0 && n != 8 && n != 24) {
            throw new IllegalFormException("wgmma.mma_async of integers has an n of 8, 24, or a multiple of 16 up to "
                    + "256, got " + n, WgmmaInteger.class);
        }
    }

    /** A and B in shared memory, sums wrap. */
    public WgmmaInteger(MmaTypes types, int n) {
        this(types, n, false, false);
    }

    /** A in registers. */
    public WgmmaInteger withRegistersA() {
        return new WgmmaInteger(types, n, true, satfinite);
    }

    /** Sums stay at the largest or least integer. */
    public WgmmaInteger withSatfinite() {
        return new WgmmaInteger(types, n, registersA, true);
    }

    @Override
    public Form form() {
        return WgmmaOperands.add(FormBuilder.form("wgmma.mma_async.sync.aligned").with(".m64n").with("" + n)
                .with("k" + k())
                .withIf(satfinite, ".satfinite").with(types.d()).with(types.a()).with(types.b()), this)
                .named(WgmmaOperands.functionName(this) + (satfinite ? "_satfinite" : ""))
                .needs(types.a() == types.b() ? Gates.WGMMA : Gates.WGMMA_MIXED_INTEGERS, WgmmaOperands.effects(this));
    }
}
