package dev.tilewright.tile;

import dev.tilewright.program.expression.Identifiers;
import dev.tilewright.program.expression.Parameter;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A kernel in the tile language: what happens to tiles of tensors, traced from a lambda.
 *
 * {@snippet :
 * TileKernel gemm = TileKernel.of("gemm", k -> {
 *     Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
 *     Tensor a = k.in("a", BF16, m, depth), b = k.in("b", BF16, depth, n);
 *     Tensor c = k.out("c", BF16, m, n);
 *     k.forEachTile(c, 128, 256, at -> c.store(at, k.fold(k.zeros(F32, 128, 256), k.steps(depth, 64),
 *             (sum, i) -> sum.mma(a.tile(at.row(), i), b.tile(i, at.column()))).to(BF16)));
 * });
 * }
 *
 * <p>The kernel fixes every bit of the result; how it is run changes only the time.
 */
public final class TileKernel {
    private final String name;
    private final List<Dim> dims;
    private final List<Tensor> tensors;
    private final List<Parameter.Scalar> scalars;
    private final Grid grid;
    private final int variables;

    private TileKernel(String name, TileScope scope) {
        this.name = name;
        this.dims = scope.dims();
        this.tensors = scope.tensors();
        this.scalars = scope.scalars();
        this.grid = scope.grid();
        this.variables = scope.variables();
    }

    /**
     * Traces a kernel.
     *
     * @param name of the kernel, as of a function in C
     * @throws IllegalArgumentException at the line of the lambda that the kernel cannot have, with the rule and what
     *     would do
     */
    public static TileKernel of(String name, Consumer<TileScope> body) {
        Objects.requireNonNull(body, "body");
        Identifiers.require(Objects.requireNonNull(name, "name"));
        TileScope scope = new TileScope(name);
        body.accept(scope);
        return new TileKernel(name, scope);
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** The dimensions that a launch's tensors give. */
    public List<Dim> dims() {
        return dims;
    }

    /** The tensors of a launch, in the order in which they were declared. */
    public List<Tensor> tensors() {
        return tensors;
    }

    /** The numbers of a launch. */
    public List<Parameter.Scalar> scalars() {
        return scalars;
    }

    /** Its tiles and what happens for each. */
    public Grid grid() {
        return grid;
    }

    /** Whether a tile is loaded from the tensor. */
    public boolean loads(Tensor tensor) {
        return grid.body().loads(tensor);
    }

    /** How many numbers of tiles and of turns there are. */
    public int variables() {
        return variables;
    }

    /** The kernel as a listing: a line a tile, in order. */
    @Override
    public String toString() {
        return new Listing(this).text();
    }
}
