package dev.tilewright.emit;

import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.cache.CacheInstruction;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.warp.Stmatrix;
import java.util.Optional;

/**
 * A number of which the compiler must not know that it is a constant: the assembler of NVRTC 13.3 ends with an internal
 * error (C7907) where it stands for the address of {@code stmatrix} or of an instruction for the cache, or for the
 * cache policy of {@code cp.async}. DrawnInputsTest has found them.
 */
enum HiddenNumber {
    B32("unsigned", "r", "prmt.b32 %0, %1, 0, 0x3210;"),
    B64("unsigned long long", "l", "{ .reg .b32 low, high; mov.b64 {low, high}, %1; prmt.b32 low, low, 0, 0x3210; "
            + "prmt.b32 high, high, 0, 0x3210; mov.b64 %0, {low, high}; }");

    private final String type;
    private final String constraint;
    private final String assembly;

    HiddenNumber(String type, String constraint, String assembly) {
        this.type = type;
        this.constraint = constraint;
        this.assembly = assembly;
    }

    /** Which of them an input has to be; empty for nearly all. */
    static Optional<HiddenNumber> of(PtxInstruction form, Operand operand, Input input) {
        boolean crashes = switch (form) {
            case CacheInstruction _, Stmatrix _ -> operand.kind().bracketed();
            case CpAsync _ -> operand.kind() == Operand.Kind.U64
                    && input instanceof Input.Number n && n.value().constant().isPresent();
            default -> false;
        };
        return !crashes || !(input instanceof Input.Number) ? Optional.empty()
                : Optional.of(operand.kind().isWide() ? B64 : B32);
    }

    /** A call of the function that hides a number. */
    String call(String number) {
        return InstructionSection.NAMESPACE + function() + "(" + number + ")";
    }

    private String function() {
        return "unknown_" + name().toLowerCase();
    }

    void write(CodeWriter out) {
        out.line("// The same number; the compiler cannot know whether it is a constant.");
        out.block("__device__ __forceinline__ " + type + " " + function() + "(" + type + " a)", () -> {
            out.line(type + " r;");
            out.line("asm(\"" + assembly + "\" : \"=" + constraint + "\"(r) : \"" + constraint + "\"(a));");
            out.line("return r;");
        });
        out.line("");
    }
}
