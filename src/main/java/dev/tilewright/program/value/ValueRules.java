package dev.tilewright.program.value;

/**
 * Which operations there are for which types. Each answer is the rule that forbids one, with what would do; or null.
 */
final class ValueRules {
    private ValueRules() { }

    static String against(UnaryOp op, ValueType type) {
        return switch (op) {
            case NEGATE, ABS -> withoutArithmetic(op, type);
            case SQRT, RECIPROCAL, FLOOR, CEIL, TRUNCATE, ROUND_EVEN -> notOfFloats(op, type);
            case EXP2_FIXED -> type == ValueType.F32 ? null : op + " is of f32, not of " + type + ": convert to f32";
            case NOT -> notOfBits(op, type);
            case COUNT_ONES -> notOfIntegers(op, type);
            case LEADING_ZEROS, REVERSE_BITS -> notOfWideIntegers(op, type);
        };
    }

    static String against(BinaryOp op, ValueType type) {
        return switch (op) {
            case ADD, SUB, MUL, DIV, REM, MIN, MAX -> withoutArithmetic(op, type);
            case MIN_NAN, MAX_NAN, COPY_SIGN -> notOfFloats(op, type);
            case AND, OR, XOR -> notOfBits(op, type);
            case SHL, SHR -> notOfIntegers(op, type);
            case MUL_HI -> notOfWideIntegers(op, type);
        };
    }

    static String againstFma(ValueType type) {
        return type.isInteger() ? "fma is of floats: for " + type + " multiply and add" : notOfFloats("fma", type);
    }

    static String against(Comparison comparison, ValueType type) {
        return switch (comparison) {
            case EQ, NE -> type == ValueType.PRED ? null : withoutArithmetic(comparison, type);
            case LT, LE, GT, GE -> withoutArithmetic(comparison, type);
            case ORDERED, UNORDERED -> notOfFloats(comparison, type);
        };
    }

    static String against(Conversion c) {
        ValueType from = c.from();
        ValueType to = c.to();
        if (c.rounding() == Rounding.NEAREST_AWAY && (to != ValueType.TF32 || from != ValueType.F32)) {
            return "rounding to nearest, ties away from zero, is from f32 to tf32 alone, not from " + from + " to " + to
                    + ": round to nearest even";
        }
        if (from == to) {
            return null;
        }
        if (to == ValueType.PRED) {
            return "a number is not converted to a predicate: compare it with zero";
        }
        if (from == ValueType.PRED) {
            return to.isInteger() ? null : "a predicate is not converted to " + to
                    + ": select one of two numbers by it";
        }
        boolean fromSmall = from == ValueType.E4M3 || from == ValueType.E5M2;
        if (fromSmall && (!to.isFloat() || to == ValueType.TF32 || to.bits() == 8)) {
            return "there is no conversion from " + from + " to " + to
                    + ": convert to f16 or f32 first, which is exact";
        }
        if (from == ValueType.TF32 && to != ValueType.F32) {
            return "there is no conversion from tf32 to " + to + ": convert to f32 first, which is exact";
        }
        return switch (to) {
            case E4M3, E5M2 -> from.isInteger() ? "there is no conversion from " + from + " to " + to
                            + ": convert to f32 first"
                    : c.rounding() != Rounding.NEAREST_EVEN ? "to " + to + " a number is rounded to nearest even, not "
                            + c.rounding() : null;
            case TF32 -> from != ValueType.F32 ? "tf32 is made from f32, not from " + from + ": convert to f32 first"
                    : c.rounding() == Rounding.DOWN || c.rounding() == Rounding.UP
                            ? "to tf32 a number is rounded to nearest or towards zero, not " + c.rounding()
                    : c.saturate() ? "to tf32 nothing saturates: its range is that of f32" : null;
            case F32, F64, F16, BF16 -> c.saturate() && from.isFloat() && isExact(from, to) ? "from " + from + " to "
                    + to + " every number is kept: there is nothing to saturate" : null;
            default -> null;
        };
    }

    /** Whether the second type holds every number of the first; false of pairs that are not converted. */
    static boolean isExact(ValueType from, ValueType to) {
        if (from.isFloat()) {
            return switch (to) {
                case F64 -> from != ValueType.TF32;
                case F32 -> from != ValueType.F64;
                case F16, BF16 -> from.bits() == 8;
                default -> false;
            };
        }
        int digits = from.bits() - (from.isSigned() ? 1 : 0);
        if (to.isInteger()) {
            return digits <= to.bits() - (to.isSigned() ? 1 : 0) && (to.isSigned() || !from.isSigned());
        }
        return from != ValueType.PRED && digits <= switch (to) {
            case F64 -> 53;
            case F32 -> 24;
            case F16 -> 11;
            case BF16 -> 8;
            default -> 0;
        };
    }

    private static String withoutArithmetic(Object op, ValueType type) {
        return type.isArithmetic() ? null : type == ValueType.PRED ? "there is no " + op
                + " of predicates: select a number by it" : noArithmetic(type);
    }

    private static String noArithmetic(ValueType type) {
        return "there is no arithmetic in " + type + ": convert to " + (type == ValueType.TF32 ? "f32" : "f16 or f32");
    }

    private static String notOfFloats(Object op, ValueType type) {
        return !type.isFloat() ? op + " is of floats, not of " + type + ": convert to f32 or f64"
                : type.isArithmetic() ? null : noArithmetic(type);
    }

    private static String notOfIntegers(Object op, ValueType type) {
        return type.isInteger() ? null : op + " is of integers, not of " + type + ": "
                + (type == ValueType.PRED ? "convert to u32" : "cast its bits to u" + type.bits());
    }

    private static String notOfBits(Object op, ValueType type) {
        return type == ValueType.PRED ? null : notOfIntegers(op, type);
    }

    private static String notOfWideIntegers(Object op, ValueType type) {
        return type.isInteger() && type.bits() < 32 ? op + " is of integers of 32 and 64 bits, not of " + type
                + ": convert to u32" : notOfIntegers(op, type);
    }
}
