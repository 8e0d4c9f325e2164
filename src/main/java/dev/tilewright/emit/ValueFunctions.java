package dev.tilewright.emit;

import dev.tilewright.program.value.ApproximateOp;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.util.List;

/**
 * Spells operations on values as C++ expressions, and keeps the device functions that they need, which stand in
 * namespace {@code value}. Every text is a primary expression or in parentheses: it can be an operand and an argument
 * anywhere. An argument is evaluated once. One instance for each source.
 */
final class ValueFunctions {
    private final DeviceFunctions functions = new DeviceFunctions("value");
    private final IntegerText integers = new IntegerText(functions);
    private final ConversionText conversions = new ConversionText(functions, integers);
    private final FloatText floats = new FloatText(functions, conversions);

    /** The C++ type of a value; the short floats travel as their bits. */
    static String cType(ValueType type) {
        return switch (type) {
            case PRED -> "bool";
            case U8, E4M3, E5M2 -> "unsigned char";
            case I8 -> "signed char";
            case U16, F16, BF16 -> "unsigned short";
            case I16 -> "short";
            case U32, TF32 -> "unsigned";
            case I32 -> "int";
            case U64 -> "unsigned long long";
            case I64 -> "long long";
            case F32 -> "float";
            case F64 -> "double";
        };
    }

    /** @param nanMatters whether it matters which NaN the result is, see {@link NanBits}; here and below */
    String unary(UnaryOp op, ValueType type, String a, boolean nanMatters) {
        ValueMath.require(op, type);
        return !type.isFloat() ? integers.unary(op, type, a)
                : nanMatters ? floats.unary(op, type, a) : floats.withAnyNan(op, type, a);
    }

    String reciprocalOfModerate(String a) {
        return floats.reciprocalOfModerate(a);
    }

    String binary(BinaryOp op, ValueType type, String a, String b, boolean nanMatters) {
        ValueMath.require(op, type);
        return !type.isFloat() ? integers.binary(op, type, a, b)
                : nanMatters ? floats.binary(op, type, a, b) : floats.withAnyNan(op, type, a, b);
    }

    /** A quotient or remainder of integers of which the compiler knows the divisor. */
    String byConstant(BinaryOp op, ValueType type, String a, String b) {
        return integers.byConstant(op, type, a, b);
    }

    String fma(ValueType type, String a, String b, String c, boolean nanMatters) {
        ValueMath.requireFma(type);
        return type == ValueType.F64 && !nanMatters ? "__fma_rn(" + a + ", " + b + ", " + c + ")"
                : floats.fma(type, a, b, c);
    }

    /** A bool. */
    String compare(Comparison comparison, ValueType type, String a, String b) {
        ValueMath.require(comparison, type);
        return type.isFloat() ? floats.compare(comparison, type, a, b)
                : "(" + a + " " + symbol(comparison) + " " + b + ")";
    }

    /** @param chooses whether it is the smaller or greater of two that are compared */
    String select(ValueType type, String condition, String yes, String no, boolean chooses) {
        String choice = condition + " ? " + yes + " : " + no;
        String text = "(" + (chooses && !type.isFloat() && type != ValueType.PRED ? integers.chosen(type, choice)
                : choice) + ")";
        return type.bits() < 32 && type != ValueType.PRED ? "((" + cType(type) + ")" + text + ")" : text;
    }

    String convert(Conversion conversion, String a) {
        ValueMath.require(conversion);
        return conversions.of(conversion, a);
    }

    /** A value's bits as another type of the same width. */
    String bitCast(ValueType from, ValueType to, String a) {
        if (cType(from).equals(cType(to))) {
            return a;
        }
        return switch (to) {
            case F32 -> "__uint_as_float((unsigned)" + a + ")";
            case F64 -> "__longlong_as_double((long long)" + a + ")";
            default -> switch (from) {
                case F32 -> to == ValueType.I32 ? "__float_as_int(" + a + ")" : "__float_as_uint(" + a + ")";
                case F64 -> to == ValueType.I64 ? "__double_as_longlong(" + a + ")"
                        : "((unsigned long long)__double_as_longlong(" + a + "))";
                default -> "((" + cType(to) + ")" + a + ")";
            };
        };
    }

    /** An operation on two pairs of f16 or bf16. */
    String pairwise(BinaryOp op, ValueType half, String a, String b) {
        return floats.pairwise(op, half, a, b);
    }

    String approximate(ApproximateOp op, String a) {
        return floats.approximate(op, a);
    }

    String constant(ValueType type, long word) {
        return type == ValueType.PRED ? word == 0 ? "false" : "true"
                : type.isFloat() ? FloatText.constant(type, word) : IntegerText.literal(type, word);
    }

    /** The functions that the texts so far call, each as its lines, in the order of first use. */
    List<List<String>> definitions() {
        return functions.definitions();
    }

    static String symbol(Comparison comparison) {
        return switch (comparison) {
            case EQ -> "==";
            case NE -> "!=";
            case LT -> "<";
            case LE -> "<=";
            case GT -> ">";
            case GE -> ">=";
            case ORDERED, UNORDERED -> throw new AssertionError(comparison);
        };
    }
}
