package dev.tilewright.tile.kernel;

import dev.tilewright.NotNull;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A product of matrices: {@code c = activation(a b + bias)}, where {@code a} is {@code m} by {@code k}, {@code b} is
 * {@code k} by {@code n} and {@code bias} a vector of {@code n}. Sums are f32 of floats, f64 of f64, i32 of 8-bit
 * integers; the result is rounded once, to {@code result}.
 *
 * {@snippet :
 * TileKernel layer = Gemm.of(ValueType.BF16).withTransposedB().withBias().with(Activation.GELU).kernel();
 * layer.onCpu().set("a", x, tokens, width).set("b", weights, outputs, width).set("bias", bias, outputs)
 *         .set("c", y, tokens, outputs).run();
 * }
 *
 * @param operands what is multiplied; elements of tf32 lie in tensors of f32
 * @param result type of {@code c}
 * @param transposedA whether {@code a} is given as {@code k} by {@code m}
 * @param transposedB whether {@code b} is given as {@code n} by {@code k}
 * @param batched whether {@code a}, {@code b} and {@code c} have a first dimension {@code batch}
 * @param bias whether a bias of f32, or of the sums' type, is added to each column
 * @param activation of what is stored
 * @param parts into how many parts k is split, whose sums are added in ascending order: it decides bits
 * @param rows of a tile of {@code c}
 * @param columns of a tile of {@code c}
 * @param depth of a step along k
 */
public record Gemm(ValueType operands, ValueType result, boolean transposedA, boolean transposedB, boolean batched,
        boolean bias, Activation activation, int parts, int rows, int columns, int depth) {

    public Gemm {
        NotNull.all("operands, result, activation", operands, result, activation);
        if (parts < 1) {
            throw new IllegalArgumentException("k is split in at least 1 part, got " + parts);
        }
    }

    /**
     * A plain product of operands of a type: bf16, f16, tf32, f32, f64, e4m3, e5m2, i8 or u8. The result has the same
     * type; of 8-bit floats it is bf16, of 8-bit integers i32, of tf32 f32.
     */
    public static Gemm of(ValueType operands) {
        Objects.requireNonNull(operands, "operands");
        ValueType result = switch (operands) {
            case E4M3, E5M2 -> ValueType.BF16;
            case I8, U8 -> ValueType.I32;
            case TF32 -> ValueType.F32;
            default -> operands;
        };
        return new Gemm(operands, result, false, false, false, false, Activation.NONE, 1, 64, 64,
                operands == ValueType.F32 || operands == ValueType.F64 ? 16 : 128 / operands.bytes());
    }

    /** A product whose result has another type. */
    public Gemm withResult(ValueType type) {
        Objects.requireNonNull(type, "type");
        return new Gemm(operands, type, transposedA, transposedB, batched, bias, activation, parts, rows, columns,
                depth);
    }

    /** Takes {@code a} as {@code k} by {@code m}. */
    public Gemm withTransposedA() {
        return new Gemm(operands, result, true, transposedB, batched, bias, activation, parts, rows, columns, depth);
    }

    /** Takes {@code b} as {@code n} by {@code k}. */
    public Gemm withTransposedB() {
        return new Gemm(operands, result, transposedA, true, batched, bias, activation, parts, rows, columns, depth);
    }

    /** A product of each of a {@code batch} of matrices. */
    public Gemm withBatch() {
        return new Gemm(operands, result, transposedA, transposedB, true, bias, activation, parts, rows, columns,
                depth);
    }

    /** Adds a bias to each column, before the activation. */
    public Gemm withBias() {
        return new Gemm(operands, result, transposedA, transposedB, batched, true, activation, parts, rows, columns,
                depth);
    }

    /** Applies a function to each sum, before it is rounded to the result's type. */
    public Gemm with(Activation function) {
        Objects.requireNonNull(function, "function");
        return new Gemm(operands, result, transposedA, transposedB, batched, bias, function, parts, rows, columns,
                depth);
    }

    /** Splits k into parts, whose sums are added in ascending order. The number of parts decides bits. */
    public Gemm withSplit(int count) {
        return new Gemm(operands, result, transposedA, transposedB, batched, bias, activation, count, rows, columns,
                depth);
    }

    /** Sets the extents of tiles; without a split of k they decide no bits. */
    public Gemm withTiles(int ofRows, int ofColumns, int ofDepth) {
        return new Gemm(operands, result, transposedA, transposedB, batched, bias, activation, parts, ofRows,
                ofColumns, ofDepth);
    }

    private ValueType sums() {
        return switch (operands) {
            case F64 -> ValueType.F64;
            case I8, U8 -> ValueType.I32;
            default -> ValueType.F32;
        };
    }

    /** The kernel: {@code gemm}. */
    public TileKernel kernel() {
        return TileKernel.of("gemm", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), inner = k.dim("k");
            List<Dim> outer = batched ? List.of(k.dim("batch")) : List.of();
            ValueType stored = operands == ValueType.TF32 ? ValueType.F32 : operands;
            Tensor a = k.in("a", stored, extents(outer, transposedA, m, inner));
            Tensor b = k.in("b", stored, extents(outer, transposedB, inner, n));
            Optional<Tensor> added = bias ? Optional.of(k.in("bias", sums(), n)) : Optional.empty();
            Tensor c = k.out("c", result, extents(outer, false, m, n));
            List<Steps> tiles = Stream.concat(outer.stream().map(dim -> k.steps(dim, 1)),
                    Stream.of(k.steps(m, rows), k.steps(n, columns))).toList();
            k.forEachTile(tiles, at -> {
                Tile product = product(k, at, a, b, k.steps(inner, depth));
                Tile sum = added.map(vector -> product.plus(vector.tile(at.column()))).orElse(product);
                c.store(at, (activation == Activation.NONE ? sum : sum.map(activation::of)).to(result));
            });
        });
    }

    private Tile product(TileScope k, Position at, Tensor a, Tensor b, Steps steps) {
        return k.foldInParts(parts, k.zeros(sums(), rows, columns), steps, (sum, i) ->
                sum.mma(factor(a, transposedA, at, at.row(), i), factor(b, transposedB, at, i, at.column())));
    }

    /** Rows and columns of a factor, as they are multiplied. */
    private Tile factor(Tensor matrix, boolean transposed, Position at, Span down, Span across) {
        Span first = transposed ? across : down;
        Span second = transposed ? down : across;
        Tile tile = (batched ? matrix.tile(at.get(0), first, second) : matrix.tile(first, second)).to(operands);
        return transposed ? tile.transposed() : tile;
    }

    private static Dim[] extents(List<Dim> outer, boolean transposed, Dim down, Dim across) {
        return Stream.concat(outer.stream(), transposed ? Stream.of(across, down) : Stream.of(down, across))
                .toArray(Dim[]::new);
    }
}
