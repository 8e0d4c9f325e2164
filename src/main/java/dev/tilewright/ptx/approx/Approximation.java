package dev.tilewright.ptx.approx;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Evidence;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Reordering;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * A function of one float as the hardware approximates it, such as {@code ex2.approx.f32}. It is not exact: the PTX ISA
 * gives an error and no bits, generations of GPUs differ in them, and the reference refuses it. Functions with the same
 * bits everywhere are written of values ({@code dev.tilewright.program}). Inputs, in order: {@code x}. Result:
 * {@code y}.
 *
 * @param function what is computed
 * @param type of the argument and of the result
 * @param flush whether subnormal numbers are taken and given as zero: {@code .ftz}
 */
@About(section = "Floating Point Instructions", role = StepRole.OTHER, reordering = Reordering.ALL,
        summary = "the hardware's approximation of a function of one float, which is not exact")
public record Approximation(Function function, Type type, boolean flush) implements PtxInstruction {
    private static final Set<Function> OF_HALVES = EnumSet.of(Function.EX2, Function.TANH);
    private static final Set<Function> OF_DOUBLES = EnumSet.of(Function.RCP, Function.RSQRT);

    /** The function that is computed. */
    public enum Function {
        EX2("2 to the power of it"), LG2("the logarithm to base 2"), RCP("one over it"),
                RSQRT("one over the square root"),
        SQRT("the square root"), SIN("the sine of an angle in radians"), COS("the cosine of an angle in radians"),
        TANH("the hyperbolic tangent");

        private final String title;

        Function(String title) {
            this.title = title;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The operand of the function: one number, or a pair of 16 bits each in a register. */
    public enum Type implements Qualifier {
        F32, F16, F16X2, BF16, BF16X2, F64;

        private Operand.Kind argument() {
            return switch (this) {
                case F32 -> Operand.Kind.F32;
                case F16, BF16 -> Operand.Kind.U16;
                case F16X2, BF16X2 -> Operand.Kind.U32;
                case F64 -> Operand.Kind.F64;
            };
        }

        private Operand.Kind result() {
            return switch (this) {
                case F32 -> Operand.Kind.F32_OUT;
                case F16, BF16 -> Operand.Kind.U16_OUT;
                case F16X2, BF16X2 -> Operand.Kind.U32_OUT;
                case F64 -> Operand.Kind.F64_OUT;
            };
        }

        private boolean isBf16() {
            return this == BF16 || this == BF16X2;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public Approximation {
        NotNull.all("function, type", function, type);
        Set<Function> functions = switch (type) {
            case F32 -> EnumSet.allOf(Function.class);
            case F16, F16X2, BF16, BF16X2 -> OF_HALVES;
            case F64 -> OF_DOUBLES;
        };
        if (!functions.contains(function)) {
            throw new IllegalFormException("there are approximations of " + functions + " for " + type + ", got "
                    + function, function.toString());
        }
        // What is written is what there is: f64 and the powers of bf16 flush, the tangent and the powers of f16 do not.
        boolean must = type == Type.F64 || type.isBf16() && function == Function.EX2;
        boolean may = must || type == Type.F32 && function != Function.TANH;
        if (flush && !may || !flush && must) {
            throw new IllegalFormException(function + ".approx of " + type
                    + (must ? " always flushes subnormal numbers: ask for"
                    : " never flushes subnormal numbers: leave out") + " .ftz", function.toString());
        }
    }

    /** The approximation of one f32, with subnormal numbers. */
    public Approximation(Function function) {
        this(function, Type.F32, false);
    }

    /** Taking and giving subnormal numbers as zero. */
    public Approximation withFlush() {
        return new Approximation(function, type, true);
    }

    @Override
    public Form form() {
        return FormBuilder.form(function.toString()).with(".approx").withIf(flush, ".ftz").with(type)
                .operand("y", type.result()).operand("x", type.argument())
                .needs(needed());
    }

    private Gate needed() {
        return type.isBf16() ? Gates.HOPPER_FIRST : Gates.AMPERE;
    }

    @Override
    public Evidence evidence() {
        return Evidence.INEXACT;
    }

    @Override
    public String summary() {
        return function.title + ", as the hardware approximates it";
    }

    @Override
    public String section() {
        return function.toString();
    }
}
