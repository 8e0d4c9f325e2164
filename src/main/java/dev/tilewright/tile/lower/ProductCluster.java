package dev.tilewright.tile.lower;

import dev.tilewright.builder.pipeline.ClusterShare;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Span;
import java.util.List;
import java.util.Optional;

/**
 * Blocks of a cluster that take neighbouring tiles of a product at the same time. A factor that these tiles have in
 * common is read from L2 once: each block has the copy engine bring a part of it to all.
 *
 * @param rows tiles below each other
 * @param columns tiles beside each other; one of both is 1
 */
record ProductCluster(int rows, int columns) {
    static final ProductCluster NONE = new ProductCluster(1, 1);

    int blocks() {
        return rows * columns;
    }

    boolean isAlone() {
        return blocks() == 1;
    }

    ClusterShare share() {
        return isAlone() ? ClusterShare.NONE : ClusterShare.all(blocks());
    }

    /** Tiles that it takes at once along a dimension of the grid. @param fromLast 0 for the last dimension */
    int along(int fromLast) {
        return fromLast == 0 ? columns : fromLast == 1 ? rows : 1;
    }

    /** The number of a block's tile along a dimension. @param number of what the cluster takes at once */
    Expr tile(Expr number, int fromLast) {
        int tiles = along(fromLast);
        return tiles == 1 ? number : number.times(tiles).plus(Expr.Builtin.CLUSTER_RANK);
    }

    /** How many times it takes tiles along a dimension. @param tiles how many there are */
    Expr count(Expr tiles, int fromLast) {
        int each = along(fromLast);
        return each == 1 ? tiles : tiles.plus(each - 1).dividedBy(each);
    }

    /** Whether its tiles have a factor in common. */
    boolean isCommon(Grid grid, Operand operand) {
        Expr number = grid.numbers().get(grid.numbers().size() - (columns > 1 ? 1 : 2));
        return operand.load().axes().stream().noneMatch(axis -> ExprSearch.any(((Span) axis).start(),
                number::equals));
    }

    /** As it stands in a schedule, such as {@code 2x1}. */
    static Optional<ProductCluster> parse(String text) {
        return List.of(NONE, new ProductCluster(2, 1), new ProductCluster(1, 2), new ProductCluster(4, 1),
                new ProductCluster(1, 4)).stream().filter(cluster -> cluster.toString().equals(text)).findFirst();
    }

    /** {@code 2x1}. */
    @Override
    public String toString() {
        return rows + "x" + columns;
    }
}
