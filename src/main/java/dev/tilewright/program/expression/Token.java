package dev.tilewright.program.expression;

import java.util.Objects;

/**
 * A thread's name for the mbarrier phase that it arrived in: handed out by an arrival, used by a wait. To carry one
 * from turn to turn, assign {@code token.value()} to a variable of 64 bits and make a token of what that holds.
 */
public record Token(Expr value) {
    public Token {
        Objects.requireNonNull(value, "value");
        if (value.type() != IntType.S64) {
            throw new IllegalArgumentException("a token has 64 bits, got a number of type " + value.type());
        }
    }
}
