package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
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
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

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
public sealed interface Value extends ElementArithmetic<Value> {

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

    /**
     * Rebuilds the operation from other parts.
     *
     * @param change what replaces each
     */
    default Value map(UnaryOperator<Value> change) {
        Objects.requireNonNull(change, "change");
        return switch (this) {
            case Const _, Index _, Scalar _, Element _ -> this;
            case Unary u -> new Unary(u.op(), change.apply(u.value()));
            case Binary b -> new Binary(b.op(), change.apply(b.left()), change.apply(b.right()));
            case Fma f -> new Fma(change.apply(f.a()), change.apply(f.b()), change.apply(f.c()));
            case Dp4a d -> new Dp4a(change.apply(d.a()), change.apply(d.b()), change.apply(d.sum()));
            case PickBytes p -> new PickBytes(change.apply(p.first()), change.apply(p.second()), p.selector());
            case FunnelShift f -> new FunnelShift(change.apply(f.low()), change.apply(f.high()), change.apply(f.by()));
            case Pairwise p -> new Pairwise(p.op(), change.apply(p.left()), change.apply(p.right()), p.half());
            case Compare c -> new Compare(c.comparison(), change.apply(c.left()), change.apply(c.right()));
            case Select s -> new Select(change.apply(s.condition()), change.apply(s.yes()), change.apply(s.no()));
            case Convert c -> new Convert(change.apply(c.value()), c.conversion());
            case BitCast b -> new BitCast(change.apply(b.value()), b.type());
            case Approximate a -> new Approximate(a.op(), change.apply(a.value()));
            case Call c -> new Call(c.function(), c.arguments().stream().map(change).toList());
        };
    }

    /**
     * A constant.
     *
     * @param word its bits, as {@link ValueType} says
     */
    record Const(ValueType type, long word) implements Value {
        public Const {
            Objects.requireNonNull(type, "type");
            if (type.word(word) != word) {
                throw new IllegalArgumentException("0x" + Long.toHexString(word) + " is no word of type " + type);
            }
        }
    }

    /** The value of an index expression: i32, i64 or a predicate. */
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

    /** The current value of an element of a register. */
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

        /**
         * The value's word.
         *
         * @param parts the words of its parts, in order
         */
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

    /**
     * The 32 bits of two words, the low one first, from bit {@code by} modulo 32 on (PTX ISA, "shf", {@code .r.wrap}).
     */
    record FunnelShift(Value low, Value high, Value by, Expr.Size size) implements Compound {
        public FunnelShift(Value low, Value high, Value by) {
            this(low, high, by, Expr.Size.ONE);
        }

        public FunnelShift {
            NotNull.all("low, high, by, size", low, high, by, size);
            requireOneType("funnel_shift", low, high);
            requireOneType("funnel_shift", low, by);
            if (low.type() != ValueType.U32) {
                throw new IllegalArgumentException("a funnel shift is of two u32, not of " + low.type());
            }
            size = around(low, high, by);
        }

        @Override
        public ValueType type() {
            return ValueType.U32;
        }

        @Override
        public List<Value> parts() {
            return List.of(low, high, by);
        }

        @Override
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            return type().word((parts[0] & 0xFFFFFFFFL | parts[1] << 32) >>> (parts[2] & 31));
        }
    }

    /**
     * An operation on two pairs of f16 or bf16 in words, the first of a pair in the low bits: differences, each rounded
     * once, or the least or greatest of both.
     */
    record Pairwise(BinaryOp op, Value left, Value right, ValueType half, Expr.Size size) implements Compound {
        private static final Set<BinaryOp> OPS = Set.of(BinaryOp.SUB, BinaryOp.MIN, BinaryOp.MAX, BinaryOp.MIN_NAN,
                BinaryOp.MAX_NAN);

        public Pairwise(BinaryOp op, Value left, Value right, ValueType half) {
            this(op, left, right, half, Expr.Size.ONE);
        }

        public Pairwise {
            NotNull.all("op, left, right, half, size", op, left, right, half, size);
            requireOneType("pairwise", left, right);
            if (!OPS.contains(op)) {
                throw new IllegalArgumentException("pairs have differences, least and greatest, got " + op);
            }
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
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            LongBinaryOperator each = ValueMath.binary(op, half);
            long low = each.applyAsLong(half.word(parts[0]), half.word(parts[1]));
            long high = each.applyAsLong(half.word(parts[0] >> 16), half.word(parts[1] >> 16));
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
        public long word(long... parts) {
            Objects.requireNonNull(parts, "parts");
            return type.word(parts[0]);
        }
    }

    /** A hardware approximation of a function of an f32, whose bits differ between GPUs. */
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

    /**
     * A constant by its bits.
     *
     * @param bits in the low end; what is above the type's width is left out
     */
    static Value ofBits(ValueType type, long bits) {
        Objects.requireNonNull(type, "type");
        return new Const(type, type.word(bits));
    }

    /** A number as a constant of a type, rounded to nearest even; an integer must hold it exactly. */
    static Value of(ValueType type, double number) {
        Objects.requireNonNull(type, "type");
        return new Const(type, ValueMath.constant(type, number));
    }

    /** The value of an index expression, as i32 or i64, or of a condition as a predicate. */
    static Value of(Expr expr) {
        Objects.requireNonNull(expr, "expr");
        return expr instanceof Expr.OfValue v ? v.value() : new Index(expr);
    }

    // ---- work on one element

    /** The function of this value. */
    @Override
    default Value onEach(UnaryOperator<Value> function) {
        Objects.requireNonNull(function, "function");
        return function.apply(this);
    }

    /** The function of this value and another. */
    @Override
    default Value onEach(Value other, BinaryOperator<Value> function) {
        NotNull.all("other, function", other, function);
        return function.apply(this, other);
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

    /**
     * 32 bits of this u32 and another above it, from a bit on. With this value as the other, too, it is rotated right.
     *
     * @param by which bit, a u32, modulo 32
     */
    default Value funnelShift(Value high, Value by) {
        return new FunnelShift(this, Objects.requireNonNull(high, "high"), Objects.requireNonNull(by, "by"));
    }

    /**
     * An operation on two pairs of f16 or bf16, in a u32 each.
     *
     * @param op difference, or the least or greatest of both
     * @param half their type
     */
    default Value pairwise(BinaryOp op, Value other, ValueType half) {
        return new Pairwise(Objects.requireNonNull(op, "op"), this, Objects.requireNonNull(other, "other"),
                Objects.requireNonNull(half, "half"));
    }

    /** The less of this and a constant of its type; see {@link BinaryOp#MIN}. */
    default Value min(double other) {
        return min(of(type(), other));
    }

    /** The greater of this and a constant of its type; see {@link BinaryOp#MAX}. */
    default Value max(double other) {
        return max(of(type(), other));
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

    /** This value as another type; values that are too large become the type's largest, see {@link Conversion}. */
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

    /** Suggests a type that holds every value of both, if there is one. */
    private static String lossless(ValueType left, ValueType right) {
        return Stream.of(left, right, ValueType.I16, ValueType.I32, ValueType.I64, ValueType.F16, ValueType.F32,
                ValueType.F64).filter(type -> ValueMath.isExact(left, type) && ValueMath.isExact(right, type))
                .findFirst().map(type -> type == left || type == right
                        ? "convert the " + (type == left ? right : left) + ", with to(" + type.name() + ")"
                        : "convert both, with to(" + type.name() + "), which loses nothing, or one, which may lose "
                                + "bits")
                .orElse(left == ValueType.PRED || right == ValueType.PRED
                        ? "select one of two numbers by the predicate" : "convert one, which may lose bits");
    }

    private static void requirePredicate(Value condition) {
        if (condition.type() != ValueType.PRED) {
            throw new IllegalArgumentException("a predicate chooses, got a value of type " + condition.type()
                    + ": compare it with something");
        }
    }
}
