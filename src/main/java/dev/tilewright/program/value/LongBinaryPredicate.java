package dev.tilewright.program.value;

/** A question about two words. */
@FunctionalInterface
public interface LongBinaryPredicate {
    /** Whether it holds of the two words. */
    boolean test(long a, long b);
}
