package dev.tilewright.tile.lower;

import dev.tilewright.builder.pipeline.ClusterShare;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.lower.analysis.Alike;
import dev.tilewright.tile.lower.analysis.Indexes;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Blocks of a cluster that take neighbouring tiles of a product at the same time. A factor that these tiles have in
 * common is read from L2 once: each block has the copy engine bring a part of it to all.
 *
 * @param rows tiles below each other
 * @param columns tiles beside each other; one of both is 1
 */
record ProductCluster(int rows, int columns) {
    static final ProductCluster NONE = new ProductCluster(1, 1);
    /** Two tiles below each other. */
    static final ProductCluster DOWN = new ProductCluster(2, 1);

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

    /** Which cluster a block is of, or how many there are. @param block the number of a block, or of blocks */
    Expr number(Expr block) {
        return isAlone() ? block : block.dividedBy(blocks());
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

    /** How many times clusters take tiles at once, in a whole launch. @param extents of all dimensions, by name */
    long times(Grid grid, Map<String, Long> extents) {
        Indexes indexes = new Indexes(Map.of(), extents);
        int last = grid.steps().size() - 1;
        return IntStream.rangeClosed(0, last).mapToLong(i -> Math.ceilDiv(indexes.of(grid.steps().get(i).count())
                .constant().orElseThrow(), along(last - i))).reduce(1, Math::multiplyExact);
    }

    /** The dimension of the grid along which its tiles are neighbours. */
    private int dimension(Grid grid) {
        return grid.steps().size() - (columns > 1 ? 1 : 2);
    }

    /** Whether what a tile beyond the last along its dimension stores lies outside of the tensor, and is dropped. */
    boolean leaves(Grid grid, Region.Store store) {
        int along = grid.along(store.axes(), dimension(grid));
        return along >= 0 && store.tensor().dims().get(along).equals(grid.steps().get(dimension(grid)).dim());
    }

    /** Whether its tiles have a factor in common. */
    boolean isCommon(Grid grid, Operand operand) {
        Alike alike = new Alike(grid.numbers().get(dimension(grid)));
        return operand.load().axes().stream().allMatch(alike::places);
    }

    /** Of as many tiles below and beside each other as a schedule chooses. */
    static ProductCluster of(List<Integer> extents) {
        return new ProductCluster(extents.getFirst(), extents.getLast());
    }

    /** As a schedule has it. */
    List<Integer> extents() {
        return List.of(rows, columns);
    }

    /** {@code 2x1}. */
    @Override
    public String toString() {
        return rows + "x" + columns;
    }
}
