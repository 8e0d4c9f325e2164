package dev.tilewright.tile.kernel;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import java.util.Objects;

/**
 * A product of e4m3 with scales of blocks of 128 along k: {@code c = sum over blocks of (a b) aScale bScale}.
 *
 * <p>Hopper's {@code wgmma} keeps 13 fraction bits of a sum of 8-bit floats. Here it does so for one block alone: each
 * block's sum begins at zero, and is then taken to f32, {@code sum = fma(block, aScale * bScale, sum)} with 23 fraction
 * bits, the product of the scales rounded once, blocks ascending.
 *
 * {@snippet :
 * TileKernel layer = BlockScaledGemm.of(ValueType.BF16).kernel();
 * layer.launch().set("a", a, m, k).set("a_scales", ofA, m, k / 128).set("b", b, n, k)
 *         .set("b_scales", ofB, n / 128, k / 128).set("c", c, m, n).run();
 * }
 *
 * @param result type of {@code c}: bf16, f16 or f32
 * @param rows of a tile of {@code c}
 * @param columns of a tile of {@code c}
 */
public record BlockScaledGemm(ValueType result, int rows, int columns) {
    /** Elements along k, and columns of {@code c}, that have one scale. */
    public static final int BLOCK = 128;

    public BlockScaledGemm {
        Objects.requireNonNull(result, "result");
    }

    /** A product with a result of this type. */
    public static BlockScaledGemm of(ValueType result) {
        return new BlockScaledGemm(result, 64, 128);
    }

    /** Sets the extents of tiles, which decide no bits. */
    public BlockScaledGemm withTiles(int ofRows, int ofColumns) {
        return new BlockScaledGemm(result, ofRows, ofColumns);
    }

    /**
     * The kernel: {@code a}, {@code m} by {@code k}, with {@code a_scales} of f32, {@code m} by k's blocks; {@code b},
     * {@code n} by {@code k}, with {@code b_scales} of f32, n's blocks by k's; {@code c}, {@code m} by {@code n}.
     */
    public TileKernel kernel() {
        return TileKernel.of("gemm_block_scaled", k -> {
            Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("k"), blocks = depth.dividedBy(BLOCK);
            Tensor a = k.in("a", ValueType.E4M3, m, depth), ofA = k.in("a_scales", ValueType.F32, m, blocks);
            Tensor b = k.in("b", ValueType.E4M3, n, depth);
            Tensor ofB = k.in("b_scales", ValueType.F32, n.dividedBy(BLOCK), blocks);
            Tensor c = k.out("c", result, m, n);
            k.forEachTile(c, rows, columns, at -> {
                Tile blockOfColumn = k.iota(at.column()).map(j -> j.dividedBy(BLOCK));
                c.store(at, k.fold(k.zeros(ValueType.F32, rows, columns), k.steps(depth, BLOCK), (sum, i) -> {
                    Span number = Span.at(i.start().dividedBy(BLOCK));
                    Tile block = k.zeros(ValueType.F32, rows, columns)
                            .mma(a.tile(at.row(), i), b.tile(at.column(), i).transposed());
                    Tile scale = ofA.tile(at.row(), number.kept()).times(ofB.gather(blockOfColumn, number));
                    return block.fma(scale, sum);
                }).to(result));
            });
        });
    }
}
