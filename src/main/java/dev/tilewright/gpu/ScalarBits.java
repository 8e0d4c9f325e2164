package dev.tilewright.gpu;

import dev.tilewright.builder.Scalars;
import dev.tilewright.program.Parameter;
import java.util.List;

/** A scalar argument's bits from a Java number. The usual types allocate nothing; the rest is {@link Scalars}'. */
final class ScalarBits {

    private ScalarBits() { }

    static long of(Parameter.Scalar scalar, long value) {
        return switch (scalar.type()) {
            case I64 -> value;
            case I32 -> (int) value == value ? value & 0xFFFF_FFFFL : general(scalar, value);
            case U32 -> value >>> 32 == 0 ? value : general(scalar, value);
            default -> general(scalar, value);
        };
    }

    static long of(Parameter.Scalar scalar, double value) {
        return switch (scalar.type()) {
            case F32 -> Float.floatToRawIntBits((float) value) & 0xFFFF_FFFFL;
            case F64 -> Double.doubleToRawLongBits(value);
            default -> general(scalar, value);
        };
    }

    private static long general(Parameter.Scalar scalar, Number value) {
        return Scalars.of(scalar.name(), value).bits(List.of(scalar)).get(scalar);
    }
}
