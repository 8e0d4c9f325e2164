package dev.tilewright.tile.kernel;

import dev.tilewright.NotNull;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.Objects;

/**
 * Two products of one matrix, of which one gates the other: {@code c = activation(a gate) (a up)}, rounded once. With
 * {@link Activation#SILU} it is SwiGLU. Each product has the bits of {@link Gemm}'s of the same factors; what is
 * between them is f32, and touches no memory.
 *
 * {@snippet :
 * TileKernel layer = GatedGemm.of(ValueType.BF16).kernel();
 * layer.launch().set("a", x, tokens, width).set("gate", gate, hidden, width).set("up", up, hidden, width)
 *         .set("c", y, tokens, hidden).run();
 * }
 *
 * @param operands bf16 or f16, and type of the result
 * @param activation of the product with {@code gate}
 * @param rows of a tile of {@code c}
 * @param columns of a tile of {@code c}
 */
public record GatedGemm(ValueType operands, Activation activation, int rows, int columns) {
    private static final int DEPTH = 64;

    public GatedGemm {
        NotNull.all("operands, activation", operands, activation);
    }

    /** SwiGLU of operands of a type. */
    public static GatedGemm of(ValueType operands) {
        return new GatedGemm(operands, Activation.SILU, 64, 64);
    }

    /** Sets the activation. */
    public GatedGemm with(Activation function) {
        Objects.requireNonNull(function, "function");
        return new GatedGemm(operands, function, rows, columns);
    }

    /** Sets the extents of tiles, which decide no bits. */
    public GatedGemm withTiles(int ofRows, int ofColumns) {
        return new GatedGemm(operands, activation, ofRows, ofColumns);
    }

    private record Sums(Tile gate, Tile up) { }

    /**
     * The kernel: {@code a}, {@code m} by {@code k}; {@code gate} and {@code up}, {@code n} by {@code k}; {@code c},
     * {@code m} by {@code n}.
     */
    public TileKernel kernel() {
        return TileKernel.of("gemm_gated", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k");
            Tensor a = k.in("a", operands, m, depth);
            Tensor gate = k.in("gate", operands, n, depth), up = k.in("up", operands, n, depth);
            Tensor c = k.out("c", operands, m, n);
            k.forEachTile(c, rows, columns, at -> {
                Tile zero = k.zeros(ValueType.F32, rows, columns);
                Sums sums = k.fold(new Sums(zero, zero), k.steps(depth, DEPTH), (s, i) -> {
                    Tile left = a.tile(at.row(), i);
                    return new Sums(s.gate.mma(left, gate.tile(at.column(), i).transposed()),
                            s.up.mma(left, up.tile(at.column(), i).transposed()));
                });
                c.store(at, sums.gate.map(activation::of).times(sums.up).to(operands));
            });
        });
    }
}
