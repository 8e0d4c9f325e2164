package dev.tilewright.emit;

import dev.tilewright.program.value.ApproximateOp;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.FixedPowers;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Operations on floats in C++, each rounded once. f32 and f64 by intrinsics that are never contracted; where those
 * would leave a choice, and for f16 and bf16, inline PTX, which the compiler neither folds nor contracts. A sign is
 * changed by operations on bits: {@code neg.f32} and {@code abs.f32} may change a NaN.
 *
 * <p>Arithmetic in f64 hands on the payload of the first operand that is a NaN (measured on an H200), which may be the
 * second in the source: the compiler swaps operands. Every NaN is therefore replaced by the same one, which costs a
 * comparison in f64: fused multiply-adds alone then run at half their rate (7.7 of 16.4 million million a second on an
 * H200).
 */
final class FloatText {
    private final DeviceFunctions functions;
    private final ConversionText conversions;
    private final OpaqueText opaque;
    private final QuotientText quotients;

    FloatText(DeviceFunctions functions, ConversionText conversions) {
        this.functions = functions;
        this.conversions = conversions;
        this.opaque = new OpaqueText(functions);
        this.quotients = new QuotientText(functions);
    }

    String unary(UnaryOp op, ValueType type, String a) {
        return switch (op) {
            case NEGATE -> switch (type) {
                case F32 -> asm(type, "neg", "xor.b32 %0, %1, 0x80000000;", a);
                case F64 -> asm(type, "neg", "xor.b64 %0, %1, 0x8000000000000000;", a);
                default -> "((unsigned short)(" + a + " ^ 0x8000))";
            };
            case ABS -> switch (type) {
                case F32 -> asm(type, "abs", "and.b32 %0, %1, 0x7fffffff;", a);
                case F64 -> asm(type, "abs", "and.b64 %0, %1, 0x7fffffffffffffff;", a);
                default -> "((unsigned short)(" + a + " & 0x7fff))";
            };
            case SQRT -> switch (type) {
                case F32 -> quotients.root(type, a);
                case F64 -> oneNan("sqrt", quotients.root(type, "a"), a);
                default -> throughF32("sqrt", type, quotients.root(ValueType.F32, wide(type, "a")), a);
            };
            case RECIPROCAL -> switch (type) {
                case F32 -> quotients.reciprocal(type, a);
                case F64 -> oneNan("rcp", quotients.reciprocal(type, "a"), a);
                default -> throughF32("rcp", type, quotients.reciprocal(ValueType.F32, wide(type, "a")), a);
            };
            // Of its operand's and its result's sign ptxas 13.0 takes neither to matter where the result loses its own.
            case FLOOR -> opaque.of(type, whole("floor", "rmi", type, a));
            case CEIL -> opaque.of(type, whole("ceil", "rpi", type, a));
            case TRUNCATE -> whole("trunc", "rzi", type, a);
            case ROUND_EVEN -> whole("round_even", "rni", type, a);
            case EXP2_FIXED -> fixedPower(a);
            default -> throw new AssertionError(op + " of " + type);
        };
    }

    String binary(BinaryOp op, ValueType type, String a, String b) {
        String name = op.toString();
        return switch (op) {
            case ADD, SUB, MUL -> switch (type) {
                case F32 -> "__f" + name + "_rn(" + a + ", " + b + ")";
                case F64 -> oneNan(name, "__d" + name + "_rn(a, b)", a, b);
                case F16 -> asm(type, name, name + ".rn.f16 %0, %1, %2;", a, b);
                // sm_80 has but the fused multiply-add of bf16: a * 1 + b, b * -1 + a, a * b + -0.
                default -> switch (op) {
                    case ADD -> asm(type, name, "{ .reg .b16 one; mov.b16 one, 0x3f80; "
                            + "fma.rn.bf16 %0, %1, one, %2; }", a, b);
                    case SUB -> asm(type, name, "{ .reg .b16 minus; mov.b16 minus, 0xbf80; "
                            + "fma.rn.bf16 %0, %2, minus, %1; }", a, b);
                    default -> asm(type, name, "{ .reg .b16 zero; mov.b16 zero, 0x8000; "
                            + "fma.rn.bf16 %0, %1, %2, zero; }", a, b);
                };
            };
            case DIV -> switch (type) {
                case F32 -> quotients.quotient(type, a, b);
                case F64 -> oneNan(name, quotients.quotient(type, "a", "b"), a, b);
                default -> throughF32(name, type, quotients.quotient(ValueType.F32, wide(type, "a"), wide(type, "b")),
                        a, b);
            };
            case REM -> switch (type) {
                case F32 -> remainder(a, b);
                case F64 -> oneNan(name, "fmod(a, b)", a, b);
                default -> throughF32(name, type, remainder(wide(type, "a"), wide(type, "b")), a, b);
            };
            case MIN, MAX -> switch (type) {
                case F64 -> canonical(withAnyNan(op, type, a, b));
                case BF16 -> withAnyNan(op, type, a, b);
                default -> ofOthers(op, type, a, b);
            };
            case MIN_NAN, MAX_NAN -> {
                String less = op == BinaryOp.MIN_NAN ? "min" : "max";
                yield type == ValueType.F64 ? functions.call("double " + name + "_f64(double a, double b)", "",
                        List.of("return a != a || b != b ? __longlong_as_double(0x7fffffffffffffffll) : "
                                + withAnyNan(op == BinaryOp.MIN_NAN ? BinaryOp.MIN : BinaryOp.MAX, type, "a", "b")
                                + ";"),
                        a, b) : asm(type, name, less + ".NaN." + type + " %0, %1, %2;", a, b);
            }
            case COPY_SIGN -> copySign(type, a, opaque.of(type, b));
            default -> throw new AssertionError(op + " of " + type);
        };
    }

    /**
     * The second's sign bit with the first's others. The compiler must not know them to be the same: of {@code
     * -copysign(x, x)} ptxas 13.0 made {@code -|x|}.
     */
    private String copySign(ValueType type, String a, String b) {
        return switch (type) {
            // Where the mask has a one the second's bit, else the first's.
            case F32 -> asm(type, "copy_sign", "lop3.b32 %0, %1, %2, 0x80000000, 0xd8;", a, b);
            case F64 -> asm(type, "copy_sign", "{ .reg .b64 sign, rest; and.b64 sign, %2, 0x8000000000000000; "
                    + "and.b64 rest, %1, 0x7fffffffffffffff; or.b64 %0, sign, rest; }", a, b);
            default -> "((unsigned short)((" + a + " & 0x7fff) | (" + b + " & 0x8000)))";
        };
    }

    String fma(ValueType type, String a, String b, String c) {
        return switch (type) {
            case F32 -> "__fmaf_rn(" + a + ", " + b + ", " + c + ")";
            case F64 -> oneNan("fma", "__fma_rn(a, b, c)", a, b, c);
            default -> asm(type, "fma", "fma.rn." + type + " %0, %1, %2, %3;", a, b, c);
        };
    }

    /** One over an f32 that is {@link Moderate}. */
    String reciprocalOfModerate(String a) {
        return quotients.nearReciprocalF32(a);
    }

    /** Where it does not matter which NaN a result is. */
    String withAnyNan(UnaryOp op, ValueType type, String a) {
        return switch (op) {
            case SQRT -> type == ValueType.F64 ? quotients.root(type, a) : unary(op, type, a);
            case RECIPROCAL -> type == ValueType.F64 ? quotients.reciprocal(type, a) : unary(op, type, a);
            // Instructions take the size of an operand, and its negative.
            case ABS -> type == ValueType.F32 ? "fabsf(" + a + ")" : unary(op, type, a);
            case NEGATE -> type == ValueType.F32 ? "(-" + a + ")" : unary(op, type, a);
            default -> unary(op, type, a);
        };
    }

    /** Where it does not matter which NaN a result is. */
    String withAnyNan(BinaryOp op, ValueType type, String a, String b) {
        return switch (op) {
            case ADD, SUB, MUL -> type == ValueType.F64 ? "__d" + op + "_rn(" + a + ", " + b + ")"
                    : binary(op, type, a, b);
            case DIV -> type == ValueType.F64 ? quotients.quotient(type, a, b) : binary(op, type, a, b);
            case MIN, MAX -> asm(type, op + "_of_numbers", op + "." + type + " %0, %1, %2;", a, b);
            default -> binary(op, type, a, b);
        };
    }

    /**
     * The smaller or greater of two that the compiler must not know to be the same: of {@code min.f32 a, a} ptxas 13.0
     * makes a, which keeps a NaN's payload, where PTX has the canonical one; so for f16.
     */
    private String ofOthers(BinaryOp op, ValueType type, String a, String b) {
        return withAnyNan(op, type, a, opaque.of(type, b));
    }

    String compare(Comparison comparison, ValueType type, String a, String b) {
        String left = type.bits() == 16 ? wide(type, a) : a;
        String right = type.bits() == 16 ? wide(type, b) : b;
        String t = type == ValueType.F64 ? "double" : "float";
        return switch (comparison) {
            case EQ, NE, LT, LE, GT, GE -> "(" + left + " " + ValueFunctions.symbol(comparison) + " " + right + ")";
            case ORDERED -> functions.call("bool ordered_" + t + "(" + t + " a, " + t + " b)",
                    "True if neither is a NaN.",
                    List.of("return a == a && b == b;"), left, right);
            case UNORDERED -> "(!" + compare(Comparison.ORDERED, type, a, b) + ")";
        };
    }

    String approximate(ApproximateOp op, String a) {
        return functions.call("float " + op + "_approx(float a)", "The hardware's approximation; on an H200 "
                + op.error() + ".",
                asmBody("float", "f", op.instruction() + " %0, %1;", 1), a);
    }

    static String constant(ValueType type, long word) {
        return switch (type) {
            case F32 -> {
                float value = Float.intBitsToFloat((int) word);
                // Decimals of normal numbers, which are read back as themselves; bits of all else.
                yield value == 0 || Float.isFinite(value) && Math.abs(value) >= Float.MIN_NORMAL
                        ? parenthesised(value + "f") : "__uint_as_float(0x" + Long.toHexString(word) + "u)";
            }
            case F64 -> {
                double value = Double.longBitsToDouble(word);
                yield value == 0 || Double.isFinite(value) && Math.abs(value) >= Double.MIN_NORMAL
                        ? parenthesised(Double.toString(value))
                        : "__longlong_as_double((long long)0x" + Long.toHexString(word) + "ull)";
            }
            case TF32 -> "0x" + Long.toHexString(word) + "u";
            default -> "((" + ValueFunctions.cType(type) + ")0x" + Long.toHexString(word) + ")";
        };
    }

    private static String parenthesised(String number) {
        return number.startsWith("-") ? "(" + number + ")" : number;
    }

    /** The hardware's own where its bits were measured; elsewhere a polynomial, and what the hardware adds to it. */
    private String fixedPower(String a) {
        return functions.call("float exp2_fixed_f32(float a)", "2 to the power of a - 3072, a number with 12 fraction "
                + "bits.", FixedPower.LINES, a);
    }

    /** Attention names the function in each of hundreds of values. */
    private static final class FixedPower {
        static final List<String> LINES = List.copyOf(fixedPower());
    }

    private static List<String> fixedPower() {
        List<String> lines = new ArrayList<>(List.of("const float x = __fsub_rn(a, " + FixedPowers.OFFSET + ".0f);",
                "#if __CUDA_ARCH__ == 900", "float r;",
                "asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(x));", "return r;", "#else",
                "// How many last places the instruction's result lies above the polynomial's.",
                "static const unsigned places[512] = {"));
        int[] places = FixedPowers.places();
        for (int i = 0; i < places.length; i += 8) {
            lines.add("    " + IntStream.range(i, i + 8).mapToObj(j -> String.format("0x%08xu", places[j]))
                    .collect(Collectors.joining(", ")) + ",");
        }
        lines.addAll(List.of("};", "const int fixed = (int)__fmul_rn(fminf(fmaxf(x, -127.0f), 128.0f), 4096.0f);",
                "const int i = fixed & 4095, j = i + (x < 0.0f ? 0 : 4096);",
                "const float f = __fmul_rn((float)i, 0x1p-12f);", "float p = 0.0f;"));
        for (float factor : FixedPowers.factors()) {
            lines.add("p = __fmaf_rn(p, f, " + constant(ValueType.F32, Float.floatToRawIntBits(factor)) + ");");
        }
        lines.addAll(List.of("p = __int_as_float(__float_as_int(p) + (int)(places[j >> 4] >> (j & 15) * 2 & 3u)",
                "        - (x < 0.0f ? " + FixedPowers.LESS_BELOW_0 + " : 0) + (fixed >> 12) * 8388608);",
                "p = x < -126.0f ? 0.0f : x >= 128.0f ? __int_as_float(0x7f800000) : p;",
                "return x == x ? p : __int_as_float(0x7fffffff);", "#endif"));
        return lines;
    }

    private String wide(ValueType type, String a) {
        return conversions.exact(type, ValueType.F32, a);
    }

    /** fmod is exact, but its NaN is whichever. */
    private String remainder(String a, String b) {
        return functions.call("float rem_f32(float a, float b)", "", List.of("const float r = fmodf(a, b);",
                "return r == r ? r : __int_as_float(0x7fffffff);"), a, b);
    }

    private String whole(String name, String rounding, ValueType type, String a) {
        return switch (type) {
            case F64 -> canonical(asm(type, name + "_of_number", "cvt." + rounding + ".f64.f64 %0, %1;", a));
            case BF16 -> throughF32(name, type, whole(name, rounding, ValueType.F32, wide(type, "a")), a);
            default -> asm(type, name, "cvt." + rounding + "." + type + "." + type + " %0, %1;", a);
        };
    }

    private String throughF32(String name, ValueType type, String result, String... arguments) {
        return functions.call("unsigned short " + name + "_" + type + parameters("unsigned short", arguments.length),
                "",
                List.of("return " + conversions.nearest(type, result) + ";"), arguments);
    }

    private String oneNan(String name, String result, String... arguments) {
        return functions.call("double " + name + "_f64" + parameters("double", arguments.length), "",
                List.of("return " + canonical(result) + ";"), arguments);
    }

    private String canonical(String result) {
        return conversions.canonical(result);
    }

    /** Two results at once. sm_80 has but the fused multiply-add of bf16 for differences: b * -1 + a. */
    String pairwise(BinaryOp op, ValueType half, String a, String b) {
        String instruction = switch (op) {
            case SUB -> half == ValueType.F16 ? "sub.rn.f16x2 %0, %1, %2;" : "{ .reg .b32 minus; mov.b32 minus, "
                    + "0xbf80bf80; fma.rn.bf16x2 %0, %2, minus, %1; }";
            case MIN, MAX -> op + "." + half + "x2 %0, %1, %2;";
            case MIN_NAN, MAX_NAN -> (op == BinaryOp.MIN_NAN ? "min" : "max") + ".NaN." + half + "x2 %0, %1, %2;";
            default -> throw new AssertionError(op + " of pairs");
        };
        return functions.call("unsigned pair_" + (op == BinaryOp.SUB ? "minus" : op) + "_" + half
                + parameters("unsigned", 2), "", asmBody("unsigned", "r", instruction, 2), a, b);
    }

    private String asm(ValueType type, String name, String instruction, String... arguments) {
        String t = ValueFunctions.cType(type);
        String constraint = switch (type) {
            case F32 -> "f";
            case F64 -> "d";
            default -> "h";
        };
        return functions.call(t + " " + name.toLowerCase(Locale.ROOT) + "_" + type + parameters(t, arguments.length),
                "",
                asmBody(t, constraint, instruction, arguments.length), arguments);
    }

    private static List<String> asmBody(String t, String constraint, String instruction, int inputs) {
        StringBuilder operands = new StringBuilder();
        for (int i = 0; i < inputs; i++) {
            operands.append(i == 0 ? "" : ", ").append('"').append(constraint).append("\"(").append((char) ('a' + i))
                    .append(')');
        }
        return List.of(t + " r;", "asm(\"" + instruction + "\" : \"=" + constraint + "\"(r) : " + operands + ");",
                "return r;");
    }

    private static String parameters(String t, int count) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : ", ").append(t).append(' ').append((char) ('a' + i));
        }
        return text.append(')').toString();
    }
}
