package dev.tilewright.program.function;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;

/**
 * Twice the bits: the unevaluated sum of two floats, of which the second is at most about half a last place of the
 * first. The exact sum and product of two floats as a pair: T. J. Dekker, "A floating-point technique for extending the
 * available precision", 1971, with a fused multiply-add for the product's rest.
 */
record Pair(Value high, Value low) {
    static Pair of(FloatKind kind, double high, double low) {
        return new Pair(kind.constant(high), kind.constant(low));
    }

    /** {@code a + b}, exact where a is 0 or not smaller than b in size. @param a any expression @param b as well */
    static Pair fastSum(ValueFunction.Lets lets, Value a, Value b) {
        Value large = lets.let("large", a);
        Value small = lets.let("small", b);
        Value sum = lets.let("sum", large.plus(small));
        return new Pair(sum, lets.let("lost", small.minus(sum.minus(large))));
    }

    /** {@code a + b}, exact. */
    static Pair sum(ValueFunction.Lets lets, Value a, Value b) {
        Value sum = lets.let("sum", a.plus(b));
        Value ofB = lets.let("of_b", sum.minus(a));
        return new Pair(sum, lets.let("lost", a.minus(sum.minus(ofB)).plus(b.minus(ofB))));
    }

    /** {@code a * b}, exact where the rest does not underflow. */
    static Pair product(ValueFunction.Lets lets, Value a, Value b) {
        Value product = lets.let("product", a.times(b));
        return new Pair(product, lets.let("rest", a.fma(b, product.negate())));
    }

    /** {@code f / (2 + f)} of an f from -1/2 to 1. */
    static Pair overTwoPlus(ValueFunction.Lets lets, Value f) {
        Value d = lets.let("d", f.plus(2));
        Value lost = f.minus(d.minus(2));
        Value reciprocal = lets.let("reciprocal", d.reciprocal());
        Value quotient = lets.let("quotient", f.times(reciprocal));
        Value negative = lets.let("negative", quotient.negate());
        Value rest = negative.fma(lost, negative.fma(d, f));
        return new Pair(quotient, lets.let("quotient_low", rest.times(reciprocal)));
    }

    /** Times another one, to nearly twice the bits. */
    Pair times(ValueFunction.Lets lets, Pair other) {
        Pair product = product(lets, high, other.high);
        return new Pair(product.high, lets.let("product_low",
                low.fma(other.high, high.fma(other.low, product.low))));
    }

    /** Plus another one, to nearly twice the bits. */
    Pair plus(ValueFunction.Lets lets, Pair other) {
        Pair sum = sum(lets, high, other.high);
        return new Pair(sum.high, lets.let("sum_low", sum.low.plus(low.plus(other.low))));
    }

    /** Added to a larger one, to nearly twice the bits. */
    Pair addedTo(ValueFunction.Lets lets, Pair larger) {
        Pair sum = fastSum(lets, larger.high, high);
        return new Pair(sum.high, lets.let("sum_low", sum.low.plus(low.plus(larger.low))));
    }
}
