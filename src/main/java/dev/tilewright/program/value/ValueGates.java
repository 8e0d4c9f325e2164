package dev.tilewright.program.value;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Target;
import java.util.Objects;

/**
 * The compiler and architecture requirements of operations on values. All but the conversions of fp8 are emitted with
 * what every target has ({@link Gate#ANY}).
 */
public final class ValueGates {
    /** PTX ISA, "cvt": e4m3x2 and e5m2x2 came with PTX 7.8 for sm_90 and with PTX 8.1 for sm_89. */
    private static final Gate FP8 = Gate.of(8, 1, Target.SM_89).or(7, 8, Target.SM_90);

    private ValueGates() { }

    /** The requirements of a conversion. */
    public static Gate of(Conversion conversion) {
        Objects.requireNonNull(conversion, "conversion");
        return conversion.from() != conversion.to() && (isFp8(conversion.from()) || isFp8(conversion.to())) ? FP8
                : Gate.ANY;
    }

    private static boolean isFp8(ValueType type) {
        return type == ValueType.E4M3 || type == ValueType.E5M2;
    }
}
