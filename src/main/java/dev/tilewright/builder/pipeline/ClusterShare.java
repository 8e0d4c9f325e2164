package dev.tilewright.builder.pipeline;

import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import java.util.Objects;

/**
 * The blocks of a cluster that load for each other: a block copies into the shared memory of the blocks whose consumers
 * release stages to it.
 *
 * @param x blocks of the cluster along x, all of it where {@code y} is 1
 * @param y blocks of the cluster along y
 * @param crosswise whether a block loads for those of its row and of its column alone, else for all
 */
public record ClusterShare(int x, int y, boolean crosswise) {
    /** A block that loads for itself. */
    public static final ClusterShare NONE = new ClusterShare(1, 1, false);

    public ClusterShare {
        ClusterSize.of(new Dim3(x, y, 1));
    }

    /** Every block loads a part of each tile for all blocks of the cluster. */
    public static ClusterShare all(int blocks) {
        return new ClusterShare(blocks, 1, false);
    }

    /**
     * Blocks side by side (along x) share one operand's tiles, those below each other (along y) the other's: a cluster
     * of a matrix product.
     */
    public static ClusterShare rowsAndColumns(int x, int y) {
        return new ClusterShare(x, y, true);
    }

    /** The cluster's blocks, as a kernel is built for them. */
    public ClusterSize size() {
        return ClusterSize.of(new Dim3(x, y, 1));
    }

    int blocks() {
        return x * y;
    }

    boolean isAlone() {
        return blocks() == 1;
    }

    /** How many blocks a block loads for, itself among them. */
    public int peers() {
        return crosswise ? x + y - 1 : blocks();
    }

    /** The rank of one of them. @param number 0 to {@link #peers()} - 1, 32 bits */
    Expr peer(Expr number) {
        Objects.requireNonNull(number, "number");
        if (!crosswise || y == 1) {
            return number;
        }
        Expr mine = Builtin.CLUSTER_BLOCK_Y;
        Expr inRow = mine.times(x).plus(number);
        Expr other = number.minus(x);
        Expr inColumn = other.plus(other.atLeast(mine).choose(1, 0)).times(x)
                .plus(Builtin.CLUSTER_BLOCK_X);
        if (number.constant().isPresent()) {
            return number.constant().getAsLong() < x ? inRow : inColumn;
        }
        return number.lessThan(x).choose(inRow, inColumn);
    }

    /** The mask of a multicast to all blocks that this block loads for where it loads for all. */
    public Expr everyone() {
        return Expr.of((1 << blocks()) - 1);
    }

    /** The mask of a multicast to the blocks of this block's row, its own among them: those with the same y. */
    public Expr row() {
        Expr first = Expr.of((1 << x) - 1);
        return y == 1 ? first : new Expr.Binary(Expr.Op.SHL, first, Builtin.CLUSTER_BLOCK_Y.times(x));
    }

    /** The mask of a multicast to the blocks of this block's column, its own among them: those with the same x. */
    public Expr column() {
        int mask = 0;
        for (int block = 0; block < y; block++) {
            mask |= 1 << block * x;
        }
        return x == 1 ? Expr.of(mask) : new Expr.Binary(Expr.Op.SHL, Expr.of(mask), Builtin.CLUSTER_BLOCK_X);
    }
}
