package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.program.function.Functions;
import dev.tilewright.program.value.ApproximateOp;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.Objects;
import java.util.function.LongBinaryOperator;
import java.util.function.UnaryOperator;

/**
 * A typed value that a thread computes: an expression over constants, scalars, registers and index expressions. It is
 * evaluated where a step uses it, each time; {@code Body.let} keeps what it is worth at one point.
 *
 * <p>Both sides of an operation have one type; {@link #to} converts. Every operation means the same on the CPU and on
 * the GPU to the bit: floats are rounded once, to nearest even, subnormals kept, never contracted; integers wrap. This
 * is the difference to {@link Expr}, the arithmetic of indices, in which a result that does not fit is a mistake. The
 * two meet in {@link Expr#toValue} and {@link #toIndex}. What the operations are, see {@link UnaryOp} and {@link
 * BinaryOp}.
 */
public sealed interface Value {

    /** The type of the result. */
    ValueType type();

    /** How large the expression is. */
    default Expr.Size size() {
        return Expr.Size.ONE;
    }

    /** The values that it is computed from, in order; none where it names something else. */
    default List<Value> parts() {
        return List.of();
    }

    /** What is computed in this way from other parts. @param change what replaces each */
    default Value map(UnaryOperator<Value> change) {
        Objects.requireNonNull(change, "change");
        return this;
    }

    /** A constant. @param word its bits, as {@link ValueType} says */
    record Const(ValueType type, long word) implements Value {
        public Const {
            Objects.requireNonNull(type, "type");
            if (type.word(word) != word) {
                throw new IllegalArgumentException("0x" + Long.toHexString(word) + " is no word of type " + type);
            }
        }
    }

    /** What an index expression is worth: i32, i64 or a predicate. */
    record Index(Expr expr) implements Value {
        public Index {
            Objects.requireNonNull(expr, "expr");
        }

        @Override
        public ValueType type() {
            return switch (expr.type()) {
                case S32 -> ValueType.I32;
                case S64 -> ValueType.I64;
                case BOOL -> ValueType.PRED;
            };
        }

        @Override
        public Expr.Size size() {
            return expr.size();
        }
    }

    /** A scalar parameter of the kernel. */
    record Scalar(Parameter.Scalar parameter) implements Value {
        public Scalar {
            Objects.requireNonNull(parameter, "parameter");
        }

        @Override
        public ValueType type() {
            return ValueType.of(parameter.type());
        }
    }

    /** What an element of a register holds at the time. */
    record Element(Register register, Expr index) implements Value {
        public Element {
            NotNull.all("register, index", register, index);
            register.requireIndex(index, 1);
        }

        @Override
        public ValueType type() {
            return register.type();
        }
    }

    /**
     * An operation whose result the words of its parts alone decide. Each record says what it means; the reference and
     * checks of programs read it there.
     */
    sealed interface Compound extends Value {

        /** The value's word. @param parts the words of its parts, in order */
        long word(long... parts);
    }

    /** @param size follows from the rest, whatever is given; here and below */
    record Unary(UnaryOp op, Value value, Expr.Size size) implements Compound {
        public Unary(UnaryOp op, Value value) {
            this(op, value, Expr.Size.ONE);
        }

        public Unary {
            NotNull.all("op, value, size", op, value, size);
            ValueMath.require(op, value.type());
            size = around(value);
        }

        @Override
        public ValueType type() {
            return value.type();
        }

        @Override
        public List<Value> parts() {
            return List.of(value);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new Unary(op, change.apply(value));
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            return ValueMath.unary(op, type()).applyAsLong(parts[0]);
        }
    }

    /** An operation on two values of one type. */
    record Binary(BinaryOp op, Value left, Value right, ValueType type, Expr.Size size) implements Compound {
        public Binary(BinaryOp op, Value left, Value right) {
            this(op, left, right, Objects.requireNonNull(left, "left").type(), Expr.Size.ONE);
        }

        public Binary {
            NotNull.all("op, left, right, type, size", op, left, right, type, size);
            requireOneType(op.toString(), left, right);
            type = left.type();
            ValueMath.require(op, type);
            size = around(left, right);
        }

        @Override
        public List<Value> parts() {
            return List.of(left, right);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new Binary(op, change.apply(left), change.apply(right));
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            return ValueMath.binary(op, type).applyAsLong(parts[0], parts[1]);
        }
    }

    /** {@code a * b + c}, rounded once. */
    record Fma(Value a, Value b, Value c, ValueType type, Expr.Size size) implements Compound {
        public Fma(Value a, Value b, Value c) {
            this(a, b, c, Objects.requireNonNull(a, "a").type(), Expr.Size.ONE);
        }

        public Fma {
            NotNull.all("a, b, c, type, size", a, b, c, type, size);
            requireOneType("fma", a, b);
            requireOneType("fma", a, c);
            type = a.type();
            ValueMath.requireFma(type);
            size = around(a, b, c);
        }

        @Override
        public List<Value> parts() {
            return List.of(a, b, c);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new Fma(change.apply(a), change.apply(b), change.apply(c));
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            return ValueMath.fma(type).applyAsLong(parts[0], parts[1], parts[2]);
        }
    }

    /**
     * {@code a[0] * b[0] + ... + a[3] * b[3] + sum} over the four bytes of a and b, in 32 bits that wrap: signed bytes
     * in i32, unsigned ones in u32 (PTX ISA, "dp4a").
     */
    record Dp4a(Value a, Value b, Value sum, Expr.Size size) implements Compound {
        public Dp4a(Value a, Value b, Value sum) {
            this(a, b, sum, Expr.Size.ONE);
        }

        public Dp4a {
            NotNull.all("a, b, sum, size", a, b, sum, size);
            requireOneType("dp4a", a, b);
            requireOneType("dp4a", a, sum);
            if (a.type() != ValueType.I32 && a.type() != ValueType.U32) {
                throw new IllegalArgumentException("dp4a is of four bytes in an i32 or u32, not of " + a.type());
            }
            size = around(a, b, sum);
        }

        @Override
        public ValueType type() {
            return a.type();
        }

        @Override
        public List<Value> parts() {
            return List.of(a, b, sum);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new Dp4a(change.apply(a), change.apply(b), change.apply(sum));
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            ValueType bytes = type() == ValueType.I32 ? ValueType.I8 : ValueType.U8;
            long result = parts[2];
            for (int shift = 0; shift < 32; shift += 8) {
                result += bytes.word(parts[0] >> shift) * bytes.word(parts[1] >> shift);
            }
            return type().word(result);
        }
    }

    /**
     * A word of bytes picked out of two words: in the selector's hex digits, the lowest first, 0 to 3 name bytes of the
     * first and 4 to 7 those of the second (PTX ISA, "prmt").
     */
    record PickBytes(Value first, Value second, int selector, Expr.Size size) implements Compound {
        public PickBytes(Value first, Value second, int selector) {
            this(first, second, selector, Expr.Size.ONE);
        }

        public PickBytes {
            NotNull.all("first, second, size", first, second, size);
            requireOneType("pick_bytes", first, second);
            if (first.type() != ValueType.U32 || (selector & ~0x7777) != 0) {
                throw new IllegalArgumentException("bytes are picked out of two u32 by four digits from 0 to 7, got "
                        + first.type() + " and 0x" + Integer.toHexString(selector));
            }
            size = around(first, second);
        }

        @Override
        public ValueType type() {
            return ValueType.U32;
        }

        @Override
        public List<Value> parts() {
            return List.of(first, second);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new PickBytes(change.apply(first), change.apply(second), selector);
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            long bytes = parts[0] & 0xFFFFFFFFL | parts[1] << 32;
            long result = 0;
            for (int digit = 0; digit < 4; digit++) {
                result |= (bytes >>> 8 * (selector >> 4 * digit & 7) & 0xFF) << 8 * digit;
            }
            return type().word(result);
        }
    }

    /** Differences of two pairs of f16 or bf16 in words, the first of a pair in the low bits, each rounded once. */
    record PairMinus(Value left, Value right, ValueType half, Expr.Size size) implements Compound {
        public PairMinus(Value left, Value right, ValueType half) {
            this(left, right, half, Expr.Size.ONE);
        }

        public PairMinus {
            NotNull.all("left, right, half, size", left, right, half, size);
            requireOneType("pair_minus", left, right);
            if (left.type() != ValueType.U32 || half != ValueType.F16 && half != ValueType.BF16) {
                throw new IllegalArgumentException("pairs are of f16 or bf16 in u32, got " + half + " in "
                        + left.type());
            }
            size = around(left, right);
        }

        @Override
        public ValueType type() {
            return ValueType.U32;
        }

        @Override
        public List<Value> parts() {
            return List.of(left, right);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new PairMinus(change.apply(left), change.apply(right), half);
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            LongBinaryOperator minus = ValueMath.binary(BinaryOp.SUB, half);
            long low = minus.applyAsLong(half.word(parts[0]), half.word(parts[1]));
            long high = minus.applyAsLong(half.word(parts[0] >> 16), half.word(parts[1] >> 16));
            return type().word(low & 0xFFFF | high << 16);
        }
    }

    /** A comparison of two values of one type; the result is a predicate. */
    record Compare(Comparison comparison, Value left, Value right, Expr.Size size) implements Compound {
        public Compare(Comparison comparison, Value left, Value right) {
            this(comparison, left, right, Expr.Size.ONE);
        }

        public Compare {
            NotNull.all("comparison, left, right, size", comparison, left, right, size);
            requireOneType(comparison.toString(), left, right);
            ValueMath.require(comparison, left.type());
            size = around(left, right);
        }

        @Override
        public ValueType type() {
            return ValueType.PRED;
        }

        @Override
        public List<Value> parts() {
            return List.of(left, right);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new Compare(comparison, change.apply(left), change.apply(right));
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            return ValueMath.compare(comparison, left.type()).test(parts[0], parts[1]) ? 1 : 0;
        }
    }

    /** {@code condition ? yes : no}; either side may be computed. */
    record Select(Value condition, Value yes, Value no, ValueType type, Expr.Size size) implements Compound {
        public Select(Value condition, Value yes, Value no) {
            this(condition, yes, no, Objects.requireNonNull(yes, "yes").type(), Expr.Size.ONE);
        }

        public Select {
            NotNull.all("condition, yes, no, type, size", condition, yes, no, type, size);
            requirePredicate(condition);
            requireOneType("select", yes, no);
            type = yes.type();
            size = around(condition, yes, no);
        }

        @Override
        public List<Value> parts() {
            return List.of(condition, yes, no);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new Select(change.apply(condition), change.apply(yes), change.apply(no));
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            return parts[0] != 0 ? parts[1] : parts[2];
        }
    }

    /** A value as another type. */
    record Convert(Value value, Conversion conversion, Expr.Size size) implements Compound {
        public Convert(Value value, Conversion conversion) {
            this(value, conversion, Expr.Size.ONE);
        }

        public Convert {
            NotNull.all("value, conversion, size", value, conversion, size);
            if (conversion.from() != value.type()) {
                throw new IllegalArgumentException("a conversion from " + conversion.from() + " of a value of type "
                        + value.type());
            }
            ValueMath.require(conversion);
            size = around(value);
        }

        @Override
        public ValueType type() {
            return conversion.to();
        }

        @Override
        public List<Value> parts() {
            return List.of(value);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new Convert(change.apply(value), conversion);
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            return ValueMath.convert(conversion).applyAsLong(parts[0]);
        }
    }

    /** A value's bits as another type of the same width. */
    record BitCast(Value value, ValueType type, Expr.Size size) implements Compound {
        public BitCast(Value value, ValueType type) {
            this(value, type, Expr.Size.ONE);
        }

        public BitCast {
            NotNull.all("value, type, size", value, type, size);
            if (value.type().bits() != type.bits()) {
                throw new IllegalArgumentException("the bits of a value of type " + value.type() + " ("
                        + value.type().bits() + ") are not as many as those of " + type + " (" + type.bits()
                        + "): convert it, with to(" + type.name() + ")");
            }
            size = around(value);
        }

        @Override
        public List<Value> parts() {
            return List.of(value);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new BitCast(change.apply(value), type);
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            return type.word(parts[0]);
        }
    }

    /** What the hardware makes of an f32, near the exact result: not the same bits everywhere. */
    record Approximate(ApproximateOp op, Value value, Expr.Size size) implements Value {
        public Approximate(ApproximateOp op, Value value) {
            this(op, value, Expr.Size.ONE);
        }

        public Approximate {
            NotNull.all("op, value, size", op, value, size);
            if (value.type() != ValueType.F32) {
                throw new IllegalArgumentException(op + " is for f32, got " + value.type());
            }
            size = around(value);
        }

        @Override
        public ValueType type() {
            return ValueType.F32;
        }

        @Override
        public List<Value> parts() {
            return List.of(value);
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new Approximate(op, change.apply(value));
        }
    }

    /** A function of values, which generated code has once. */
    record Call(ValueFunction function, List<Value> arguments, Expr.Size size) implements Value {
        public Call(ValueFunction function, List<Value> arguments) {
            this(function, arguments, Expr.Size.ONE);
        }

        public Call {
            NotNull.all("function, arguments, size", function, arguments, size);
            arguments = List.copyOf(arguments);
            function.requireArguments(arguments);
            size = around(arguments.toArray(Value[]::new));
        }

        @Override
        public ValueType type() {
            return function.type();
        }

        @Override
        public List<Value> parts() {
            return arguments;
        }

        @Override
        public Value map(UnaryOperator<Value> change) {
            Objects.requireNonNull(change, "change");
            return new Call(function, arguments.stream().map(change).toList());
        }
    }

    // ---- constants

    /** A constant of type f32; a NaN keeps its bits. */
    static Value f32(float value) {
        return new Const(ValueType.F32, Float.floatToRawIntBits(value) & 0xFFFF_FFFFL);
    }

    /** A constant of type f64; a NaN keeps its bits. */
    static Value f64(double value) {
        return new Const(ValueType.F64, Double.doubleToRawLongBits(value));
    }

    /** A constant of type i32. */
    static Value i32(int value) {
        return new Const(ValueType.I32, value);
    }

    /** @param value its bits: of 2^31 and more, the negative {@code int} with these */
    static Value u32(int value) {
        return new Const(ValueType.U32, value & 0xFFFF_FFFFL);
    }

    /** A constant of type i64. */
    static Value i64(long value) {
        return new Const(ValueType.I64, value);
    }

    /** @param value its bits: of 2^63 and more, the negative {@code long} with these */
    static Value u64(long value) {
        return new Const(ValueType.U64, value);
    }

    /** A constant by its bits. @param bits in the low end; what is above the type's width is left out */
    static Value ofBits(ValueType type, long bits) {
        Objects.requireNonNull(type, "type");
        return new Const(type, type.word(bits));
    }

    /** A number as a constant of a type, rounded to nearest even; an integer must hold it exactly. */
    static Value of(ValueType type, double number) {
        Objects.requireNonNull(type, "type");
        return new Const(type, ValueMath.constant(type, number));
    }

    /** What an index expression is worth, as i32 or i64, or of a condition a predicate. */
    static Value of(Expr expr) {
        Objects.requireNonNull(expr, "expr");
        return expr instanceof Expr.OfValue v ? v.value() : new Index(expr);
    }

    // ---- arithmetic

    /** The sum; see {@link BinaryOp#ADD}. */
    default Value plus(Value other) {
        return new Binary(BinaryOp.ADD, this, Objects.requireNonNull(other, "other"));
    }

    /** Plus a constant of this value's type. */
    default Value plus(double other) {
        return plus(of(type(), other));
    }

    /** The difference; see {@link BinaryOp#SUB}. */
    default Value minus(Value other) {
        return new Binary(BinaryOp.SUB, this, Objects.requireNonNull(other, "other"));
    }

    /** Minus a constant of this value's type. */
    default Value minus(double other) {
        return minus(of(type(), other));
    }

    /** The product; see {@link BinaryOp#MUL}. */
    default Value times(Value other) {
        return new Binary(BinaryOp.MUL, this, Objects.requireNonNull(other, "other"));
    }

    /** Times a constant of this value's type. */
    default Value times(double other) {
        return times(of(type(), other));
    }

    /** {@code this * factor + summand}, rounded once. */
    default Value fma(Value factor, Value summand) {
        return new Fma(this, Objects.requireNonNull(factor, "factor"), Objects.requireNonNull(summand, "summand"));
    }

    /**
     * The dot product of four bytes of this value with those of another, plus a summand: signed bytes where all three
     * are i32, unsigned ones where they are u32. Wraps.
     */
    default Value dp4a(Value other, Value summand) {
        return new Dp4a(this, Objects.requireNonNull(other, "other"), Objects.requireNonNull(summand, "summand"));
    }

    /**
     * Four bytes of this u32, which are 0 to 3, and of another, 4 to 7.
     *
     * @param selector which, in hex digits, the lowest byte's in the last
     */
    default Value pickBytes(Value other, int selector) {
        return new PickBytes(this, Objects.requireNonNull(other, "other"), selector);
    }

    /** Two differences at once: of pairs of f16 or bf16 in a u32 each. @param half their type */
    default Value minusPair(Value other, ValueType half) {
        return new PairMinus(this, Objects.requireNonNull(other, "other"), Objects.requireNonNull(half, "half"));
    }

    /** The quotient; see {@link BinaryOp#DIV}. */
    default Value dividedBy(Value other) {
        return new Binary(BinaryOp.DIV, this, Objects.requireNonNull(other, "other"));
    }

    /** Divided by a constant of this value's type. */
    default Value dividedBy(double other) {
        return dividedBy(of(type(), other));
    }

    /** What a division leaves, with this value's sign. */
    default Value remainder(Value other) {
        return new Binary(BinaryOp.REM, this, Objects.requireNonNull(other, "other"));
    }

    /** The less; the number where the other is a NaN. */
    default Value min(Value other) {
        return new Binary(BinaryOp.MIN, this, Objects.requireNonNull(other, "other"));
    }

    /** The less of this and a constant of its type; see {@link BinaryOp#MIN}. */
    default Value min(double other) {
        return min(of(type(), other));
    }

    /** The greater; the number where the other is a NaN. */
    default Value max(Value other) {
        return new Binary(BinaryOp.MAX, this, Objects.requireNonNull(other, "other"));
    }

    /** The greater of this and a constant of its type; see {@link BinaryOp#MAX}. */
    default Value max(double other) {
        return max(of(type(), other));
    }

    /** The less; a NaN where either is one. */
    default Value minNan(Value other) {
        return new Binary(BinaryOp.MIN_NAN, this, Objects.requireNonNull(other, "other"));
    }

    /** The greater; a NaN where either is one. */
    default Value maxNan(Value other) {
        return new Binary(BinaryOp.MAX_NAN, this, Objects.requireNonNull(other, "other"));
    }

    /** This value with the sign of another; see {@link BinaryOp#COPY_SIGN}. */
    default Value copySign(Value sign) {
        return new Binary(BinaryOp.COPY_SIGN, this, Objects.requireNonNull(sign, "sign"));
    }

    /** The opposite; see {@link UnaryOp#NEGATE}. */
    default Value negate() {
        return new Unary(UnaryOp.NEGATE, this);
    }

    /** The magnitude; see {@link UnaryOp#ABS}. */
    default Value abs() {
        return new Unary(UnaryOp.ABS, this);
    }

    /** The square root; see {@link UnaryOp#SQRT}. */
    default Value sqrt() {
        return new Unary(UnaryOp.SQRT, this);
    }

    /** One over it; see {@link UnaryOp#RECIPROCAL}. */
    default Value reciprocal() {
        return new Unary(UnaryOp.RECIPROCAL, this);
    }

    /** The greatest whole number that is not greater; see {@link UnaryOp#FLOOR}. */
    default Value floor() {
        return new Unary(UnaryOp.FLOOR, this);
    }

    /** The least whole number that is not less; see {@link UnaryOp#CEIL}. */
    default Value ceil() {
        return new Unary(UnaryOp.CEIL, this);
    }

    /** The whole number towards zero; see {@link UnaryOp#TRUNCATE}. */
    default Value truncate() {
        return new Unary(UnaryOp.TRUNCATE, this);
    }

    /** The nearest whole number, of two the even one. */
    default Value roundEven() {
        return new Unary(UnaryOp.ROUND_EVEN, this);
    }

    /**
     * 2 to the power of this less 3,072, which has 12 bits behind the point: the sum of a number and 3,072 is rounded
     * to them. One instruction on Hopper, whose bits it has everywhere; see {@link UnaryOp#EXP2_FIXED}.
     */
    default Value exp2Fixed() {
        return new Unary(UnaryOp.EXP2_FIXED, this);
    }

    // ---- functions, the same bits everywhere; their errors see Functions

    /** e to the power of this. See {@link Functions#exp}. */
    default Value exp() {
        return Functions.exp(this);
    }

    /** 2 to the power of this. See {@link Functions#exp2}. */
    default Value exp2() {
        return Functions.exp2(this);
    }

    /** e to the power of this, minus 1, also near 0. See {@link Functions#expm1}. */
    default Value expm1() {
        return Functions.expm1(this);
    }

    /** The natural logarithm. See {@link Functions#log}. */
    default Value log() {
        return Functions.log(this);
    }

    /** The logarithm to base 2. See {@link Functions#log2}. */
    default Value log2() {
        return Functions.log2(this);
    }

    /** The logarithm to base 10. See {@link Functions#log10}. */
    default Value log10() {
        return Functions.log10(this);
    }

    /** The hyperbolic tangent. See {@link Functions#tanh}. */
    default Value tanh() {
        return Functions.tanh(this);
    }

    /** The error function. See {@link Functions#erf}. */
    default Value erf() {
        return Functions.erf(this);
    }

    /** {@code 1 / (1 + e^-x)}. See {@link Functions#sigmoid}. */
    default Value sigmoid() {
        return Functions.sigmoid(this);
    }

    /** {@code x / (1 + e^-x)}. See {@link Functions#silu}. */
    default Value silu() {
        return Functions.silu(this);
    }

    /** The Gaussian error linear unit {@code x (1 + erf(x / sqrt(2))) / 2}. See {@link Functions#gelu}. */
    default Value gelu() {
        return Functions.gelu(this);
    }

    /** The form of {@link #gelu} by a hyperbolic tangent. See {@link Functions#geluTanh}. */
    default Value geluTanh() {
        return Functions.geluTanh(this);
    }

    /** The sine, of radians of any size. See {@link Functions#sin}. */
    default Value sin() {
        return Functions.sin(this);
    }

    /** The cosine, of radians of any size. See {@link Functions#cos}. */
    default Value cos() {
        return Functions.cos(this);
    }

    /** One over the square root. See {@link Functions#rsqrt}. */
    default Value rsqrt() {
        return Functions.rsqrt(this);
    }

    /** This to a power. See {@link Functions#pow}. */
    default Value pow(Value exponent) {
        return Functions.pow(this, Objects.requireNonNull(exponent, "exponent"));
    }

    /** This to a constant power. See {@link Functions#pow}. */
    default Value pow(double exponent) {
        return pow(of(type(), exponent));
    }

    // ---- bits

    /** The bits that both have, or of predicates whether both hold; see {@link BinaryOp#AND}. */
    default Value and(Value other) {
        return new Binary(BinaryOp.AND, this, Objects.requireNonNull(other, "other"));
    }

    /** The bits that either has, or of predicates whether one holds; see {@link BinaryOp#OR}. */
    default Value or(Value other) {
        return new Binary(BinaryOp.OR, this, Objects.requireNonNull(other, "other"));
    }

    /** The bits in which they differ, or of predicates whether they differ; see {@link BinaryOp#XOR}. */
    default Value xor(Value other) {
        return new Binary(BinaryOp.XOR, this, Objects.requireNonNull(other, "other"));
    }

    /** Every bit turned, or of a predicate its contrary; see {@link UnaryOp#NOT}. */
    default Value not() {
        return new Unary(UnaryOp.NOT, this);
    }

    /** By a value of the same type; see {@link BinaryOp#SHL}. */
    default Value shiftLeft(Value bits) {
        return new Binary(BinaryOp.SHL, this, Objects.requireNonNull(bits, "bits"));
    }

    /** By a constant number of bits; see {@link BinaryOp#SHL}. */
    default Value shiftLeft(int bits) {
        return shiftLeft(of(type(), bits));
    }

    /** By a value of the same type; see {@link BinaryOp#SHR}. */
    default Value shiftRight(Value bits) {
        return new Binary(BinaryOp.SHR, this, Objects.requireNonNull(bits, "bits"));
    }

    /** By a constant number of bits; see {@link BinaryOp#SHR}. */
    default Value shiftRight(int bits) {
        return shiftRight(of(type(), bits));
    }

    /** The upper half of the product. */
    default Value timesHigh(Value other) {
        return new Binary(BinaryOp.MUL_HI, this, Objects.requireNonNull(other, "other"));
    }

    /** How many bits are set; see {@link UnaryOp#COUNT_ONES}. */
    default Value countOnes() {
        return new Unary(UnaryOp.COUNT_ONES, this);
    }

    /** How many zeros stand before the highest bit that is set; see {@link UnaryOp#LEADING_ZEROS}. */
    default Value leadingZeros() {
        return new Unary(UnaryOp.LEADING_ZEROS, this);
    }

    /** The bits in the other order; see {@link UnaryOp#REVERSE_BITS}. */
    default Value reverseBits() {
        return new Unary(UnaryOp.REVERSE_BITS, this);
    }

    // ---- comparisons

    /** Any comparison; with a NaN only {@link Comparison#NE} holds. */
    default Value compare(Comparison comparison, Value other) {
        return new Compare(Objects.requireNonNull(comparison, "comparison"), this,
                Objects.requireNonNull(other, "other"));
    }

    /** Whether they are equal; with a NaN they are not. */
    default Value isEqualTo(Value other) {
        return compare(Comparison.EQ, other);
    }

    /** Whether they differ; with a NaN they do. */
    default Value isNotEqualTo(Value other) {
        return compare(Comparison.NE, other);
    }

    /** Whether this is less; with a NaN it is not. */
    default Value lessThan(Value other) {
        return compare(Comparison.LT, other);
    }

    /** Whether this is less than a constant of its type. */
    default Value lessThan(double other) {
        return lessThan(of(type(), other));
    }

    /** Whether this is less or equal; with a NaN it is not. */
    default Value atMost(Value other) {
        return compare(Comparison.LE, other);
    }

    /** Whether this is greater; with a NaN it is not. */
    default Value greaterThan(Value other) {
        return compare(Comparison.GT, other);
    }

    /** Whether this is greater than a constant of its type. */
    default Value greaterThan(double other) {
        return greaterThan(of(type(), other));
    }

    /** Whether this is greater or equal; with a NaN it is not. */
    default Value atLeast(Value other) {
        return compare(Comparison.GE, other);
    }

    /** Whether it is a NaN. */
    default Value isNan() {
        return compare(Comparison.NE, this);
    }

    /** This predicate chooses; either side may be computed. */
    default Value choose(Value yes, Value no) {
        return new Select(this, Objects.requireNonNull(yes, "yes"), Objects.requireNonNull(no, "no"));
    }

    // ---- types

    /** This value as another type: rounded to nearest even, of a float to an integer towards zero, integers wrap. */
    default Value to(ValueType to) {
        Objects.requireNonNull(to, "to");
        return to(to, type().isFloat() && to.isInteger() ? Rounding.TOWARDS_ZERO : Rounding.NEAREST_EVEN);
    }

    /** This value as another type, rounded as said. */
    default Value to(ValueType to, Rounding rounding) {
        NotNull.all("to, rounding", to, rounding);
        return to == type() ? this : new Convert(this, new Conversion(type(), to, rounding, false));
    }

    /** This value as another type; what is too large becomes its largest, see {@link Conversion}. */
    default Value toSaturating(ValueType to) {
        Objects.requireNonNull(to, "to");
        return to == type() ? this : new Convert(this, new Conversion(type(), to,
                type().isFloat() && to.isInteger() ? Rounding.TOWARDS_ZERO : Rounding.NEAREST_EVEN, true));
    }

    /** This value's bits as another type of the same width. */
    default Value bitCast(ValueType to) {
        Objects.requireNonNull(to, "to");
        return to == type() ? this : new BitCast(this, to);
    }

    /** The hardware's approximation of a function. */
    default Value approximate(ApproximateOp op) {
        return new Approximate(Objects.requireNonNull(op, "op"), this);
    }

    /**
     * This value as an index: of an integer of up to 32 bits (u32: 64) or of a predicate the same number or condition.
     * An unsigned 64-bit number must be below 2^63: what is not is a mistake of the program.
     */
    default Expr toIndex() {
        return this instanceof Index(Expr expr) ? expr : new Expr.OfValue(this);
    }

    // ---- rules

    private static Expr.Size around(Value... parts) {
        Expr.Size[] sizes = new Expr.Size[parts.length];
        for (int i = 0; i < parts.length; i++) {
            sizes[i] = parts[i].size();
        }
        return Expr.Size.around(sizes);
    }

    private static void requireOneType(String what, Value left, Value right) {
        if (left.type() != right.type()) {
            throw new IllegalArgumentException(what + " takes values of one type, got " + left.type() + " and "
                    + right.type() + ": " + lossless(left.type(), right.type()));
        }
    }

    /** How two values come to one type without losing anything, where there is a way. */
    private static String lossless(ValueType left, ValueType right) {
        ValueType wider = right.bits() > left.bits() ? right : left;
        if (left.isFloat() == right.isFloat()) {
            return "convert one, with to(" + wider.name() + ")";
        }
        ValueType number = left.isFloat() ? right : left;
        int held = switch (left.isFloat() ? left : right) {
            case F16 -> 11;
            case F32 -> 24;
            case F64 -> 53;
            default -> 8;
        };
        return number.bits() < held ? "convert the integer, with to(" + (left.isFloat() ? left : right).name() + ")"
                : number.bits() < 53 ? "convert both, with to(F64), which loses nothing, or one, which rounds"
                : "convert one, which rounds";
    }

    private static void requirePredicate(Value condition) {
        if (condition.type() != ValueType.PRED) {
            throw new IllegalArgumentException("a predicate chooses, got a value of type " + condition.type()
                    + ": compare it with something");
        }
    }
}
