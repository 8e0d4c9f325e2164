package dev.tilewright.tile.lower;

import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.List;
import java.util.Optional;

/**
 * A factor of a product that the copy engine brings and tensor cores read where it lies.
 *
 * @param load of the tile, whose axes may be exchanged behind it
 * @param matrix as it lies in shared memory
 */
record Operand(TileNode.Load load, MatrixTile matrix) {

    /** The load that a factor is, with or without its axes exchanged. */
    static Optional<TileNode.Load> loadOf(Tile factor) {
        return switch (factor.node()) {
            case TileNode.Load load -> Optional.of(load);
            case TileNode.Transpose(Tile of, List<Integer> _) when of.node() instanceof TileNode.Load load ->
                    Optional.of(load);
            default -> Optional.empty();
        };
    }

    /** Why the copy engine does not bring a tile; nothing where it does. */
    static Optional<String> whyNotCopied(TileNode.Load load, boolean aligned) {
        if (!aligned) {
            return Optional.of("rows of '" + load.tensor().name() + "' do not begin at multiples of 16 bytes");
        }
        if (!load.outside().equals(zero(load.outside()))) {
            return Optional.of("'" + load.tensor().name() + "' is " + load.outside() + " outside, and the copy engine "
                    + "fills with zeros");
        }
        return whyNotBoxes(load.tensor().name(), load.axes());
    }

    /** Why places are none that a box of the copy engine has; nothing where they are. */
    static Optional<String> whyNotBoxes(String tensor, List<Axis> axes) {
        if (!axes.stream().allMatch(axis -> axis instanceof Span span && span.step() == 1)) {
            return Optional.of("places of '" + tensor + "' do not follow each other");
        }
        return axes.getLast().single() ? Optional.of("'" + tensor + "' has one place in its last dimension")
                : Optional.empty();
    }

    private static Value.Const zero(Value.Const like) {
        return Exchange.zero(like.type());
    }

    /**
     * @param factor A, or B
     * @param mn rows of A or columns of B
     * @param k the other extent
     * @param left whether it is A
     * @throws IllegalArgumentException if tensor cores cannot read it
     */
    static Operand of(Tile factor, int mn, int k, boolean left) {
        TileNode.Load load = loadOf(factor).orElseThrow();
        boolean exchanged = factor.node() != load;
        MatrixMajor major = exchanged == left ? MatrixMajor.MN : MatrixMajor.K;
        int bytes = factor.type().bytes();
        int row = (major == MatrixMajor.K ? k : mn) * bytes;
        Swizzle swizzle = row % 128 == 0 ? Swizzle.B128 : row % 64 == 0 ? Swizzle.B64 : Swizzle.B32;
        return new Operand(load, new MatrixTile(mn, k, bytes, major, swizzle));
    }

    /** The span of the load whose elements follow each other, in elements of a panel: the width of a copy's box. */
    List<Integer> box() {
        boolean k = matrix.major() == MatrixMajor.K;
        return load.axes().stream().map(axis -> axis.single() ? 1 : axis == load.axes().getLast()
                ? matrix.panelElements() : k ? matrix.mn() : matrix.k()).toList();
    }

    boolean transposed() {
        return matrix.major() == MatrixMajor.MN;
    }
}
