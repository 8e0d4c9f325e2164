package dev.tilewright.tile.kernel;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Kernels of whole rows of a matrix {@code x} of {@code rows} by {@code columns}; of each type f32, f64, f16 and bf16.
 * Rows of 16-bit floats are computed in f32, and each result is rounded once.
 *
 * {@snippet :
 * try (Gpu gpu = Gpu.open(); ArrayKernel softmax = gpu.load(RowKernels.softmax(ValueType.F32))) {
 *     softmax.launch().set("x", x, rows, columns).set("y", y, rows, columns).run();
 * }
 * }
 */
public final class RowKernels {
    /** The types of elements that have exponents, roots and sums of rows, the usual one first. */
    static final List<ValueType> FLOATS = List.of(ValueType.F32, ValueType.BF16, ValueType.F16, ValueType.F64);
    /** The types of elements that have an order: those of arrays, without e4m3 and e5m2, which are converted first. */
    private static final List<ValueType> ORDERED = Arrays.stream(ElementType.values()).map(ValueType::of).toList();
    /** The types of elements that have a GELU. */
    static final List<ValueType> GELU = List.of(ValueType.F32, ValueType.BF16, ValueType.F16);

    private RowKernels() { }

    private static void require(String kernel, List<ValueType> types, ValueType type) {
        Objects.requireNonNull(type, "type");
        if (!types.contains(type)) {
            throw new IllegalArgumentException("kernel '" + kernel + "' has elements of " + types.stream()
                    .map(ValueType::toString).collect(Collectors.joining(", ")) + ", got " + type);
        }
    }

    /** The type that elements of a type are computed in. */
    static ValueType arithmetic(ValueType type) {
        return type == ValueType.F64 ? type : ValueType.F32;
    }

    /** A kernel that makes a row of {@code y} of each row of {@code x}. */
    private static TileKernel rows(String name, ValueType type, UnaryOperator<Tile> function) {
        require(name, FLOATS, type);
        return TileKernel.of(name, k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), y = k.out("y", type, rows, columns);
            k.forEachRow(x, row -> y.storeRow(row, function.apply(x.row(row).to(arithmetic(type))).to(type)));
        });
    }

    /**
     * Softmax: e to the power of each element less the row's greatest, divided by the sum of these.
     *
     * @throws IllegalArgumentException if the type is none of f32, bf16, f16 and f64
     */
    public static TileKernel softmax(ValueType type) {
        return rows("softmax", type, x -> {
            Tile e = x.minus(x.max()).exp();
            return e.dividedBy(e.sum());
        });
    }

    /**
     * Softmax' logarithm: each element less the row's greatest, less the logarithm of the sum of e to these.
     *
     * @throws IllegalArgumentException if the type is none of f32, bf16, f16 and f64
     */
    public static TileKernel logSoftmax(ValueType type) {
        return rows("log_softmax", type, x -> {
            Tile less = x.minus(x.max());
            return less.minus(less.exp().sum().log());
        });
    }

    /**
     * Layer norm: {@code (x - mean) / sqrt(variance + epsilon) * weight + bias}. {@code weight} and {@code bias} are
     * vectors of {@code columns}, {@code epsilon} is a scalar; the variance is the mean of the squared differences.
     *
     * @throws IllegalArgumentException if the type is none of f32, bf16, f16 and f64
     */
    public static TileKernel layerNorm(ValueType type) {
        require("layer_norm", FLOATS, type);
        ValueType in = arithmetic(type);
        return TileKernel.of("layer_norm", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), weight = k.in("weight", type, columns);
            Tensor bias = k.in("bias", type, columns), y = k.out("y", type, rows, columns);
            Value epsilon = k.scalar("epsilon", in), n = columns.value().toValue().to(in);
            k.forEachRow(x, row -> {
                Tile v = x.row(row).to(in), less = v.minus(v.sum().map(sum -> sum.dividedBy(n)));
                Tile scale = less.times(less).sum().map(sum -> sum.dividedBy(n).plus(epsilon).rsqrt());
                y.storeRow(row, less.times(scale).fma(weight.tile().to(in), bias.tile().to(in)).to(type));
            });
        });
    }

    /**
     * RMS norm: {@code x / sqrt(mean of squares + epsilon) * weight}. {@code weight} is a vector of {@code columns},
     * {@code epsilon} is a scalar.
     *
     * @throws IllegalArgumentException if the type is none of f32, bf16, f16 and f64
     */
    public static TileKernel rmsNorm(ValueType type) {
        require("rms_norm", FLOATS, type);
        ValueType in = arithmetic(type);
        return TileKernel.of("rms_norm", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), weight = k.in("weight", type, columns);
            Tensor y = k.out("y", type, rows, columns);
            Value epsilon = k.scalar("epsilon", in), n = columns.value().toValue().to(in);
            k.forEachRow(x, row -> {
                Tile v = x.row(row).to(in);
                Tile scale = v.times(v).sum().map(sum -> sum.dividedBy(n).plus(epsilon).rsqrt());
                y.storeRow(row, v.times(scale).times(weight.tile().to(in)).to(type));
            });
        });
    }

    /**
     * Adds two tensors and computes the RMS norm of the sum: {@code sum = x + residual}, rounded to the type, and
     * {@code y = sum / sqrt(mean of squares + epsilon) * weight} of the rounded sum. Two results: {@code sum}, which is
     * the next layer's residual, and {@code y}.
     *
     * @throws IllegalArgumentException if the type is none of f32, bf16, f16 and f64
     */
    public static TileKernel addRmsNorm(ValueType type) {
        require("add_rms_norm", FLOATS, type);
        ValueType in = arithmetic(type);
        return TileKernel.of("add_rms_norm", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), residual = k.in("residual", type, rows, columns);
            Tensor weight = k.in("weight", type, columns);
            Tensor sum = k.out("sum", type, rows, columns), y = k.out("y", type, rows, columns);
            Value epsilon = k.scalar("epsilon", in), n = columns.value().toValue().to(in);
            k.forEachRow(x, row -> {
                Tile added = x.row(row).to(in).plus(residual.row(row).to(in)).to(type), v = added.to(in);
                Tile scale = v.times(v).sum().map(square -> square.dividedBy(n).plus(epsilon).rsqrt());
                sum.storeRow(row, added);
                y.storeRow(row, v.times(scale).times(weight.tile().to(in)).to(type));
            });
        });
    }

    /**
     * The sum of each row, in the vector {@code y} of {@code rows}.
     *
     * @throws IllegalArgumentException if the type is none of f32, bf16, f16 and f64
     */
    public static TileKernel rowSums(ValueType type) {
        require("row_sums", FLOATS, type);
        return TileKernel.of("row_sums", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), y = k.out("y", type, rows);
            k.forEachRow(x, row -> y.store(row, x.row(row).to(arithmetic(type)).sum().to(type)));
        });
    }

    /**
     * The index of the greatest number of each row, in the vector {@code y} of {@code rows}, of i64: the first of equal
     * ones, 0 where all are NaNs.
     *
     * @throws IllegalArgumentException if elements of the type have no order
     */
    public static TileKernel argMax(ValueType type) {
        require("arg_max", ORDERED, type);
        return TileKernel.of("arg_max", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), y = k.out("y", ValueType.I64, rows);
            k.forEachRow(x, row -> y.store(row, x.row(row).argMax(0).reshaped()));
        });
    }

    /**
     * GELU of each element plus its column's bias: {@code bias} is a vector of {@code columns}.
     *
     * @throws IllegalArgumentException if the type is none of f32, bf16 and f16
     */
    public static TileKernel biasGelu(ValueType type) {
        require("bias_gelu", GELU, type);
        return TileKernel.of("bias_gelu", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), bias = k.in("bias", type, columns);
            Tensor y = k.out("y", type, rows, columns);
            k.forEachTile(y, 16, 256, at -> y.store(at, x.tile(at).to(ValueType.F32)
                    .plus(bias.tile(at.column()).to(ValueType.F32)).map(Value::gelu).to(type)));
        });
    }
}
