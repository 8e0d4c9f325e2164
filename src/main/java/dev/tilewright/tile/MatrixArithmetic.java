package dev.tilewright.tile;

import dev.tilewright.ptx.Target;
import java.util.Objects;

/** Whose products of matrices: they are the same for most types, not for all. */
public enum MatrixArithmetic {
    /** {@code wgmma} of compute capability 9.0; f64 by {@code mma.sync}, which alone has it. */
    HOPPER_WGMMA,
    /** {@code mma.sync} of compute capability 9.0: differs from {@link #HOPPER_WGMMA} for e4m3 and e5m2. */
    HOPPER_MMA_SYNC,
    /** {@code mma.sync} of compute capabilities 8.0 to 8.9, as published; not measured. */
    AMPERE;

    /** Whose a target's products are where a kernel names none. */
    public static MatrixArithmetic of(Target target) {
        Objects.requireNonNull(target, "target");
        return target.major() < 9 ? AMPERE : HOPPER_WGMMA;
    }
}
