package dev.tilewright.program.value;

/** An operation on the words of three values. */
@FunctionalInterface
public interface LongTernaryOperator {
    long applyAsLong(long a, long b, long c);
}
