package dev.tilewright.emit;

import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueType;
import java.util.List;

/**
 * Operations on integers and predicates in C++. Sums, products and shifts are computed unsigned: overflow of signed
 * integers is undefined there, as are shifts by the width or more and the quotient of the most negative number and -1.
 */
final class IntegerText {
    private final DeviceFunctions functions;
    private final OpaqueText opaque;
    private final QuotientText quotients;

    IntegerText(DeviceFunctions functions) {
        this.functions = functions;
        this.opaque = new OpaqueText(functions);
        this.quotients = new QuotientText(functions);
    }

    String unary(UnaryOp op, ValueType type, String a) {
        String t = ValueFunctions.cType(type);
        boolean wide = type.bits() == 64;
        return switch (op) {
            case NEGATE -> narrowed(type, "(" + (wide ? "0ull" : "0u") + " - " + unsigned(type, a) + ")");
            case NOT -> type == ValueType.PRED ? "(!" + a + ")" : "((" + t + ")(~" + a + "))";
            case ABS -> type.isSigned() ? functions.call(t + " abs_" + type + "(" + t + " a)",
                    "The most negative number is its own negative.", List.of("return "
                    + chosen(type, "a < 0 ? " + unary(UnaryOp.NEGATE, type, "a") + " : a") + ";"), a) : a;
            case COUNT_ONES -> "((" + t + ")" + (wide ? "__popcll" : "__popc") + "(" + bits(type, a) + "))";
            case LEADING_ZEROS -> "((" + t + ")" + (wide ? "__clzll((long long)" : "__clz((int)") + a + "))";
            case REVERSE_BITS -> "((" + t + ")" + (wide ? "__brevll" : "__brev") + "(" + unsigned(type, a) + "))";
            default -> throw new AssertionError(op + " of " + type);
        };
    }

    String binary(BinaryOp op, ValueType type, String a, String b) {
        String t = ValueFunctions.cType(type);
        return switch (op) {
            case ADD -> wrapped(type, a, "+", b);
            case SUB -> wrapped(type, a, "-", b);
            case MUL -> wrapped(type, a, "*", b);
            case DIV -> switch (type) {
                case U64 -> quotients.quotientU64(a, b);
                case I64 -> quotients.quotientI64(a, b);
                default -> byConstant(op, type, a, b);
            };
            case REM -> type.bits() == 64 ? functions.call(t + " rem_" + type + "(" + t + " a, " + t + " b)", "",
                    List.of("return " + wrapped(type, "a", "-", wrapped(type, binary(BinaryOp.DIV, type, "a", "b"), "*",
                    "b")) + ";"), a, b) : byConstant(op, type, a, b);
            case MIN -> functions.call(t + " min_" + type + "(" + t + " a, " + t + " b)", "",
                    List.of("return b < a ? b : a;"), a, b);
            case MAX -> functions.call(t + " max_" + type + "(" + t + " a, " + t + " b)", "",
                    List.of("return " + chosen(type, "b > a ? b : a") + ";"), a, b);
            case AND -> type == ValueType.PRED ? "(" + a + " && " + b + ")" : bitwise(t, a, "&", b);
            case OR -> type == ValueType.PRED ? "(" + a + " || " + b + ")" : bitwise(t, a, "|", b);
            case XOR -> type == ValueType.PRED ? "(" + a + " != " + b + ")" : bitwise(t, a, "^", b);
            case SHL -> shift(type, "shl", "Shifts in zeros; a shift by the width or more gives 0.",
                    unsigned(type, "a") + " << by", "0", a, b);
            case SHR -> type.isSigned() ? shift(type, "shr", "Shifts in the sign, also by the width or more.",
                    "a >> by",
                    "a >> " + (type.bits() - 1), a, b) : shift(type, "shr",
                    "Shifts in zeros; a shift by the width or more gives 0.", "a >> by", "0", a, b);
            case MUL_HI -> switch (type) {
                case U32 -> "__umulhi(" + a + ", " + b + ")";
                case I32 -> "__mulhi(" + a + ", " + b + ")";
                case U64 -> "__umul64hi(" + a + ", " + b + ")";
                default -> "__mul64hi(" + a + ", " + b + ")";
            };
            default -> throw new AssertionError(op + " of " + type);
        };
    }

    /**
     * One of two numbers, hidden from the compiler where it might be the greater one, or the one without its sign. Of a
     * maximum of 0 and a minimum ptxas 13.0 makes one {@code VIMNMX.RELU} for sm_90, and takes its predicate for the
     * comparison of the result with the minimum's bound, which it is not: 13, bound by 7 and 0, compared unequal to 7
     * on an H200. What {@code abs} left it takes for no negative number, which the most negative one stays.
     *
     * @param choice an expression
     */
    String chosen(ValueType type, String choice) {
        if (!type.isSigned()) {
            return choice;
        }
        String hidden = opaque.of(type, choice);
        return type.bits() < Integer.SIZE ? "(" + ValueFunctions.cType(type) + ")" + hidden : hidden;
    }

    /**
     * The lower bits of an integer as another type; what are 8 or 16, the compiler does not know how they were made.
     */
    String narrowed(ValueType type, String wide) {
        return type == ValueType.U32 || type == ValueType.U64 ? wide : "((" + ValueFunctions.cType(type) + ")"
                + (type.bits() < Integer.SIZE ? opaque.of(type, "(int)" + wide) : wide) + ")";
    }

    /** The nearest number of another integer type. */
    String saturated(ValueType from, ValueType to, String a) {
        String t = ValueFunctions.cType(to);
        // Bits of the magnitude alone: a signed type has one fewer.
        boolean above = magnitude(from) > magnitude(to);
        boolean below = from.isSigned() && (!to.isSigned() || from.bits() > to.bits());
        if (!above && !below) {
            return "((" + t + ")" + a + ")";
        }
        String head = t + " " + from + "_to_" + to + "_sat(" + ValueFunctions.cType(from) + " a)";
        if (above && below && !to.isSigned() && from.bits() <= Integer.SIZE) {
            return clamped(head, t, (1 << magnitude(to)) - 1, a);
        }
        String greatest = literal(from, magnitude(to) >= 64 ? -1L : (1L << magnitude(to)) - 1);
        String least = to.isSigned() ? literal(from, -1L << to.bits() - 1) : "0";
        String text = "(" + t + ")a";
        if (above) {
            text = "a > " + greatest + " ? (" + t + ")" + greatest + " : " + text;
        }
        if (below) {
            text = "a < " + least + " ? (" + t + ")" + least + " : " + text;
        }
        return functions.call(head, "", List.of("return " + text + ";"), a);
    }

    /**
     * A signed number from 0 to a greatest one. In C++ ptxas 13.0 makes one {@code VIMNMX.RELU} of both bounds for
     * sm_90 and takes its predicate for a comparison with the greatest, which it is not: 254 compared equal to 255 on
     * an H200.
     */
    private String clamped(String head, String cType, int greatest, String a) {
        return functions.call(head, "", List.of("int r;",
                "asm(\"max.s32 %0, %1, 0;\\n\\tmin.s32 %0, %0, " + greatest + ";\" : \"=&r\"(r) : \"r\"((int)a));",
                "return (" + cType + ")r;"), a);
    }

    /** A constant of an integer type, in parentheses where it is more than one token. */
    static String literal(ValueType type, long word) {
        String t = ValueFunctions.cType(type);
        return switch (type) {
            case I32 -> word == Integer.MIN_VALUE ? "(-2147483647 - 1)" : word < 0 ? "(" + word + ")" : "" + word;
            case U32 -> word + "u";
            case I64 -> word == Long.MIN_VALUE ? "(-9223372036854775807ll - 1)" : word < 0 ? "(" + word + "ll)"
                    : word + "ll";
            case U64 -> Long.toUnsignedString(word) + "ull";
            default -> "((" + t + ")" + (word < 0 ? "(" + word + ")" : "" + word) + ")";
        };
    }

    private static int magnitude(ValueType type) {
        return type.isSigned() ? type.bits() - 1 : type.bits();
    }

    /** The value in an unsigned type that does arithmetic: of 32 or 64 bits. */
    private static String unsigned(ValueType type, String a) {
        return type == ValueType.U32 || type == ValueType.U64 ? a
                : (type.bits() == 64 ? "(unsigned long long)" : "(unsigned)") + a;
    }

    /** The value's bits, zeros above them. */
    private static String bits(ValueType type, String a) {
        return switch (type) {
            case I8 -> "(unsigned char)" + a;
            case I16 -> "(unsigned short)" + a;
            default -> unsigned(type, a);
        };
    }

    private String wrapped(ValueType type, String a, String symbol, String b) {
        return narrowed(type, "(" + unsigned(type, a) + " " + symbol + " " + unsigned(type, b) + ")");
    }

    private static String bitwise(String t, String a, String symbol, String b) {
        return "((" + t + ")(" + a + " " + symbol + " " + b + "))";
    }

    /** A quotient or remainder by C++'s operators; of 64 bits, of a divisor that the compiler knows. */
    String byConstant(BinaryOp op, ValueType type, String a, String b) {
        return op == BinaryOp.DIV
                ? quotient(type, "div", "b == -1 ? " + unary(UnaryOp.NEGATE, type, "a") + " : ", "/", a, b)
                : quotient(type, "rem", "b == -1 ? 0 : ", "%", a, b);
    }

    private String quotient(ValueType type, String name, String guard, String symbol, String a, String b) {
        String t = ValueFunctions.cType(type);
        if (!type.isSigned()) {
            return bitwise(t, a, symbol, b);
        }
        return functions.call(t + " " + name + (type.bits() == 64 ? "_by_constant_" : "_") + type + "(" + t + " a, " + t
                + " b)", "Also defined for the most negative number and -1.",
                List.of("return " + guard + "(" + t + ")(a " + symbol + " b);"), a, b);
    }

    private String shift(ValueType type, String name, String comment, String within, String beyond, String a,
            String b) {
        String t = ValueFunctions.cType(type);
        boolean wide = type.bits() == 64;
        return functions.call(t + " " + name + "_" + type + "(" + t + " a, " + t + " b)", comment,
                List.of("const " + (wide ? "unsigned long long" : "unsigned") + " by = " + unsigned(type, "b") + ";",
                        "return (" + t + ")(by < " + type.bits() + "u ? " + within + " : " + beyond + ");"), a, b);
    }
}
