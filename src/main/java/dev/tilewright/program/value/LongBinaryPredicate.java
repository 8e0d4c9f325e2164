package dev.tilewright.program.value;

/** A question about two words. */
@FunctionalInterface
public interface LongBinaryPredicate {
    boolean test(long a, long b);
}
