package dev.tilewright.tile;

import dev.tilewright.program.value.ValueType;
import java.util.Objects;

/** The matrix products that exist, with their steps along k. */
public final class Multiplication {
    private Multiplication() { }

    /** How many elements along k one instruction takes: 32 bytes of each operand; of f64 4, of f32 1. */
    public static int depth(ValueType operand) {
        return switch (Objects.requireNonNull(operand, "operand")) {
            case F32 -> 1;
            case F64 -> 4;
            default -> 256 / operand.bits();
        };
    }

    static void require(ValueType a, ValueType b, ValueType sums) {
        boolean eight = isEightBitFloat(a) && isEightBitFloat(b);
        boolean integers = (a == ValueType.I8 || a == ValueType.U8) && (b == ValueType.I8 || b == ValueType.U8);
        boolean right = eight ? sums == ValueType.F32 || sums == ValueType.F16
                : integers ? sums == ValueType.I32
                : a == b && switch (a) {
                    case F16 -> sums == ValueType.F32 || sums == ValueType.F16;
                    case BF16, TF32, F32 -> sums == ValueType.F32;
                    case F64 -> sums == ValueType.F64;
                    default -> false;
                };
        if (!right) {
            throw new IllegalArgumentException("there is no product of " + a + " and " + b + " with sums of " + sums
                    + ": f16, bf16, tf32, e4m3, e5m2 and f32 have sums of f32 (f16, e4m3 and e5m2 of f16, too), 8-bit "
                    + "integers of i32, f64 of f64; convert factors or sums, with to(…)");
        }
    }

    private static boolean isEightBitFloat(ValueType type) {
        return type == ValueType.E4M3 || type == ValueType.E5M2;
    }
}
