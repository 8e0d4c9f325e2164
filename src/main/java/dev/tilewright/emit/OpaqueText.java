package dev.tilewright.emit;

import dev.tilewright.program.value.ValueType;
import java.util.List;

/**
 * Hides from the compiler how a value was made: bytes in a new order, which is the old one. It costs an instruction,
 * where what the compiler would make of two operations is wrong (docs/verify-findings.md). A {@code mov} or a shift by
 * none hide nothing.
 */
record OpaqueText(DeviceFunctions functions) {
    private static final String SAME = "prmt.b32 %0, %1, 0, 0x3210;";
    private static final String HIGH = "{ .reg .b32 low, high; mov.b64 {low, high}, %1; prmt.b32 high, high, 0, "
            + "0x3210; mov.b64 %0, {low, high}; }";

    /**
     * An integer or float; of less than 32 bits it is given and comes as an int, but for floats, which come as they
     * are.
     */
    String of(ValueType type, String a) {
        return switch (type) {
            case F32 -> hidden("float", "f32", "f", SAME, a);
            case F64 -> hidden("double", "f64", "d", HIGH, a);
            case F16, BF16 -> hidden("unsigned short", "b16", "h",
                    "{ .reg .b32 x; cvt.u32.u16 x, %1; prmt.b32 x, x, 0, 0x3210; "
                    + "cvt.u16.u32 %0, x; }", a);
            case U32 -> hidden("unsigned", "u32", "r", SAME, a);
            case U64 -> hidden("unsigned long long", "u64", "l", HIGH, a);
            case I64 -> hidden("long long", "i64", "l", HIGH, a);
            default -> hidden("int", "i32", "r", SAME, a);
        };
    }

    private String hidden(String t, String name, String constraint, String instruction, String a) {
        return functions.call(t + " opaque_" + name + "(" + t + " a)",
                "The same value, whose origin the compiler cannot see.",
                List.of(t + " r;", "asm(\"" + instruction + "\" : \"=" + constraint + "\"(r) : \"" + constraint
                + "\"(a));",
                        "return r;"), a);
    }
}
