package dev.tilewright.program;

import java.util.Objects;

/** A thread's name for the mbarrier phase that it arrived in: handed out by an arrival, used by a wait. */
public record Token(Expr.Var value) {
    public Token {
        Objects.requireNonNull(value, "value");
        if (value.type() != IntType.S64) {
            throw new IllegalArgumentException("a token has 64 bits, got '" + value.name() + "' of type "
                    + value.type());
        }
    }
}
