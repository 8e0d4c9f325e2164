package dev.tilewright.functions;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;

/**
 * The arguments of {@link FunctionKernels#digests} by their numbers: as values, and the same in Java. Of f32 distinct
 * bit patterns, spread over all; of f64 by turns a bit pattern, and a number between -128 and 128. Second arguments of
 * powers are by turns bit patterns and numbers between -4 and 4.
 */
public final class Arguments {
    private static final int GOLDEN = 0x9E37_79B1;
    private static final int OTHER = 0x85EB_CA6B;
    private static final long GOLDEN_LONG = 0x9E37_79B9_7F4A_7C15L;
    private static final long OTHER_LONG = 0xC2B2_AE3D_27D4_EB4FL;

    private Arguments() {
    }

    /** @param index u32 or u64 */
    static Value first(Value index) {
        if (index.type() == ValueType.U32) {
            return index.times(Value.u32(GOLDEN)).bitCast(ValueType.F32);
        }
        Value mixed = index.times(Value.u64(GOLDEN_LONG));
        return isOdd(index).choose(mixed.bitCast(ValueType.I64).to(ValueType.F64).times(0x1p-56),
                mixed.bitCast(ValueType.F64));
    }

    static Value second(Value index) {
        if (index.type() == ValueType.U32) {
            Value mixed = index.times(Value.u32(OTHER));
            return isOdd(index).choose(mixed.bitCast(ValueType.I32).to(ValueType.F32).times(0x1p-29),
                    mixed.bitCast(ValueType.F32));
        }
        Value mixed = index.times(Value.u64(OTHER_LONG));
        return isOdd(index).choose(mixed.bitCast(ValueType.I64).to(ValueType.F64).times(0x1p-61),
                mixed.bitCast(ValueType.F64));
    }

    private static Value isOdd(Value index) {
        return index.and(Value.of(index.type(), 1)).isEqualTo(Value.of(index.type(), 1));
    }

    public static float firstFloat(int index) {
        return Float.intBitsToFloat(index * GOLDEN);
    }

    public static float secondFloat(int index) {
        int mixed = index * OTHER;
        return (index & 1) != 0 ? mixed * 0x1p-29f : Float.intBitsToFloat(mixed);
    }

    public static double firstDouble(long index) {
        long mixed = index * GOLDEN_LONG;
        return (index & 1) != 0 ? mixed * 0x1p-56 : Double.longBitsToDouble(mixed);
    }

    public static double secondDouble(long index) {
        long mixed = index * OTHER_LONG;
        return (index & 1) != 0 ? mixed * 0x1p-61 : Double.longBitsToDouble(mixed);
    }
}
