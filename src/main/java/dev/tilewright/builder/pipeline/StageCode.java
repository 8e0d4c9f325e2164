package dev.tilewright.builder.pipeline;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;

/**
 * Adds the steps of one turn.
 *
 * @param <S> the stage as the turn has it: {@link Filling} or {@link Landed}
 */
@FunctionalInterface
public interface StageCode<S extends RingStage> {
    /** @param turn its number, from 0 on */
    void write(Body body, Expr turn, S stage);
}
