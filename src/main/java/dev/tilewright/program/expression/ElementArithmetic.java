package dev.tilewright.program.expression;

import dev.tilewright.program.function.Functions;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.UnaryOp;
import java.util.Objects;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/**
 * Arithmetic on elements: on the only one of a {@link Value}, on each one of a tile. Errors of functions are said by
 * {@link Functions}, which gives the same bits everywhere.
 *
 * @param <T> what has the elements, and what a result is
 */
public interface ElementArithmetic<T extends ElementArithmetic<T>> {

    /** A function of each element. */
    T onEach(UnaryOperator<Value> function);

    /** A function of the elements of this and another. */
    T onEach(T other, BinaryOperator<Value> function);

    private T unary(UnaryOp op) {
        return onEach(x -> new Value.Unary(op, x));
    }

    private T binary(BinaryOp op, T other, String name) {
        return onEach(Objects.requireNonNull(other, name), (x, y) -> new Value.Binary(op, x, y));
    }

    private T binary(BinaryOp op, double other) {
        return onEach(x -> new Value.Binary(op, x, Value.of(x.type(), other)));
    }

    // ---- arithmetic

    /** The sum; see {@link BinaryOp#ADD}. */
    default T plus(T other) {
        return binary(BinaryOp.ADD, other, "other");
    }

    /** Plus a number, rounded to this type. */
    default T plus(double other) {
        return binary(BinaryOp.ADD, other);
    }

    /** The difference; see {@link BinaryOp#SUB}. */
    default T minus(T other) {
        return binary(BinaryOp.SUB, other, "other");
    }

    /** Minus a number, rounded to this type. */
    default T minus(double other) {
        return binary(BinaryOp.SUB, other);
    }

    /** The product of elements; see {@link BinaryOp#MUL}. */
    default T times(T other) {
        return binary(BinaryOp.MUL, other, "other");
    }

    /** Times a number, rounded to this type. */
    default T times(double other) {
        return binary(BinaryOp.MUL, other);
    }

    /** The quotient; see {@link BinaryOp#DIV}. In a tile kernel an integer divided by 0 is 0. */
    default T dividedBy(T other) {
        return binary(BinaryOp.DIV, other, "other");
    }

    /** Divided by a number, rounded to this type. */
    default T dividedBy(double other) {
        return binary(BinaryOp.DIV, other);
    }

    /** The remainder, with the sign of the dividend. In a tile kernel an integer's remainder by 0 is the integer. */
    default T remainder(T other) {
        return binary(BinaryOp.REM, other, "other");
    }

    /** The less; the number where the other is a NaN. */
    default T min(T other) {
        return binary(BinaryOp.MIN, other, "other");
    }

    /** The greater; the number where the other is a NaN. */
    default T max(T other) {
        return binary(BinaryOp.MAX, other, "other");
    }

    /** The less; a NaN where either is one. */
    default T minNan(T other) {
        return binary(BinaryOp.MIN_NAN, other, "other");
    }

    /** The greater; a NaN where either is one. */
    default T maxNan(T other) {
        return binary(BinaryOp.MAX_NAN, other, "other");
    }

    /**
     * At least one number and at most another, both rounded to this type; of a NaN the first.
     *
     * @throws IllegalArgumentException if the first is greater, or one is a NaN
     */
    default T clamp(double least, double most) {
        if (!(least <= most)) {
            throw new IllegalArgumentException("clamp takes the lesser limit first, got " + least + " and " + most);
        }
        return onEach(x -> x.max(least).min(most));
    }

    /** This with the sign of another; see {@link BinaryOp#COPY_SIGN}. */
    default T copySign(T sign) {
        return binary(BinaryOp.COPY_SIGN, sign, "sign");
    }

    /** The opposite; see {@link UnaryOp#NEGATE}. */
    default T negate() {
        return unary(UnaryOp.NEGATE);
    }

    /** The magnitude; see {@link UnaryOp#ABS}. */
    default T abs() {
        return unary(UnaryOp.ABS);
    }

    /** The square root; see {@link UnaryOp#SQRT}. */
    default T sqrt() {
        return unary(UnaryOp.SQRT);
    }

    /** One over it; see {@link UnaryOp#RECIPROCAL}. */
    default T reciprocal() {
        return unary(UnaryOp.RECIPROCAL);
    }

    /** The greatest whole number that is not greater; see {@link UnaryOp#FLOOR}. */
    default T floor() {
        return unary(UnaryOp.FLOOR);
    }

    /** The least whole number that is not less; see {@link UnaryOp#CEIL}. */
    default T ceil() {
        return unary(UnaryOp.CEIL);
    }

    /** The whole number towards zero; see {@link UnaryOp#TRUNCATE}. */
    default T truncate() {
        return unary(UnaryOp.TRUNCATE);
    }

    /** The nearest whole number, of two the even one. */
    default T roundEven() {
        return unary(UnaryOp.ROUND_EVEN);
    }

    /**
     * 2 to the power of this less 3,072, which has 12 fraction bits: the sum of a number and 3,072 is rounded to them.
     * One instruction on Hopper, whose bits it has everywhere; see {@link UnaryOp#EXP2_FIXED}.
     */
    default T exp2Fixed() {
        return unary(UnaryOp.EXP2_FIXED);
    }

    // ---- functions

    /** e to the power of this. See {@link Functions#exp}. */
    default T exp() {
        return onEach(Functions::exp);
    }

    /** 2 to the power of this. See {@link Functions#exp2}. */
    default T exp2() {
        return onEach(Functions::exp2);
    }

    /** e to the power of this, minus 1, also near 0. See {@link Functions#expm1}. */
    default T expm1() {
        return onEach(Functions::expm1);
    }

    /** The natural logarithm. See {@link Functions#log}. */
    default T log() {
        return onEach(Functions::log);
    }

    /** The logarithm to base 2. See {@link Functions#log2}. */
    default T log2() {
        return onEach(Functions::log2);
    }

    /** The logarithm to base 10. See {@link Functions#log10}. */
    default T log10() {
        return onEach(Functions::log10);
    }

    /** The hyperbolic tangent. See {@link Functions#tanh}. */
    default T tanh() {
        return onEach(Functions::tanh);
    }

    /** The error function. See {@link Functions#erf}. */
    default T erf() {
        return onEach(Functions::erf);
    }

    /** {@code 1 / (1 + e^-x)}. See {@link Functions#sigmoid}. */
    default T sigmoid() {
        return onEach(Functions::sigmoid);
    }

    /** {@code x / (1 + e^-x)}. See {@link Functions#silu}. */
    default T silu() {
        return onEach(Functions::silu);
    }

    /** The Gaussian error linear unit {@code x (1 + erf(x / sqrt(2))) / 2}. See {@link Functions#gelu}. */
    default T gelu() {
        return onEach(Functions::gelu);
    }

    /** The form of {@link #gelu} by a hyperbolic tangent. See {@link Functions#geluTanh}. */
    default T geluTanh() {
        return onEach(Functions::geluTanh);
    }

    /** The sine, of radians of any size. See {@link Functions#sin}. */
    default T sin() {
        return onEach(Functions::sin);
    }

    /** The cosine, of radians of any size. See {@link Functions#cos}. */
    default T cos() {
        return onEach(Functions::cos);
    }

    /** One over the square root. See {@link Functions#rsqrt}. */
    default T rsqrt() {
        return onEach(Functions::rsqrt);
    }

    /** This to a power. See {@link Functions#pow}. */
    default T pow(T exponent) {
        return onEach(Objects.requireNonNull(exponent, "exponent"), Functions::pow);
    }

    /** This to a constant power. See {@link Functions#pow}. */
    default T pow(double exponent) {
        return onEach(x -> Functions.pow(x, Value.of(x.type(), exponent)));
    }

    // ---- bits

    /** The bits that both have, or of predicates whether both hold; see {@link BinaryOp#AND}. */
    default T and(T other) {
        return binary(BinaryOp.AND, other, "other");
    }

    /** The bits that either has, or of predicates whether one holds; see {@link BinaryOp#OR}. */
    default T or(T other) {
        return binary(BinaryOp.OR, other, "other");
    }

    /** The bits in which they differ, or of predicates whether they differ; see {@link BinaryOp#XOR}. */
    default T xor(T other) {
        return binary(BinaryOp.XOR, other, "other");
    }

    /** Every bit turned, or of a predicate its contrary; see {@link UnaryOp#NOT}. */
    default T not() {
        return unary(UnaryOp.NOT);
    }

    /** Shifts by a number of the same type; see {@link BinaryOp#SHL}. */
    default T shiftLeft(T bits) {
        return binary(BinaryOp.SHL, bits, "bits");
    }

    /** Shifts by a constant number of bits; see {@link BinaryOp#SHL}. */
    default T shiftLeft(int bits) {
        return binary(BinaryOp.SHL, bits);
    }

    /** Shifts by a number of the same type; see {@link BinaryOp#SHR}. */
    default T shiftRight(T bits) {
        return binary(BinaryOp.SHR, bits, "bits");
    }

    /** Shifts by a constant number of bits; see {@link BinaryOp#SHR}. */
    default T shiftRight(int bits) {
        return binary(BinaryOp.SHR, bits);
    }

    /** The upper half of the product. */
    default T timesHigh(T other) {
        return binary(BinaryOp.MUL_HI, other, "other");
    }

    /** How many bits are set; see {@link UnaryOp#COUNT_ONES}. */
    default T countOnes() {
        return unary(UnaryOp.COUNT_ONES);
    }

    /** How many zeros stand before the highest bit that is set; see {@link UnaryOp#LEADING_ZEROS}. */
    default T leadingZeros() {
        return unary(UnaryOp.LEADING_ZEROS);
    }

    /** The bits in the other order; see {@link UnaryOp#REVERSE_BITS}. */
    default T reverseBits() {
        return unary(UnaryOp.REVERSE_BITS);
    }

    // ---- comparisons

    /** Any comparison; with a NaN only {@link Comparison#NE} holds. */
    default T compare(Comparison comparison, T other) {
        Objects.requireNonNull(comparison, "comparison");
        return onEach(Objects.requireNonNull(other, "other"), (x, y) -> new Value.Compare(comparison, x, y));
    }

    private T compare(Comparison comparison, double other) {
        return onEach(x -> new Value.Compare(comparison, x, Value.of(x.type(), other)));
    }

    /** Whether they are equal; with a NaN they are not. */
    default T isEqualTo(T other) {
        return compare(Comparison.EQ, other);
    }

    /** Whether this is a number. */
    default T isEqualTo(double other) {
        return compare(Comparison.EQ, other);
    }

    /** Whether they differ; with a NaN they do. */
    default T isNotEqualTo(T other) {
        return compare(Comparison.NE, other);
    }

    /** Whether this is another number, or a NaN. */
    default T isNotEqualTo(double other) {
        return compare(Comparison.NE, other);
    }

    /** Whether this is less; with a NaN it is not. */
    default T lessThan(T other) {
        return compare(Comparison.LT, other);
    }

    /** Whether this is less than a number. */
    default T lessThan(double other) {
        return compare(Comparison.LT, other);
    }

    /** Whether this is less or equal; with a NaN it is not. */
    default T atMost(T other) {
        return compare(Comparison.LE, other);
    }

    /** Whether this is a number or less. */
    default T atMost(double other) {
        return compare(Comparison.LE, other);
    }

    /** Whether this is greater; with a NaN it is not. */
    default T greaterThan(T other) {
        return compare(Comparison.GT, other);
    }

    /** Whether this is greater than a number. */
    default T greaterThan(double other) {
        return compare(Comparison.GT, other);
    }

    /** Whether this is greater or equal; with a NaN it is not. */
    default T atLeast(T other) {
        return compare(Comparison.GE, other);
    }

    /** Whether this is a number or more. */
    default T atLeast(double other) {
        return compare(Comparison.GE, other);
    }

    /** Whether it is a NaN. */
    default T isNan() {
        return onEach(x -> new Value.Compare(Comparison.NE, x, x));
    }
}
