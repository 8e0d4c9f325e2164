package dev.tilewright.emit;

import dev.tilewright.program.value.ApproximateOp;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.LongBinaryPredicate;
import dev.tilewright.program.value.LongTernaryOperator;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueGates;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Gate;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import java.util.function.LongBinaryOperator;
import java.util.function.LongUnaryOperator;

/**
 * One operation on values as a kernel that does it to arrays of words, and as the function that says what comes out.
 *
 * @param name the kernel
 * @param inputs types of the operands, one to three
 * @param output type of the result
 * @param expression the C++ text of the result, operands x, y, z
 * @param function the result's word by the operands' words; the words of operands that the function lacks are ignored
 */
public record ValueCase(String name, List<ValueType> inputs, ValueType output, Expression expression,
        LongTernaryOperator function, Gate gate) {

    /** Notes what functions a text needs, and is the text. */
    interface Expression {
        String of(ValueFunctions functions);
    }

    @Override
    public String toString() {
        return name;
    }

    /** Whether the result is left undefined for these words. */
    public boolean isUndefined(long y) {
        return y == 0 && output.isInteger() && (name.startsWith("div_") || name.startsWith("rem_"));
    }

    /**
     * Every operation with every type that it has, and every conversion, with each rounding where it makes a
     * difference.
     */
    public static List<ValueCase> all() {
        List<ValueCase> all = new ArrayList<>();
        for (ValueType type : ValueType.values()) {
            for (UnaryOp op : UnaryOp.values()) {
                if (ValueMath.has(op, type)) {
                    LongUnaryOperator f = ValueMath.unary(op, type);
                    all.add(new ValueCase(op + "_" + type, List.of(type), type, t -> t.unary(op, type, "x", true),
                            (a, b, c) -> f.applyAsLong(a), Gate.ANY));
                }
            }
            for (BinaryOp op : BinaryOp.values()) {
                if (ValueMath.has(op, type)) {
                    LongBinaryOperator f = ValueMath.binary(op, type);
                    all.add(new ValueCase(op + "_" + type, List.of(type, type), type,
                            t -> t.binary(op, type, "x", "y", true), (a, b, c) -> f.applyAsLong(a, b), Gate.ANY));
                }
            }
            for (Comparison comparison : Comparison.values()) {
                if (ValueMath.has(comparison, type)) {
                    LongBinaryPredicate f = ValueMath.compare(comparison, type);
                    all.add(new ValueCase(comparison + "_" + type, List.of(type, type), ValueType.PRED,
                            t -> t.compare(comparison, type, "x", "y"), (a, b, c) -> f.test(a, b) ? 1 : 0, Gate.ANY));
                }
            }
            if (ValueMath.hasFma(type)) {
                all.add(new ValueCase("fma_" + type, List.of(type, type, type), type,
                        t -> t.fma(type, "x", "y", "z", true), ValueMath.fma(type), Gate.ANY));
            }
            all.add(new ValueCase("select_" + type, List.of(ValueType.PRED, type, type), type,
                    t -> t.select(type, "x", "y", "z", false), (a, b, c) -> a != 0 ? b : c, Gate.ANY));
            for (ValueType to : ValueType.values()) {
                if (to.bits() == type.bits() && to != type) {
                    all.add(new ValueCase("cast_" + type + "_" + to, List.of(type), to,
                            t -> t.bitCast(type, to, "x"), (a, b, c) -> to.word(a), Gate.ANY));
                }
                conversions(type, to).forEach(c -> all.add(of(c)));
            }
        }
        return all;
    }

    private static ValueCase of(Conversion c) {
        LongUnaryOperator f = ValueMath.convert(c);
        return new ValueCase("convert_" + c.from() + "_" + c.to() + "_" + c.rounding().name().toLowerCase()
                + (c.saturate() ? "_sat" : ""), List.of(c.from()), c.to(), t -> t.convert(c, "x"),
                (x, y, z) -> f.applyAsLong(x), ValueGates.of(c));
    }

    /** Conversions whose results may differ from each other. */
    private static List<Conversion> conversions(ValueType from, ValueType to) {
        List<Conversion> all = new ArrayList<>();
        for (Rounding rounding : Rounding.values()) {
            for (boolean saturate : new boolean[] {false, true}) {
                Conversion c = new Conversion(from, to, rounding, saturate);
                boolean distinct = rounding == Rounding.NEAREST_EVEN || from.isFloat() || to.isFloat();
                if (from != to && distinct && ValueMath.has(c) && !(saturate && from.isFloat() && to.isInteger())) {
                    all.add(c);
                }
            }
        }
        return all;
    }

    /**
     * One source with a kernel for each case: {@code (const unsigned long long* x, y, z, unsigned long long* out, int
     * n)}.
     */
    public static String source(List<ValueCase> cases) {
        ValueFunctions functions = new ValueFunctions();
        StringBuilder kernels = new StringBuilder();
        for (ValueCase c : cases) {
            String result = c.expression.of(functions);
            kernels.append("extern \"C\" __global__ void ").append(c.name).append("(const unsigned long long* xs, ")
                    .append("const unsigned long long* ys, const unsigned long long* zs, unsigned long long* out, int "
                    + "n) {\n")
                    .append("    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
                    + "blockDim.x) {\n");
            StringJoiner operands = new StringJoiner("\n        ", "        ", "\n");
            for (int k = 0; k < c.inputs.size(); k++) {
                ValueType type = c.inputs.get(k);
                String name = "" + (char) ('x' + k);
                operands.add("const " + ValueFunctions.cType(type) + " " + name + " = " + value(type, name + "s[i]")
                        + ";");
            }
            kernels.append(operands).append("        const ").append(ValueFunctions.cType(c.output)).append(" r = ")
                    .append(result).append(";\n        out[i] = ").append(word(c.output)).append(";\n    }\n}\n\n");
        }
        return source(functions, kernels);
    }

    /**
     * One source with a kernel for each case, {@code (unsigned long long* out)}, whose operands are constants: what the
     * compiler makes of them is what the GPU would.
     *
     * @param words for each case the operands of as many calls as there are to be
     */
    public static String constantSource(List<ValueCase> cases, List<long[][]> words) {
        ValueFunctions functions = new ValueFunctions();
        StringBuilder kernels = new StringBuilder();
        for (int i = 0; i < cases.size(); i++) {
            ValueCase c = cases.get(i);
            String result = c.expression.of(functions);
            kernels.append("extern \"C\" __global__ void ").append(c.name).append("(unsigned long long* out) {\n");
            for (int call = 0; call < words.get(i).length; call++) {
                kernels.append("    { ");
                for (int k = 0; k < c.inputs.size(); k++) {
                    ValueType type = c.inputs.get(k);
                    kernels.append("const ").append(ValueFunctions.cType(type)).append(' ').append((char) ('x' + k))
                            .append(" = ").append(functions.constant(type, words.get(i)[call][k])).append("; ");
                }
                kernels.append("const ").append(ValueFunctions.cType(c.output)).append(" r = ").append(result)
                        .append("; out[").append(call).append("] = ").append(word(c.output)).append("; }\n");
            }
            kernels.append("}\n\n");
        }
        return source(functions, kernels);
    }

    /**
     * One source with a kernel for each of the hardware's approximations, {@code approximate_ex2} and so on: {@code
     * (const float* xs, float* out, int n)}.
     */
    public static String approximationSource() {
        ValueFunctions functions = new ValueFunctions();
        StringBuilder kernels = new StringBuilder();
        for (ApproximateOp op : ApproximateOp.values()) {
            kernels.append("extern \"C\" __global__ void approximate_").append(op)
                    .append("(const float* xs, float* out, int n) {\n")
                    .append("    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; ")
                    .append("i += gridDim.x * blockDim.x) out[i] = ").append(functions.approximate(op, "xs[i]"))
                    .append(";\n}\n\n");
        }
        return source(functions, kernels);
    }

    private static String source(ValueFunctions functions, StringBuilder kernels) {
        StringBuilder text = new StringBuilder("namespace value {\n\n");
        functions.definitions().forEach(lines -> text.append(String.join("\n", lines)).append("\n\n"));
        return text.append("}\n\n").append(kernels).toString();
    }

    private static String value(ValueType type, String word) {
        return switch (type) {
            case PRED -> word + " != 0";
            case F32 -> "__uint_as_float((unsigned)" + word + ")";
            case F64 -> "__longlong_as_double((long long)" + word + ")";
            default -> "(" + ValueFunctions.cType(type) + ")" + word;
        };
    }

    private static String word(ValueType type) {
        return switch (type) {
            case PRED -> "r ? 1 : 0";
            case F32 -> "__float_as_uint(r)";
            case F64 -> "(unsigned long long)__double_as_longlong(r)";
            default -> type.isSigned() && type.isInteger() ? "(unsigned long long)(long long)r"
                    : "(unsigned long long)r";
        };
    }
}
