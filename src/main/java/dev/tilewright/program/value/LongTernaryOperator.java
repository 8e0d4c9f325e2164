package dev.tilewright.program.value;

/** A function of three words with a word as its result. */
@FunctionalInterface
public interface LongTernaryOperator {
    /** The result for the three words. */
    long applyAsLong(long a, long b, long c);
}
