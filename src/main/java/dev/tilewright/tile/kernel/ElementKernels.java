package dev.tilewright.tile.kernel;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Kernels of elements, for tensors of rank 1 to 5, whose dimensions are called {@code d0}, {@code d1}, … from the
 * outermost on.
 */
public final class ElementKernels {
    /** Elements of a tile: 4,096, of rank 2 and more 16 rows of them. */
    private static final int TILE = 4096;
    private static final int ROWS = 16;
    private static final int MOST_DIMENSIONS = 5;
    /** A side of a tile that is transposed. Measured on an H200: of bf16, tiles of 64 x 64 take 6 % longer. */
    private static final int SIDE = 64;
    private static final int SIDE_OF_SMALL = 128;
    /** Measured on an H100: SwiGLU of bf16 takes 13 % longer by tiles of 16 rows. */
    private static final int GATED_ROWS_OF_SMALL = 8;

    private ElementKernels() { }

    /** A copy of {@code x} in {@code y}. */
    public static TileKernel copy(ValueType type, int rank) {
        return map("copy", type, rank, x -> x);
    }

    /** Each element times the scalar {@code factor}: {@code y = x * factor}. */
    public static TileKernel scale(ValueType type, int rank) {
        Objects.requireNonNull(type, "type");
        return TileKernel.of("scale", k -> {
            Dim[] dims = dims(k, rank);
            Tensor x = k.in("x", type, dims), y = k.out("y", type, dims);
            Value factor = k.scalar("factor", type);
            k.forEachTile(steps(dims), at -> y.store(at, x.tile(at).map(v -> v.times(factor))));
        });
    }

    /** The sum of the elements of {@code a} and {@code b}, in {@code y}. */
    public static TileKernel add(ValueType type, int rank) {
        Objects.requireNonNull(type, "type");
        return TileKernel.of("add", k -> {
            Dim[] dims = dims(k, rank);
            Tensor a = k.in("a", type, dims), b = k.in("b", type, dims), y = k.out("y", type, dims);
            k.forEachTile(steps(dims), at -> y.store(at, a.tile(at).plus(b.tile(at))));
        });
    }

    /**
     * SwiGLU's gate: {@code y = silu(gate) * up} of matrices of {@code rows} by {@code columns}, computed in f32 and
     * rounded once. {@code gate} and {@code up} may be halves of one array, by its strides.
     *
     * @param type f32, f16 or bf16
     */
    public static TileKernel swiGlu(ValueType type) {
        Objects.requireNonNull(type, "type");
        return TileKernel.of("swiglu", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor gate = k.in("gate", type, rows, columns), up = k.in("up", type, rows, columns);
            Tensor y = k.out("y", type, rows, columns);
            k.forEachTile(y, type.bits() < Float.SIZE ? GATED_ROWS_OF_SMALL : ROWS, TILE / ROWS, at -> y.store(at,
                    gate.tile(at).to(ValueType.F32).map(Value::silu).times(up.tile(at).to(ValueType.F32)).to(type)));
        });
    }

    /**
     * A function of each element of {@code x}, in {@code y}.
     *
     * {@snippet :
     * TileKernel relu = ElementKernels.map("relu", ValueType.F32, 2, x -> x.max(0));
     * }
     *
     * @param name of the kernel, as of a function in C
     * @param type of the elements, which is also that of the function's results
     * @param rank of the tensors, 1 to 5
     */
    public static TileKernel map(String name, ValueType type, int rank, UnaryOperator<Value> function) {
        NotNull.all("name, type, function", name, type, function);
        return TileKernel.of(name, k -> {
            Dim[] dims = dims(k, rank);
            Tensor x = k.in("x", type, dims), y = k.out("y", type, dims);
            k.forEachTile(steps(dims), at -> y.store(at, x.tile(at).map(function)));
        });
    }

    /** The matrix {@code x} of {@code rows} by {@code columns} with both exchanged, in {@code y}. */
    public static TileKernel transpose(ValueType type) {
        Objects.requireNonNull(type, "type");
        return TileKernel.of("transpose", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns");
            Tensor x = k.in("x", type, rows, columns), y = k.out("y", type, columns, rows);
            int side = type.bits() < Float.SIZE ? SIDE_OF_SMALL : SIDE;
            k.forEachTile(y, side, side, at -> y.store(at, x.tile(at.column(), at.row()).transposed()));
        });
    }

    private static Dim[] dims(TileScope k, int rank) {
        if (rank < 1 || rank > MOST_DIMENSIONS) {
            throw new IllegalArgumentException("tensors have rank 1 to " + MOST_DIMENSIONS + ", got " + rank);
        }
        return IntStream.range(0, rank).mapToObj(i -> k.dim("d" + i)).toArray(Dim[]::new);
    }

    private static List<Steps> steps(Dim... dims) {
        int last = dims.length - 1;
        return IntStream.rangeClosed(0, last).mapToObj(i -> new Steps(dims[i], i == last
                ? last == 0 ? TILE : TILE / ROWS : i == last - 1 ? ROWS : 1)).toList();
    }
}
