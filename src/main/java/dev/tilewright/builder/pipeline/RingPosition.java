package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;

/**
 * A turn's position in a ring of stages.
 *
 * @param stage the number of its stage, 32 bits
 * @param parity of its lap, 32 bits: 0 in the first turn of every stage, 1 in the second, 0 in the third, and so on
 */
public record RingPosition(Expr stage, Expr parity) {
    public RingPosition {
        NotNull.all("stage, parity", stage, parity);
        if (stage.type() != IntType.S32 || parity.type() != IntType.S32) {
            throw new IllegalArgumentException("a stage and a parity have 32 bits, got " + stage.type() + " and "
                    + parity.type() + ": use toS32()");
        }
    }

    /** The position of a turn, which counts from 0. @param stages of the ring, a constant */
    static RingPosition of(Expr turn, Expr stages) {
        return new RingPosition(turn.modulo(stages).toS32(), turn.dividedBy(stages).modulo(2).toS32());
    }

    /** The position of a turn of the first lap. */
    static RingPosition first(Expr turn) {
        return new RingPosition(turn.toS32(), Expr.of(0));
    }
}
