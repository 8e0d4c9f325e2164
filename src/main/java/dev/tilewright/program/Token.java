package dev.tilewright.program;

/** A thread's name for the mbarrier phase that it arrived in: set by an arrival, used by a wait. */
public record Token(String name) {
    public Token {
        Identifiers.require(name);
    }
}
