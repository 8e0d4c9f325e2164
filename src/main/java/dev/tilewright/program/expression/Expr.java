package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * A typed index expression over thread, block and loop variables, kernel parameters and constants. Immutable; built
 * by the methods here, which fold what is constant and widen 32 to 64 bits where the two sides differ.
 *
 * <p>An expression says where, how often and in which thread; the data that a kernel computes with is a {@link Value}.
 * The table in docs/kernels.md ("Expr or Value?") tells when to use which.
 *
 * <p>Arithmetic means what the same operator means in Java on {@code int} and {@code long} (division truncates
 * towards zero), except that a result that does not fit its type is an error of the program: C++ leaves it undefined,
 * and the reference executor reports it.
 */
public sealed interface Expr {

    /**
     * The most levels of an expression, and the most parts of one with everything within it counted as often as it is
     * there: beyond these a part belongs into a variable, see {@link dev.tilewright.program.Body#let}.
     */
    int MOST_LEVELS = 256;
    /** See {@link #MOST_LEVELS}. */
    int MOST_PARTS = 1 << 16;

    /** The type of the result. */
    IntType type();

    /** How large the expression is. */
    default Size size() {
        return Size.ONE;
    }

    /**
     * How large an expression is, computed when it is built.
     *
     * @param levels 1 for what has nothing within it, else one more than the deepest part has
     * @param parts the expression itself and everything within it
     */
    record Size(int levels, int parts) {
        static final Size ONE = new Size(1, 1);

        /**
         * The size of what these are within.
         *
         * @throws IllegalArgumentException if it is too large
         */
        static Size around(Expr... parts) {
            Size[] sizes = new Size[parts.length];
            for (int i = 0; i < parts.length; i++) {
                sizes[i] = parts[i].size();
            }
            return around(sizes);
        }

        /**
         * The size of what parts of these sizes are within.
         *
         * @throws IllegalArgumentException if it is too large
         */
        static Size around(Size... parts) {
            int levels = 1;
            long all = 1;
            for (Size part : parts) {
                levels = Math.max(levels, part.levels + 1);
                all += part.parts;
            }
            if (levels > MOST_LEVELS || all > MOST_PARTS) {
                throw new IllegalArgumentException("an expression may have " + MOST_LEVELS + " levels and " + MOST_PARTS
                        + " parts, this one has " + levels + " and " + all + ": keep a part of it in a variable, with "
                        + "Body.let");
            }
            return new Size(levels, (int) all);
        }
    }

    /** A constant. */
    record Const(long value, IntType type) implements Expr {
        public Const {
            Objects.requireNonNull(type, "type");
            if (type == IntType.S32 && (int) value != value) {
                throw new IllegalArgumentException(value + " does not fit 32 bits");
            }
            if (type == IntType.BOOL) {
                throw new IllegalArgumentException("there are no truth-value constants: leave the guard out");
            }
        }
    }

    /** A value that the hardware gives to each thread. */
    enum Builtin implements Expr {
        /** The thread's place within its block along x; its number, where blocks have one dimension. */
        THREAD("threadIdx.x"),
        THREAD_Y("threadIdx.y"),
        THREAD_Z("threadIdx.z"),
        /**
         * The thread's number within its block, along x first: what its warp and its lane follow from. In blocks of one
         * dimension it is {@link #THREAD}; in others, generated code computes it in a function of its own.
         */
        THREAD_NUMBER("threadIdx.x"),
        /** The block's number within the grid; along x, where the grid has several dimensions. */
        BLOCK("blockIdx.x"),
        BLOCK_Y("blockIdx.y"),
        BLOCK_Z("blockIdx.z"),
        /** Blocks in the grid; along x, where the grid has several dimensions. */
        GRID("gridDim.x"),
        GRID_Y("gridDim.y"),
        GRID_Z("gridDim.z"),
        /** The block's number within its cluster, for kernels that have clusters (PTX ISA, "%cluster_ctarank"). */
        CLUSTER_RANK("__clusterRelativeBlockRank()"),
        /** Blocks in the cluster, for kernels that have clusters (PTX ISA, "%cluster_nctarank"). */
        CLUSTER_SIZE("__clusterSizeInBlocks()"),
        /** The block's place within its cluster along x (PTX ISA, "%cluster_ctaid"); the rank counts x first. */
        CLUSTER_BLOCK_X("__clusterRelativeBlockIdx().x"),
        CLUSTER_BLOCK_Y("__clusterRelativeBlockIdx().y"),
        CLUSTER_BLOCK_Z("__clusterRelativeBlockIdx().z"),
        /** Blocks in the cluster along x (PTX ISA, "%cluster_nctaid"). */
        CLUSTER_SIZE_X("__clusterDim().x"),
        CLUSTER_SIZE_Y("__clusterDim().y"),
        CLUSTER_SIZE_Z("__clusterDim().z"),
        /** The cluster's place within the grid along x (PTX ISA, "%clusterid"). */
        CLUSTER_X("__clusterIdx().x"),
        CLUSTER_Y("__clusterIdx().y"),
        CLUSTER_Z("__clusterIdx().z"),
        /** Clusters in the grid along x (PTX ISA, "%nclusterid"). */
        CLUSTERS_X("__clusterGridDimInClusters().x"),
        CLUSTERS_Y("__clusterGridDimInClusters().y"),
        CLUSTERS_Z("__clusterGridDimInClusters().z");

        private final String cName;

        Builtin(String cName) {
            this.cName = cName;
        }

        /** Whether only kernels with clusters have it. */
        public boolean isOfClusters() {
            return compareTo(CLUSTER_RANK) >= 0;
        }

        /** The CUDA C++ expression for it, in blocks of one dimension; NVRTC knows it without a header. */
        public String cName() {
            return cName;
        }

        @Override
        public IntType type() {
            return IntType.S32;
        }
    }

    /**
     * A constant with a name, which generated code declares once ({@code constexpr}); one name has one value in a
     * kernel. Arithmetic keeps it as it is, so that the name shows.
     */
    record Named(String name, Const value) implements Expr {
        public Named {
            NotNull.all("name, value", name, value);
            Identifiers.require(name);
        }

        @Override
        public IntType type() {
            return value.type();
        }
    }

    /**
     * A variable that a {@code let}, a loop or a result of an instruction defines.
     *
     * @param number tells variables of one name apart: a body numbers its variables, so that names may be used again
     *     wherever a reader can tell what is meant
     */
    record Var(String name, IntType type, int number) implements Expr {
        /** The only variable of this name that is visible where it is used. */
        public Var(String name, IntType type) {
            this(name, type, 0);
        }

        public Var {
            NotNull.all("name, type", name, type);
            Identifiers.require(name);
            if (type == IntType.BOOL) {
                throw new IllegalArgumentException("variable '" + name
                        + "' must be an integer: use the condition where it is needed");
            }
        }
    }

    /** The value of an integer kernel parameter. */
    record ParamValue(Parameter.Int parameter) implements Expr {
        public ParamValue {
            Objects.requireNonNull(parameter, "parameter");
        }

        @Override
        public IntType type() {
            return parameter.type();
        }
    }

    /** The device address that a pointer parameter holds, 64 bits. */
    record DeviceAddress(Parameter.Pointer pointer) implements Expr {
        public DeviceAddress {
            Objects.requireNonNull(pointer, "pointer");
        }

        @Override
        public IntType type() {
            return IntType.S64;
        }
    }

    /**
     * The address that PTX instructions know the first byte of a shared buffer by, in the thread's own block: 32 bits.
     * For matrix descriptors and other operands that are numbers; in a cluster what is above the low 18 bits may tell
     * the block.
     */
    record SharedAddress(SharedRegion.Buffer buffer) implements Expr {
        public SharedAddress {
            Objects.requireNonNull(buffer, "buffer");
        }

        @Override
        public IntType type() {
            return IntType.S32;
        }
    }

    /** Operators on two integers of one type. */
    enum Op {
        ADD("+"), SUB("-"), MUL("*"), DIV("/"), REM("%"), MIN("min"), MAX("max"), AND("&"), OR("|"), XOR("^"),
        SHL("<<"), SHR(">>");

        private final String symbol;

        Op(String symbol) {
            this.symbol = symbol;
        }

        /** How C++ writes it. */
        public String symbol() {
            return symbol;
        }
    }

    /**
     * {@code left op right}; both sides have the type of the result.
     *
     * @param type and {@code size}: follow from the rest, whatever is given
     */
    record Binary(Op op, Expr left, Expr right, IntType type, Size size) implements Expr {
        public Binary(Op op, Expr left, Expr right) {
            NotNull.all("op, left, right", op, left, right);
            this(op, left, right, left.type(), Size.ONE);
        }

        public Binary {
            NotNull.all("op, left, right, type, size", op, left, right, type, size);
            requireIntegers(left, right);
            type = left.type();
            size = Size.around(left, right);
        }
    }

    /** Comparisons. */
    enum Relation {
        EQ("=="), NE("!="), LT("<"), LE("<="), GT(">"), GE(">=");

        private final String symbol;

        Relation(String symbol) {
            this.symbol = symbol;
        }

        /** How C++ writes it. */
        public String symbol() {
            return symbol;
        }
    }

    /**
     * {@code left relation right}.
     *
     * @param size follows from the rest, whatever is given
     */
    record Compare(Relation relation, Expr left, Expr right, Size size) implements Expr {
        public Compare(Relation relation, Expr left, Expr right) {
            this(relation, left, right, Size.ONE);
        }

        public Compare {
            NotNull.all("relation, left, right, size", relation, left, right, size);
            requireIntegers(left, right);
            size = Size.around(left, right);
        }

        @Override
        public IntType type() {
            return IntType.BOOL;
        }
    }

    /**
     * Whether both hold. The right side is evaluated only where the left one holds.
     *
     * @param size follows from the rest, whatever is given
     */
    record And(Expr left, Expr right, Size size) implements Expr {
        public And(Expr left, Expr right) {
            this(left, right, Size.ONE);
        }

        public And {
            NotNull.all("left, right, size", left, right, size);
            requireBool(left);
            requireBool(right);
            size = Size.around(left, right);
        }

        @Override
        public IntType type() {
            return IntType.BOOL;
        }
    }

    /**
     * Whether either holds. The right side is evaluated only where the left one does not.
     *
     * @param size follows from the rest, whatever is given
     */
    record Or(Expr left, Expr right, Size size) implements Expr {
        public Or(Expr left, Expr right) {
            this(left, right, Size.ONE);
        }

        public Or {
            NotNull.all("left, right, size", left, right, size);
            requireBool(left);
            requireBool(right);
            size = Size.around(left, right);
        }

        @Override
        public IntType type() {
            return IntType.BOOL;
        }
    }

    /**
     * Whether it does not hold.
     *
     * @param size follows from the rest, whatever is given
     */
    record Not(Expr condition, Size size) implements Expr {
        public Not(Expr condition) {
            this(condition, Size.ONE);
        }

        public Not {
            NotNull.all("condition, size", condition, size);
            requireBool(condition);
            size = Size.around(condition);
        }

        @Override
        public IntType type() {
            return IntType.BOOL;
        }
    }

    /**
     * A {@link Value} as an index: an integer, or a condition for a predicate. Made by {@link Value#toIndex}.
     */
    record OfValue(Value value) implements Expr {
        public OfValue {
            Objects.requireNonNull(value, "value");
            if (value.type().isFloat()) {
                throw new IllegalArgumentException("a value of type " + value.type() + " is no index: convert it to an "
                        + "integer first, with to(I32)");
            }
        }

        @Override
        public IntType type() {
            return switch (value.type()) {
                case PRED -> IntType.BOOL;
                case U32, I64, U64 -> IntType.S64;
                default -> IntType.S32;
            };
        }

        @Override
        public Size size() {
            return Size.around(value.size());
        }
    }

    /**
     * {@code condition ? yes : no}; only the chosen side is evaluated.
     *
     * @param type and {@code size}: follow from the rest, whatever is given
     */
    record Select(Expr condition, Expr yes, Expr no, IntType type, Size size) implements Expr {
        public Select(Expr condition, Expr yes, Expr no) {
            NotNull.all("condition, yes, no", condition, yes, no);
            this(condition, yes, no, yes.type(), Size.ONE);
        }

        public Select {
            NotNull.all("condition, yes, no, type, size", condition, yes, no, type, size);
            requireBool(condition);
            requireIntegers(yes, no);
            type = yes.type();
            size = Size.around(condition, yes, no);
        }
    }

    /**
     * A change between 32 and 64 bits; narrowing a value that does not fit is an error of the program.
     *
     * @param size follows from the rest, whatever is given
     */
    record Convert(Expr value, IntType type, Size size) implements Expr {
        public Convert(Expr value, IntType type) {
            this(value, type, Size.ONE);
        }

        public Convert {
            NotNull.all("value, type, size", value, type, size);
            size = Size.around(value);
            if (value.type() == IntType.BOOL || type == IntType.BOOL) {
                throw new IllegalArgumentException("truth values do not convert to integers");
            }
        }
    }

    /** A constant. */
    static Expr of(int value) {
        return new Const(value, IntType.S32);
    }

    /** A constant. */
    static Expr of(long value) {
        return new Const(value, IntType.S64);
    }

    /**
     * Several numbers, such as the coordinates of a box: {@code Expr.list(0, row)}.
     *
     * @param numbers each an {@code int}, a {@code long} or an expression
     */
    static List<Expr> list(Object... numbers) {
        NotNull.all("numbers", (Object) numbers);
        return Arrays.stream(numbers).map(number -> switch (number) {
            case Expr e -> e;
            case Integer i -> of(i);
            case Long l -> of(l);
            default -> throw new IllegalArgumentException("a number is an int, a long or an Expr, got "
                    + number.getClass().getSimpleName());
        }).toList();
    }

    /** A 32-bit constant with a name. */
    static Expr named(String name, int value) {
        Objects.requireNonNull(name, "name");
        return new Named(name, new Const(value, IntType.S32));
    }

    /** The value, where it is a constant, named or not. */
    default OptionalLong constant() {
        return switch (this) {
            case Const(long value, IntType _) -> OptionalLong.of(value);
            case Named(String _, Const(long value, IntType _)) -> OptionalLong.of(value);
            default -> OptionalLong.empty();
        };
    }

    /** The sum; one that does not fit the type is a mistake. */
    default Expr plus(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.binary(Op.ADD, this, other);
    }

    /** Takes a constant; see {@link #plus(Expr)}. */
    default Expr plus(int other) {
        return plus(of(other));
    }

    /** The difference; one that does not fit the type is a mistake. */
    default Expr minus(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.binary(Op.SUB, this, other);
    }

    /** Takes a constant; see {@link #minus(Expr)}. */
    default Expr minus(int other) {
        return minus(of(other));
    }

    /** The product; one that does not fit the type is a mistake. */
    default Expr times(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.binary(Op.MUL, this, other);
    }

    /** Takes a constant; see {@link #times(Expr)}. */
    default Expr times(int other) {
        return times(of(other));
    }

    /** The quotient, towards zero; a division by zero is a mistake. */
    default Expr dividedBy(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.binary(Op.DIV, this, other);
    }

    /** Takes a constant; see {@link #dividedBy(Expr)}. */
    default Expr dividedBy(int other) {
        return dividedBy(of(other));
    }

    /** The remainder, with the sign of the dividend; a division by zero is a mistake. */
    default Expr modulo(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.binary(Op.REM, this, other);
    }

    /** Takes a constant; see {@link #modulo(Expr)}. */
    default Expr modulo(int other) {
        return modulo(of(other));
    }

    /** The less of the two. */
    default Expr min(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.binary(Op.MIN, this, other);
    }

    /** Takes a constant; see {@link #min(Expr)}. */
    default Expr min(int other) {
        return min(of(other));
    }

    /** The greater of the two. */
    default Expr max(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.binary(Op.MAX, this, other);
    }

    /** Takes a constant; see {@link #max(Expr)}. */
    default Expr max(int other) {
        return max(of(other));
    }

    /** Takes a constant; see {@link #bitAnd(Expr)}. */
    default Expr bitAnd(int other) {
        return Fold.binary(Op.AND, this, of(other));
    }

    /** The bits that both sides have. */
    default Expr bitAnd(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.binary(Op.AND, this, other);
    }

    /** Takes a constant; see {@link #bitOr(Expr)}. */
    default Expr bitOr(int other) {
        return bitOr(of(other));
    }

    /** The bits that either side has. */
    default Expr bitOr(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.binary(Op.OR, this, other);
    }

    /** Takes a constant; see {@link #xor(Expr)}. */
    default Expr xor(int other) {
        return xor(of(other));
    }

    /** The bits in which the sides differ. */
    default Expr xor(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.binary(Op.XOR, this, other);
    }

    /** Shifts by a constant; a result that does not fit is a mistake. */
    default Expr shiftLeft(int bits) {
        return Fold.binary(Op.SHL, this, of(bits));
    }

    /** Shifts by a constant; the sign is shifted in. */
    default Expr shiftRight(int bits) {
        return Fold.binary(Op.SHR, this, of(bits));
    }

    /** Whether this is less than the other. */
    default Expr lessThan(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.compare(Relation.LT, this, other);
    }

    /** Takes a constant; see {@link #lessThan(Expr)}. */
    default Expr lessThan(int other) {
        return lessThan(of(other));
    }

    /** Whether this is not less than the other. */
    default Expr atLeast(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.compare(Relation.GE, this, other);
    }

    /** Takes a constant; see {@link #atLeast(Expr)}. */
    default Expr atLeast(int other) {
        return atLeast(of(other));
    }

    /** Whether both are the same number. */
    default Expr isEqualTo(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.compare(Relation.EQ, this, other);
    }

    /** Takes a constant; see {@link #isEqualTo(Expr)}. */
    default Expr isEqualTo(int other) {
        return isEqualTo(of(other));
    }

    /** Whether they are different numbers. */
    default Expr isNotEqualTo(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.compare(Relation.NE, this, other);
    }

    /** Takes a constant; see {@link #isNotEqualTo(Expr)}. */
    default Expr isNotEqualTo(int other) {
        return isNotEqualTo(of(other));
    }

    /** Whether this is greater than the other. */
    default Expr greaterThan(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.compare(Relation.GT, this, other);
    }

    /** Takes a constant; see {@link #greaterThan(Expr)}. */
    default Expr greaterThan(int other) {
        return greaterThan(of(other));
    }

    /** Whether this is not greater than the other. */
    default Expr atMost(Expr other) {
        Objects.requireNonNull(other, "other");
        return Fold.compare(Relation.LE, this, other);
    }

    /** Takes a constant; see {@link #atMost(Expr)}. */
    default Expr atMost(int other) {
        return atMost(of(other));
    }

    /** Either holds; see {@link Or}. */
    default Expr or(Expr other) {
        Objects.requireNonNull(other, "other");
        return new Or(this, other);
    }

    /** The contrary of this condition. */
    default Expr not() {
        return Fold.not(this);
    }

    /** This number as a {@link Value}: i32, i64 or, of a condition, a predicate. */
    default Value toValue() {
        return Value.of(this);
    }

    /** Both hold; see {@link And}. */
    default Expr and(Expr other) {
        Objects.requireNonNull(other, "other");
        return new And(this, other);
    }

    /** This truth value chooses between two integers. */
    default Expr choose(Expr yes, Expr no) {
        NotNull.all("yes, no", yes, no);
        IntType type = IntType.wider(yes.type(), no.type());
        return new Select(this, yes.as(type), no.as(type));
    }

    /** This truth value chooses between two constants. */
    default Expr choose(int yes, int no) {
        return choose(of(yes), of(no));
    }

    /** This truth value chooses a number, or else a constant. */
    default Expr choose(Expr yes, int no) {
        return choose(yes, of(no));
    }

    /** This truth value chooses a constant, or else a number. */
    default Expr choose(int yes, Expr no) {
        return choose(of(yes), no);
    }

    /** This value as another integer type. */
    default Expr as(IntType type) {
        Objects.requireNonNull(type, "type");
        return Fold.convert(this, type);
    }

    /** This number in 64 bits. */
    default Expr toS64() {
        return as(IntType.S64);
    }

    /** This number in 32 bits; one that does not fit is a mistake. */
    default Expr toS32() {
        return as(IntType.S32);
    }

    private static void requireIntegers(Expr left, Expr right) {
        if (left.type() == IntType.BOOL || left.type() != right.type()) {
            throw new IllegalArgumentException(
                    "both sides must be integers of one type, got " + left.type() + " and " + right.type());
        }
    }

    private static void requireBool(Expr condition) {
        if (condition.type() != IntType.BOOL) {
            throw new IllegalArgumentException("a condition is needed, got an integer of type " + condition.type());
        }
    }
}
