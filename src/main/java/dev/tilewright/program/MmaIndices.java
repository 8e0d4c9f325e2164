package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.layout.MmaFragment.Matrix;
import dev.tilewright.layout.MmaFragment;
import dev.tilewright.program.expression.Expr;
import java.util.Objects;

/**
 * The row and column of a matrix that a thread's registers hold, as index expressions, where {@link MmaFragment} gives
 * them for known threads.
 *
 * {@snippet :
 * MmaIndices sums = new MmaIndices(MmaFragment.accumulator(16, 8, 32), Warp.lane());
 * body.unrolled("i", 4, (each, i) ->
 *         each.store(product, sums.row(i, 0).times(8).plus(sums.column(i, 0)), d.at(i)));
 * }
 *
 * @param fragment which matrix, and its size
 * @param thread the thread's number within the warp, or of a fragment with 64 rows within the warpgroup, 32 bits
 */
public record MmaIndices(MmaFragment fragment, Expr thread) {
    public MmaIndices {
        NotNull.all("fragment, thread", fragment, thread);
    }

    /**
     * The row of an element.
     *
     * @param register from 0, 32 bits
     * @param element within the register, from 0
     */
    public Expr row(Expr register, int element) {
        Objects.requireNonNull(register, "register");
        boolean eightRows = fragment.rows() == 8;
        Expr lower = fragment.matrix() == Matrix.A ? register.bitAnd(1)
                : value(register, element).shiftRight(1).bitAnd(1);
        return fragment.matrix() == Matrix.B ? along(register, element)
                : eightRows ? group() : first().plus(group()).plus(lower.times(8));
    }

    /**
     * The row of an element.
     *
     * @param register from 0
     * @param element within the register, from 0
     */
    public Expr row(int register, int element) {
        return row(Expr.of(register), element);
    }

    /**
     * The column of an element.
     *
     * @param register from 0, 32 bits
     * @param element within the register, from 0
     */
    public Expr column(Expr register, int element) {
        Objects.requireNonNull(register, "register");
        int pairs = fragment.rows() == 8 ? 0 : 1;
        return switch (fragment.matrix()) {
            case A -> along(register.shiftRight(pairs), element);
            case B -> group();
            case ACCUMULATOR -> {
                Expr value = value(register, element);
                yield value.shiftRight(1 + pairs).times(8).plus(thread.modulo(4).times(2)).plus(value.bitAnd(1));
            }
        };
    }

    /**
     * The column of an element.
     *
     * @param register from 0
     * @param element within the register, from 0
     */
    public Expr column(int register, int element) {
        return column(Expr.of(register), element);
    }

    /** The first row of the warp's part. */
    private Expr first() {
        return fragment.threads() == Warp.LANES ? Expr.of(0) : thread.dividedBy(Warp.LANES).times(16);
    }

    private Expr group() {
        return (fragment.threads() == Warp.LANES ? thread : thread.modulo(Warp.LANES)).dividedBy(4);
    }

    private Expr value(Expr register, int element) {
        return register.times(fragment.perRegister()).plus(element);
    }

    private Expr along(Expr step, int element) {
        return step.times(4).plus(thread.modulo(4)).times(fragment.perRegister()).plus(element);
    }
}
