package dev.tilewright.builder.pipeline;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;

/** Adds the steps of one turn, which acquire its stage by themselves. */
@FunctionalInterface
public interface PositionCode {
    /**
     * @param turn its number, from 0 on
     * @param position of the turn in the ring
     */
    void write(Body body, Expr turn, RingPosition position);
}
