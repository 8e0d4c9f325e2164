package dev.tilewright.tile.lower.packed;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A kernel each of whose tiles is a loop that multiplies what it loads by numbers of 4 or 8 bits, group by group, and
 * adds what comes of a group, times a scale for each column: {@code sum = fma(a q, scale, sum)}.
 *
 * @param sums extents of a tile: rows, columns
 * @param group how many numbers along k a turn takes
 * @param a load of the first of a turn's left factors, behind which the others lie
 * @param packed the first of its right factors; of 4 bits there are two, of which this is that of the low ones
 * @param scales load of a column's scale
 */
public record PackedPattern(TileNode.Loop loop, List<Integer> sums, int group, TileNode.Load a, PackedFactor packed,
        TileNode.Load scales) {
    static final int LEAST_GROUP = 64;
    /** Of a tile. */
    public static final int MOST_ROWS = 64;
    public static final int LEAST_ROWS = 2;
    static final int LINE = 128;
    /** Columns of a warp. */
    public static final int WARP_COLUMNS = 32;
    /** Of a tile whose warps copy what they multiply, at most. */
    public static final int FEW_ROWS = 16;
    /** Whose sums, and those of a turn, have room in registers. */
    static final int MOST_WARPS = 8;

    /** What was found. @param reason why there is none, in words */
    public record Match(Optional<PackedPattern> pattern, String reason) { }

    /** @param extents of a tile @param aligned whether a tensor's rows begin at multiples of 16 bytes */
    public static Match of(TileKernel kernel, Function<Tile, List<Integer>> extents, Predicate<Tensor> aligned) {
        NotNull.all("kernel, extents, aligned", kernel, extents, aligned);
        return new PackedSearch(kernel.grid().body().items(), extents, aligned).match();
    }

    /** Bytes of a column that a turn takes. */
    public int rowBytes() {
        return group * packed.bits() / Byte.SIZE;
    }

    /** Whether each warp copies what it multiplies. */
    public boolean hasFewRows() {
        return sums.getFirst() <= FEW_ROWS;
    }

    /** Warps that multiply: some beside each other for each part of k that is computed at a time. */
    public int warps() {
        return partsAtOnce() * warpsOfPart();
    }

    /** Parts of k that are computed at the same time. */
    public int partsAtOnce() {
        return Math.min(loop.parts(), MOST_WARPS / warpsOfPart());
    }

    /** How often parts are computed, some at a time. */
    int rounds() {
        return loop.parts() / partsAtOnce();
    }

    /** Goes through them. @param code what each does, given its number */
    void eachRound(Body body, BiConsumer<Body, Expr> code) {
        if (rounds() == 1) {
            code.accept(body, Expr.of(0));
        } else {
            body.purpose("a few parts of k at a time").loop("round", rounds(), code::accept);
        }
    }

    /** The instruction that multiplies, whose left factor the packed numbers are. */
    MmaSync product() {
        return new MmaSync(MmaShape.M16N8K16, packed.type() == ValueType.BF16 ? MmaTypes.F32_BF16_BF16
                : MmaTypes.F32_F16_F16);
    }

    int warpsOfPart() {
        return sums.getLast() / WARP_COLUMNS;
    }

    /** Turns whose bytes of a column are copied at once where rows are few: memory is asked for whole lines. */
    int turnsOfLine() {
        return rowBytes() < LINE ? 2 : 1;
    }

    /** Bytes of a column that are copied at once where rows are few. */
    int lineBytes() {
        return turnsOfLine() * rowBytes();
    }

    /** Bytes of the right factor that a turn of a part takes. */
    public int packedBytes() {
        return sums.getLast() * rowBytes();
    }

    /** Bytes of the left factor that a turn of a part takes. */
    public int leftBytes() {
        return sums.getFirst() * group * Short.BYTES;
    }

    /** Boxes of 64 places along k in which the left factor comes. */
    int panels() {
        return group / LEAST_GROUP;
    }

    /** The load of the bytes. */
    public TileNode.Load bytes() {
        return packed.load();
    }

    /** Of a number: 4 or 8. */
    public int bits() {
        return packed.bits();
    }
}
