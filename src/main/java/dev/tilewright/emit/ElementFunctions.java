package dev.tilewright.emit;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.util.List;

/**
 * The C++ functions that apply an {@link ElementStep} to one element, with exactly the bits that its documentation
 * promises: explicit rounding intrinsics, so that nothing is contracted, and integers computed unsigned.
 */
final class ElementFunctions {

    private ElementFunctions() {
    }

    /** The C++ type that holds one element; f16 and bf16 travel as their 16 bits. */
    static String cType(ElementType type) {
        return switch (type) {
            case U8 -> "unsigned char";
            case I8 -> "signed char";
            case U16, F16, BF16 -> "unsigned short";
            case I16 -> "short";
            case U32 -> "unsigned";
            case I32 -> "int";
            case U64 -> "unsigned long long";
            case I64 -> "long long";
            case F32 -> "float";
            case F64 -> "double";
        };
    }

    /** The lines of the function for this step and type. */
    static List<String> define(ElementStep step, ElementType type) {
        String signature = "__device__ __forceinline__ " + cType(type) + " " + step.functionName(type) + "("
                + cType(type) + " x, " + cType(ElementStep.scalarType(type)) + " scalar) {";
        return switch (type) {
            case U8, I8, U16, I16, U32, I32 -> List.of(
                    "// " + verb(step) + ", modulo 2^" + 8 * type.bytes(),
                    signature,
                    "    return (" + cType(type) + ")((unsigned)x " + symbol(step) + " (unsigned)scalar);",
                    "}");
            case U64, I64 -> List.of(
                    "// " + verb(step) + ", modulo 2^64",
                    signature,
                    "    return (" + cType(type) + ")((unsigned long long)x " + symbol(step)
                            + " (unsigned long long)scalar);",
                    "}");
            case F16 -> List.of(
                    "// " + verb(step) + " in f32, rounded back to nearest even; every NaN is 0x7FFF",
                    signature,
                    "    float wide;",
                    "    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(wide) : \"h\"(x));",
                    "    unsigned short result;",
                    "    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(result) : \"f\"(__f" + operation(step)
                            + "_rn(wide, scalar)));",
                    "    return result;",
                    "}");
            case BF16 -> List.of(
                    "// " + verb(step) + " in f32, rounded back to nearest even; every NaN is 0x7FFF",
                    signature,
                    "    const float wide = __uint_as_float((unsigned)x << 16);",
                    "    unsigned short result;",
                    "    asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(result) : \"f\"(__f" + operation(step)
                            + "_rn(wide, scalar)));",
                    "    return result;",
                    "}");
            case F32 -> List.of(
                    "// " + verb(step) + ", rounded to nearest even; every NaN is 0x7FFFFFFF",
                    signature,
                    "    return __f" + operation(step) + "_rn(x, scalar);",
                    "}");
            case F64 -> List.of(
                    "// " + verb(step) + ", rounded to nearest even; every NaN is 0x7FFFFFFFFFFFFFFF",
                    signature,
                    "    const double result = __d" + operation(step) + "_rn(x, scalar);",
                    "    return result == result ? result : __longlong_as_double(0x7FFFFFFFFFFFFFFFLL);",
                    "}");
        };
    }

    private static String verb(ElementStep step) {
        return step == ElementStep.SCALE ? "the element times the scalar" : "the element plus the scalar";
    }

    private static String symbol(ElementStep step) {
        return step == ElementStep.SCALE ? "*" : "+";
    }

    private static String operation(ElementStep step) {
        return step == ElementStep.SCALE ? "mul" : "add";
    }
}
