package dev.tilewright.builder.pipeline;

import dev.tilewright.program.expression.Expr;
import java.util.Objects;

/**
 * The result of a test of a barrier, without waiting.
 *
 * @param done 1 if its phase had completed, else 0
 */
public record Tried(Expr done) {
    public Tried {
        Objects.requireNonNull(done, "done");
    }
}
