package dev.tilewright.emit;

import dev.tilewright.program.value.ApproximateOp;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueType;
import java.util.List;

/** The C++ of operations on values. */
final class ValueFunctions {
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

    String constant(ValueType type, long word) {
        return switch (type) {
            case F32 -> "__int_as_float(" + (int) word + ")";
            default -> "(" + cType(type) + ")" + word + "LL";
        };
    }

    String unary(UnaryOp op, ValueType type, String a) {
        throw new UnsupportedOperationException(op + " " + type);
    }

    String binary(BinaryOp op, ValueType type, String a, String b) {
        if (type == ValueType.F32) {
            return switch (op) {
                case ADD -> "__fadd_rn(" + a + ", " + b + ")";
                case SUB -> "__fsub_rn(" + a + ", " + b + ")";
                case MUL -> "__fmul_rn(" + a + ", " + b + ")";
                default -> throw new UnsupportedOperationException(op + " " + type);
            };
        }
        return switch (op) {
            case ADD -> "(" + cType(type) + ")((unsigned)" + a + " + (unsigned)" + b + ")";
            default -> throw new UnsupportedOperationException(op + " " + type);
        };
    }

    String fma(ValueType type, String a, String b, String c) {
        return "__fmaf_rn(" + a + ", " + b + ", " + c + ")";
    }

    String compare(Comparison comparison, ValueType type, String a, String b) {
        return "(" + a + switch (comparison) {
            case EQ -> " == ";
            case NE -> " != ";
            case LT -> " < ";
            case LE -> " <= ";
            case GT -> " > ";
            case GE -> " >= ";
        } + b + ")";
    }

    String select(ValueType type, String condition, String yes, String no) {
        return "(" + condition + " ? " + yes + " : " + no + ")";
    }

    String convert(Conversion conversion, String a) {
        return "(" + cType(conversion.to()) + ")(" + a + ")";
    }

    String bitCast(ValueType from, ValueType to, String a) {
        throw new UnsupportedOperationException(from + " " + to);
    }

    String approximate(ApproximateOp op, String a) {
        throw new UnsupportedOperationException(op.toString());
    }

    List<List<String>> definitions() {
        return List.of();
    }
}
