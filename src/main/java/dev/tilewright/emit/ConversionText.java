package dev.tilewright.emit;

import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.ValueType;
import java.util.List;

/**
 * Conversions in C++, each with one rounding on every target from sm_80 on, fp8 from sm_89 on. What a target lacks goes
 * through an f32 rounded to odd (its lowest bit set where something was cut): that has more than two bits more than the
 * result and keeps on which side of a half the number was (S. Boldo, G. Melquiond, "Emulation of FMA and correctly
 * rounded sums: proved algorithms using rounding to odd", 2008).
 *
 * <p>Facts: PTX ISA, "cvt"; CUDA Math API, "Type Casting Intrinsics".
 */
final class ConversionText {
    private final DeviceFunctions functions;
    private final IntegerText integers;
    private final OpaqueText opaque;

    ConversionText(DeviceFunctions functions, IntegerText integers) {
        this.functions = functions;
        this.integers = integers;
        this.opaque = new OpaqueText(functions);
    }

    String of(Conversion c, String a) {
        ValueType from = c.from();
        ValueType to = c.to();
        if (from == to) {
            return a;
        }
        if (!from.isFloat() && !to.isFloat()) {
            return c.saturate() && from != ValueType.PRED ? integers.saturated(from, to, a)
                    : to.bits() < Math.min(from.bits(), Integer.SIZE) && to != ValueType.PRED
                    ? integers.narrowed(to, "(int)" + a)
                    : "((" + ValueFunctions.cType(to) + ")" + a + ")";
        }
        return !from.isFloat() ? fromInteger(c, a) : to.isFloat() ? between(c, a) : toInteger(from, to, c.rounding(),
                a);
    }

    /** To a type that holds every number of the first, f32 or f64. */
    String exact(ValueType from, ValueType to, String a) {
        return between(new Conversion(from, to, Rounding.NEAREST_EVEN, false), a);
    }

    /** An f32 rounded to f16 or bf16. */
    String nearest(ValueType to, String a) {
        return between(new Conversion(ValueType.F32, to, Rounding.NEAREST_EVEN, false), a);
    }

    /** Replaces every NaN of f64 by the same one. */
    String canonical(String a) {
        return functions.call("double canonical(double a)", "Every NaN becomes the same one.",
                List.of("return a == a ? a : __longlong_as_double(0x7fffffffffffffffll);"), a);
    }

    /** The end of an intrinsic's name: {@code __int2float_rd}. */
    private static String intrinsic(Rounding rounding) {
        return switch (rounding) {
            case NEAREST_EVEN -> "rn";
            case TOWARDS_ZERO -> "rz";
            case DOWN -> "rd";
            case UP -> "ru";
            case NEAREST_AWAY -> throw new AssertionError(rounding);
        };
    }

    private static String ptx(Rounding rounding) {
        return switch (rounding) {
            case NEAREST_EVEN -> "rn";
            case NEAREST_AWAY -> "rna";
            case TOWARDS_ZERO -> "rz";
            case DOWN -> "rm";
            case UP -> "rp";
        };
    }

    /** The name of the integer type that intrinsics use for this type. */
    private static String name(ValueType type) {
        return type.bits() == 64 ? type.isSigned() ? "ll" : "ull" : type.isSigned() ? "int" : "uint";
    }

    private static String asWord(ValueType type, String a) {
        return switch (type) {
            case U8, U16 -> "(unsigned)" + a;
            case I8, I16 -> "(int)" + a;
            default -> a;
        };
    }

    private String fromInteger(Conversion c, String a) {
        ValueType from = c.from();
        String rounding = intrinsic(c.rounding());
        String word = asWord(from, a);
        return switch (c.to()) {
            case F32 -> "__" + name(from) + "2float_" + rounding + "(" + word + ")";
            case F64 -> "__" + name(from) + "2double_" + (from.bits() == 64 ? rounding : "rn") + "(" + word + ")";
            case F16 -> {
                String type = (from.isSigned() ? "s" : "u") + Math.max(32, from.bits());
                String t = from.bits() == 64 ? from.isSigned() ? "long long" : "unsigned long long"
                        : from.isSigned() ? "int" : "unsigned";
                String instruction = "cvt." + ptx(c.rounding()) + ".f16." + type;
                yield saturated(c, functions.call("unsigned short " + type + "_to_f16_" + ptx(c.rounding()) + "(" + t
                        + " a)", "", List.of("unsigned short r;", "asm(\"" + instruction + " %0, %1;\" : \"=h\"(r) : \""
                        + (from.bits() == 64 ? "l" : "r") + "\"(a));", "return r;"), word));
            }
            default -> saturated(c, toBf16(c.rounding(), from.bits() <= 16
                    ? "__" + name(from) + "2float_rn(" + word + ")" : odd(from, a)));
        };
    }

    private String toInteger(ValueType from, ValueType to, Rounding rounding, String a) {
        if (from != ValueType.F32 && from != ValueType.F64) {
            return toInteger(ValueType.F32, to, rounding, exact(from, ValueType.F32, a));
        }
        if (to.bits() < 32) {
            return integers.saturated(ValueType.I32, to, toInteger(from, ValueType.I32, rounding, a));
        }
        boolean isF32 = from == ValueType.F32;
        String cast = "__" + (isF32 ? "float" : "double") + "2" + name(to) + "_" + intrinsic(rounding) + "(";
        if (isF32 && to.bits() == 32) {
            // Of an unsigned in f32 again and once more as an unsigned ptxas 13.0 makes one conversion with the last
            // rounding: 1, from 0.6, was cut to 0 on an H200.
            return to.isSigned() ? cast + a + ")" : opaque.of(to, cast + a + ")");
        }
        return functions.call(ValueFunctions.cType(to) + " " + from + "_to_" + to + "_" + ptx(rounding) + "("
                + ValueFunctions.cType(from) + " a)", "A NaN becomes 0; the instruction alone gives the lowest number.",
                List.of("return a == a ? " + cast + "a) : 0;"), a);
    }

    private String between(Conversion c, String a) {
        ValueType from = c.from();
        ValueType to = c.to();
        return switch (from) {
            case F16 -> to == ValueType.F32 ? functions.call("float f16_to_f32(unsigned short a)", "",
                    List.of("float r;", "asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(r) : \"h\"(a));", "return r;"), a)
                    : throughF32(c, a);
            case BF16 -> to == ValueType.F32 ? "__uint_as_float((unsigned)" + a + " << 16)" : throughF32(c, a);
            case TF32 -> functions.call("float tf32_to_f32(unsigned a)", "Clears the bits that tf32 ignores.",
                    List.of("const unsigned r = a & 0xffffe000u;",
                            "return __uint_as_float((r & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : r);"), a);
            case E4M3, E5M2 -> to != ValueType.F16 ? narrowed(c, between(new Conversion(ValueType.F16, ValueType.F32,
                    Rounding.NEAREST_EVEN, false), between(new Conversion(from, ValueType.F16, Rounding.NEAREST_EVEN,
                    false), a))) : functions.call("unsigned short " + from + "_to_f16(unsigned char a)", "",
                    List.of("unsigned r;", "asm(\"cvt.rn.f16x2." + from
                            + "x2 %0, %1;\" : \"=r\"(r) : \"h\"((unsigned short)a));", "return (unsigned short)r;"), a);
            case F32 -> saturated(c, fromF32(c, a));
            case F64 -> switch (to) {
                case F32 -> saturated(c, functions.call("float f64_to_f32_" + ptx(c.rounding()) + "(double a)",
                        "The instruction alone would keep a NaN's sign and upper bits.",
                        List.of("const float r = __double2float_" + intrinsic(c.rounding()) + "(a);",
                                "return r == r ? r : __int_as_float(0x7fffffff);"), a));
                case F16 -> saturated(c, functions.call("unsigned short f64_to_f16_" + ptx(c.rounding()) + "(double a)",
                        "The instruction alone would keep a NaN's sign and upper bits.",
                        List.of("unsigned short r;", "asm(\"cvt." + ptx(c.rounding())
                                + ".f16.f64 %0, %1;\" : \"=h\"(r) : \"d\"(a));",
                                "return (unsigned short)((r & 0x7fff) > 0x7c00 ? 0x7fff : r);"), a));
                default -> saturated(c, fromF32(new Conversion(ValueType.F32, to, c.rounding(), c.saturate()),
                        odd(from, a)));
            };
            default -> throw new AssertionError(c);
        };
    }

    private String throughF32(Conversion c, String a) {
        return narrowed(c, exact(c.from(), ValueType.F32, a));
    }

    /** What the conversion makes of the number, which is an f32 already. */
    private String narrowed(Conversion c, String wide) {
        return c.to() == ValueType.F32 ? wide
                : between(new Conversion(ValueType.F32, c.to(), c.rounding(), c.saturate()), wide);
    }

    private String fromF32(Conversion c, String a) {
        ValueType to = c.to();
        return switch (to) {
            case F16 -> functions.call("unsigned short f32_to_f16_" + ptx(c.rounding()) + "(float a)", "",
                    List.of("unsigned short r;", "asm(\"cvt." + ptx(c.rounding())
                            + ".f16.f32 %0, %1;\" : \"=h\"(r) : \"f\"(a));", "return r;"), a);
            case BF16 -> toBf16(c.rounding(), a);
            case F64 -> canonical("(double)" + a);
            case TF32 -> c.rounding() == Rounding.NEAREST_AWAY ? functions.call("unsigned f32_to_tf32_rna(float a)",
                    "The instruction truncates a NaN, which can leave an infinity.", List.of("unsigned r;",
                            "asm(\"cvt.rna.tf32.f32 %0, %1;\" : \"=r\"(r) : \"f\"(a));",
                            "return a == a ? r : 0x7fffffffu;"), a)
                    : functions.call("unsigned f32_to_tf32_" + ptx(c.rounding()) + "(float a)",
                    "There is no such instruction before sm_90.", List.of("const unsigned u = __float_as_uint(a);",
                            "const unsigned r = (u" + (c.rounding() == Rounding.NEAREST_EVEN
                                    ? " + 0xfffu + (u >> 13 & 1u)" : "") + ") & 0xffffe000u;",
                            "return a == a ? r : 0x7fffffffu;"), a);
            default -> functions.call("unsigned char f32_to_" + to + "(float a)", "",
                    List.of("unsigned short r;", "asm(\"cvt.rn.satfinite." + to
                            + "x2.f32 %0, %1, %2;\" : \"=h\"(r) : \"f\"(0.0f), \"f\"(a));", "return (unsigned char)r;"),
                                    a);
        };
    }

    private String toBf16(Rounding rounding, String a) {
        String head = "unsigned short f32_to_bf16_" + ptx(rounding) + "(float a)";
        return switch (rounding) {
            case NEAREST_EVEN, TOWARDS_ZERO -> functions.call(head, "", List.of("unsigned short r;", "asm(\"cvt."
                    + ptx(rounding) + ".bf16.f32 %0, %1;\" : \"=h\"(r) : \"f\"(a));", "return r;"), a);
            default -> functions.call(head, "No instruction rounds this way.", List.of(
                    "const unsigned u = __float_as_uint(a);",
                    "const bool outwards = u " + (rounding == Rounding.DOWN ? ">" : "<") + " 0x80000000u;",
                    "return a == a ? (unsigned short)((u + (outwards && (u & 0x7fffffffu) != 0x7f800000u ? 0xffffu : "
                    + "0u)) >> 16) : (unsigned short)0x7fff;"), a);
        };
    }

    /**
     * The f32 with the lowest bit set where it is not the number itself. That is seen from the neighbours on both
     * sides: back to an integer and compared, ptxas 13.0 makes one conversion of all where the integer was rounded from
     * an f32.
     */
    private String odd(ValueType from, String a) {
        String cast = "__" + (from == ValueType.F64 ? "double" : name(from)) + "2float_";
        return functions.call("float " + from + "_to_odd_f32(" + ValueFunctions.cType(from) + " a)",
                "Truncates to f32 and sets the lowest bit if anything was lost: rounding the result rounds once.",
                List.of("const float cut = " + cast + "rz(a);", "return " + cast + "rd(a) == " + cast
                        + "ru(a) ? cut : __uint_as_float(__float_as_uint(cut) | 1u);"), a);
    }

    /** Replaces an infinity by the largest finite number, if saturation is asked for. */
    private String saturated(Conversion c, String a) {
        if (!c.saturate()) {
            return a;
        }
        return switch (c.to()) {
            case F16, BF16 -> {
                String infinity = c.to() == ValueType.F16 ? "0x7c00" : "0x7f80";
                yield functions.call("unsigned short finite_" + c.to() + "(unsigned short a)",
                        "An infinity becomes the largest finite number.",
                                List.of("return (unsigned short)((a & 0x7fff) == "
                                + infinity + " ? a - 1 : a);"), a);
            }
            case F32 -> functions.call("float finite_f32(float a)", "An infinity becomes the largest finite number.",
                    List.of("const unsigned u = __float_as_uint(a);",
                            "return __uint_as_float((u & 0x7fffffffu) == 0x7f800000u ? u - 1 : u);"), a);
            default -> a;
        };
    }
}
