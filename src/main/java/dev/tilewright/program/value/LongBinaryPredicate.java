package dev.tilewright.program.value;

/** A question about the words of two values. */
@FunctionalInterface
public interface LongBinaryPredicate {
    boolean test(long a, long b);
}
