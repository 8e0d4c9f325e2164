package dev.tilewright.verify.draw;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Random programs that compute: registers of every type are loaded, take values of random trees of operations again and
 * again, some in unrolled loops and through functions, and are stored. What they leave is worked out here by going
 * through the trees, thread by thread, as they are.
 */
public final class ValuePrograms {
    public static final int THREADS = 64;
    /** Registers of each type. */
    private static final int COUNT = 4;
    private static final int DEPTH = 4;
    private static final int STATEMENTS = 14;
    private static final int ROUNDS = 3;
    private static final int STRIDE = 512;
    private static final Parameter.Pointer X = new Parameter.Pointer("x", false);
    private static final Parameter.Pointer Y = new Parameter.Pointer("y", true);
    private static final List<Parameter.Scalar> SCALARS = List.of(new Parameter.Scalar("s", ElementType.F32),
            new Parameter.Scalar("n", ElementType.I32), new Parameter.Scalar("h", ElementType.F16),
            new Parameter.Scalar("d", ElementType.F64));
    private static final List<ValueType> TYPES = List.of(ValueType.values()).subList(1, ValueType.values().length);
    /** A word of every thread, whatever its type. */
    private static final SharedRegion.Buffer EXCHANGED = new SharedRegion.Buffer("exchanged", 8 * THREADS, 16);

    private final Choices choices;
    /** The types that values have, the usual one first. */
    private final List<ValueType> types;
    private final Map<ValueType, Register> registers = new EnumMap<>(ValueType.class);
    private final List<Statement> statements = new ArrayList<>();
    private final List<ValueFunction> functions = new ArrayList<>();
    /** While a function is made, what its trees read. */
    private List<Value> arguments = List.of();
    /** The variable of the unrolled loop around the present statement. */
    private Expr.Var turn;

    /** What all threads do. */
    private sealed interface Statement {
        /** @param states the registers of each thread */
        void perform(List<Map<Register, long[]>> states, Map<Parameter.Scalar, Long> scalars);
    }

    /**
     * An element takes a value where a condition holds, this many times, and in every turn of a loop where it is in
     * one.
     */
    private record Assign(Register register, Expr index, Value value, Expr.Var turn, Optional<Value> guard, int rounds)
            implements Statement {
        @Override
        public void perform(List<Map<Register, long[]>> states, Map<Parameter.Scalar, Long> scalars) {
            for (int thread = 0; thread < states.size(); thread++) {
                for (int k = 0; k < rounds * (turn == null ? 1 : COUNT); k++) {
                    Scope scope = new Scope(thread, k % COUNT, turn, states.get(thread), scalars);
                    if (guard.isEmpty() || scope.word(guard.get()) != 0) {
                        states.get(thread).get(register)[(int) scope.index(index)] = scope.word(value);
                    }
                }
            }
        }
    }

    /** Every thread takes an element of another thread, through shared memory. */
    private record Exchange(Register register, int index, int distance) implements Statement {
        @Override
        public void perform(List<Map<Register, long[]>> states, Map<Parameter.Scalar, Long> scalars) {
            long[] words = states.stream().mapToLong(state -> state.get(register)[index]).toArray();
            for (int thread = 0; thread < words.length; thread++) {
                states.get(thread).get(register)[index] = words[(thread + distance) % THREADS];
            }
        }
    }

    /**
     * A program with its memory.
     *
     * @param before what its first buffer holds
     * @param after what it leaves in its second
     */
    public record Case(TileProgram program, List<Long> scalars, byte[] before, byte[] after) {
        public Launch launch() {
            List<Argument> given = new ArrayList<>(List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
            scalars.forEach(bits -> given.add(new Argument.Scalar(bits)));
            return new Launch(program, 1, given);
        }
    }

    private ValuePrograms(Choices choices, boolean fp8) {
        this.choices = choices;
        this.types = TYPES.stream().filter(t -> fp8 || t != ValueType.E4M3 && t != ValueType.E5M2).toList();
    }

    /** @param fp8 whether types that need sm_89 are drawn, too */
    public static Case random(long seed, boolean fp8) {
        ValuePrograms made = new ValuePrograms(Choices.random(seed), fp8);
        return made.run(made.program(), seed);
    }

    static Drawn draw(Choices choices) {
        ValuePrograms made = new ValuePrograms(choices, choices.flag());
        TileProgram program = made.program();
        return new Drawn(made.statements.size() + " statements", program, launch -> {
            Case run = made.run(program, launch.seed());
            return new DrawnRun(run.launch(), List.of(run.before(), new byte[run.after().length]),
                    Map.of(1, run.after()));
        });
    }

    private TileProgram program() {
        List<Parameter> parameters = new ArrayList<>(List.of(X, Y));
        parameters.addAll(SCALARS);
        List<Step> steps = Body.steps(this::write);
        boolean exchanges = statements.stream().anyMatch(Exchange.class::isInstance);
        return new TileProgram("values", "random trees of operations", THREADS, parameters,
                new SharedLayout(exchanges ? List.of(EXCHANGED) : List.of()), steps);
    }

    private Case run(TileProgram program, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer before = ByteBuffer.allocate(THREADS * STRIDE).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer after = ByteBuffer.allocate(THREADS * STRIDE).order(ByteOrder.LITTLE_ENDIAN);
        for (ValueType type : TYPES) {
            long[] words = ValueOperands.words(type, THREADS * COUNT, random.nextLong(), new long[0]);
            for (int i = 0; i < words.length; i++) {
                put(before, i / COUNT * STRIDE + offset(type) + i % COUNT * type.bytes(), type, words[i]);
            }
        }
        Map<Parameter.Scalar, Long> scalars = new LinkedHashMap<>();
        SCALARS.forEach(s -> scalars.put(s, ValueOperands.words(ValueType.of(s.type()), 1, random.nextLong(),
                new long[0])[0]));
        List<Map<Register, long[]>> states = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            states.add(load(before, thread));
        }
        statements.forEach(s -> s.perform(states, scalars));
        for (int thread = 0; thread < THREADS; thread++) {
            for (ValueType type : TYPES) {
                for (int k = 0; k < COUNT; k++) {
                    put(after, thread * STRIDE + offset(type) + k * type.bytes(), type,
                            states.get(thread).get(registers.get(type))[k]);
                }
            }
        }
        return new Case(program, SCALARS.stream().map(s -> scalars.get(s) & mask(s.type())).toList(), before.array(),
                after.array());
    }

    private static long mask(ElementType type) {
        return type.bytes() == 8 ? -1 : (1L << 8 * type.bytes()) - 1;
    }

    private static int offset(ValueType type) {
        return 32 * TYPES.indexOf(type);
    }

    static void put(ByteBuffer to, int at, ValueType type, long word) {
        switch (type.bytes()) {
            case 1 -> to.put(at, (byte) word);
            case 2 -> to.putShort(at, (short) word);
            case 4 -> to.putInt(at, (int) word);
            default -> to.putLong(at, word);
        }
    }

    static long get(ByteBuffer from, int at, ValueType type) {
        return type.word(switch (type.bytes()) {
            case 1 -> from.get(at);
            case 2 -> from.getShort(at);
            case 4 -> from.getInt(at);
            default -> from.getLong(at);
        });
    }

    private Map<Register, long[]> load(ByteBuffer from, int thread) {
        Map<Register, long[]> state = new HashMap<>();
        for (ValueType type : TYPES) {
            long[] words = new long[COUNT];
            for (int k = 0; k < COUNT; k++) {
                int at = thread * STRIDE + offset(type) + k * type.bytes();
                words[k] = get(from, at, type);
            }
            state.put(registers.get(type), words);
        }
        return state;
    }

    private void write(Body b) {
        for (ValueType type : TYPES) {
            Register r = b.registers("r_" + type, type, COUNT);
            registers.put(type, r);
            int at = 16 / type.bytes() < COUNT ? 2 : COUNT;
            for (int k = 0; k < COUNT; k += at) {
                b.load(r, Expr.of(k), at, new Address.Global(X,
                        Builtin.THREAD.times(STRIDE).plus(offset(type) + k * type.bytes())));
            }
        }
        for (int i = 0; i < 2; i++) {
            functions.add(function("f" + i));
        }
        int count = choices.between(1, STATEMENTS);
        for (int i = 0; i < count; i++) {
            statement(b, i);
        }
        for (ValueType type : TYPES) {
            int at = 16 / type.bytes() < COUNT ? 2 : COUNT;
            for (int k = 0; k < COUNT; k += at) {
                Value[] values = new Value[at];
                for (int i = 0; i < at; i++) {
                    values[i] = registers.get(type).at(k + i);
                }
                b.store(new Address.Global(Y, Builtin.THREAD.times(STRIDE).plus(offset(type) + k * type.bytes())),
                        values);
            }
        }
    }

    private void statement(Body b, int number) {
        switch (choices.below(11)) {
            case 6, 7 -> b.unrolled("turn" + number, COUNT, (body, variable) -> {
                turn = variable;
                assign(body, 1);
                turn = null;
            });
            case 8 -> exchange(b);
            case 9 -> {
                Register left = b.variable("left" + number, Value.i32(ROUNDS));
                b.repeatWhile(left.get().isNotEqualTo(Value.i32(0)).toIndex(), body -> {
                    assign(body, ROUNDS);
                    body.assign(left, left.get().minus(Value.i32(1)));
                });
            }
            case 10 -> {
                int jumping = choices.below(ROUNDS);
                boolean leaves = choices.flag();
                b.loop("tried" + number, ROUNDS, (body, round) -> {
                    body.when(round.isEqualTo(jumping), leaves ? Body::breakLoop : Body::continueLoop);
                    assign(body, leaves ? jumping : ROUNDS - 1);
                });
            }
            case 5 -> b.loop("round" + number, ROUNDS, (body, _) -> assign(body, ROUNDS));
            default -> assign(b, 1);
        }
    }

    private void assign(Body b, int rounds) {
        ValueType type = anyType();
        Register register = registers.get(type);
        Expr index = index();
        Value value = tree(type, DEPTH);
        Optional<Value> guard = choices.oneIn(4) ? Optional.of(predicate(2)) : Optional.empty();
        statements.add(new Assign(register, index, value, turn, guard, rounds));
        if (guard.isPresent()) {
            b.when(guard.get().toIndex(), yes -> yes.assign(register.at(index), value));
        } else {
            b.assign(register.at(index), value);
        }
    }

    private void exchange(Body b) {
        Register register = registers.get(anyType());
        int index = choices.below(COUNT);
        int distance = choices.below(THREADS);
        statements.add(new Exchange(register, index, distance));
        b.store(EXCHANGED.at(Builtin.THREAD.times(8)), register.at(index));
        b.purpose("all have theirs there").syncThreads();
        b.load(register, Expr.of(index), 1, EXCHANGED.at(Builtin.THREAD.plus(distance).modulo(THREADS).times(8)));
        b.purpose("all have taken").syncThreads();
    }

    private Expr index() {
        return turn == null ? Expr.of(choices.below(COUNT)) : choices.flag() ? Expr.of(COUNT - 1).minus(turn) : turn;
    }

    private ValueFunction function(String name) {
        ValueType x = anyType();
        ValueType y = anyType();
        ValueFunction made = ValueFunction.of(name, "a random tree", x, y, (lets, a, b) -> {
            arguments = new ArrayList<>(List.of(a, b));
            arguments.add(lets.let("kept", tree(anyType(), 2)));
            return tree(anyType(), 3);
        });
        arguments = List.of();
        return made;
    }

    private ValueType anyType() {
        ValueType type = types.get(choices.below(types.size()));
        return choices.oneIn(3) ? ValueType.F32 : type;
    }

    private Value leaf(ValueType type) {
        List<Value> found = arguments.stream().filter(a -> a.type() == type).toList();
        if (!found.isEmpty() && !choices.oneIn(4)) {
            return found.get(choices.below(found.size()));
        }
        if (!arguments.isEmpty() || choices.oneIn(4)) {
            return Value.ofBits(type, ValueOperands.words(type, 1, choices.seed(), new long[0])[0]);
        }
        List<Parameter.Scalar> scalars = SCALARS.stream().filter(k -> ValueType.of(k.type()) == type).toList();
        if (!scalars.isEmpty() && choices.oneIn(4)) {
            return scalars.getFirst().value();
        }
        if (type == ValueType.I32 && choices.oneIn(3)) {
            return Builtin.THREAD.times(3).minus(50).toValue();
        }
        return registers.get(type).at(index());
    }

    /** One of indices. */
    private Expr condition(int depth) {
        return switch (depth == 0 ? 0 : choices.below(6)) {
            case 3 -> condition(depth - 1).not();
            case 4 -> condition(depth - 1).and(condition(depth - 1));
            case 5 -> condition(depth - 1).or(condition(depth - 1));
            default -> Builtin.THREAD.lessThan(choices.below(THREADS));
        };
    }

    private Value predicate(int depth) {
        ValueType type = anyType();
        Comparison comparison = Comparison.values()[choices.below(Comparison.values().length)];
        return switch (choices.below(6)) {
            case 0 -> new Value.Unary(UnaryOp.NOT, new Value.Compare(Comparison.LE, tree(ValueType.I32, depth),
                    tree(ValueType.I32, depth)));
            case 1 -> depth > 0 ? new Value.Binary(choices.flag() ? BinaryOp.AND : BinaryOp.XOR, predicate(depth - 1),
                    predicate(depth - 1)) : predicate(depth);
            case 2 -> arguments.isEmpty() ? condition(2).toValue()
                    : predicate(depth);
            default -> ValueMath.has(comparison, type) ? new Value.Compare(comparison, tree(type, depth), tree(type,
                    depth))
                    : predicate(depth);
        };
    }

    private Value tree(ValueType type, int depth) {
        if (depth == 0 || choices.below(8) == 0) {
            return leaf(type);
        }
        switch (choices.below(11)) {
            case 0, 1 -> {
                UnaryOp op = UnaryOp.values()[choices.below(UnaryOp.values().length)];
                return ValueMath.has(op, type) ? new Value.Unary(op, tree(type, depth - 1)) : tree(type, depth);
            }
            case 2, 3, 4 -> {
                BinaryOp op = BinaryOp.values()[choices.below(BinaryOp.values().length)];
                if (!ValueMath.has(op, type)) {
                    return tree(type, depth - 1);
                }
                Value divisor = tree(type, depth - 1);
                boolean divides = type.isInteger() && (op == BinaryOp.DIV || op == BinaryOp.REM);
                return new Value.Binary(op, tree(type, depth - 1), divides
                        ? new Value.Binary(BinaryOp.OR, divisor, Value.of(type, 1)) : divisor);
            }
            case 5 -> {
                return ValueMath.hasFma(type) ? new Value.Fma(tree(type, depth - 1), tree(type, depth - 1),
                        tree(type, depth - 1)) : tree(type, depth);
            }
            case 6 -> {
                return new Value.Select(predicate(depth - 1), tree(type, depth - 1), tree(type, depth - 1));
            }
            case 7 -> {
                for (ValueFunction f : functions) {
                    if (f.type() == type && arguments.isEmpty()) {
                        return f.of(tree(f.parameters().getFirst().type(), depth - 1),
                                tree(f.parameters().getLast().type(), depth - 1));
                    }
                }
                ValueType from = anyType();
                return from.bits() == type.bits() ? new Value.BitCast(tree(from, depth - 1), type) : tree(type, depth);
            }
            default -> {
                ValueType from = anyType();
                Conversion c = new Conversion(from, type, Rounding.values()[choices.below(5)], choices.flag());
                return ValueMath.has(c) ? new Value.Convert(tree(from, depth - 1), c) : tree(type, depth);
            }
        }
    }

    /** What a thread sees while it computes a value. */
    private record Scope(int thread, int turn, Expr.Var variable, Map<Register, long[]> state,
            Map<Parameter.Scalar, Long> scalars) {
        long index(Expr e) {
            return switch (e) {
                case Expr.Const c -> c.value();
                case Expr.Var v when v.equals(variable) -> turn;
                case Expr.Builtin b when b == Builtin.THREAD -> thread;
                case Expr.Binary b -> switch (b.op()) {
                    case ADD -> index(b.left()) + index(b.right());
                    case SUB -> index(b.left()) - index(b.right());
                    case MUL -> index(b.left()) * index(b.right());
                    default -> throw new AssertionError(e);
                };
                default -> throw new AssertionError(e);
            };
        }

        private boolean holds(Expr condition) {
            return switch (condition) {
                case Expr.Compare c -> {
                    int order = Long.compare(index(c.left()), index(c.right()));
                    yield switch (c.relation()) {
                        case EQ -> order == 0;
                        case NE -> order != 0;
                        case LT -> order < 0;
                        case LE -> order <= 0;
                        case GT -> order > 0;
                        case GE -> order >= 0;
                    };
                }
                case Expr.Not c -> !holds(c.condition());
                case Expr.And c -> holds(c.left()) && holds(c.right());
                case Expr.Or c -> holds(c.left()) || holds(c.right());
                default -> throw new AssertionError(condition);
            };
        }

        long word(Value value) {
            return switch (value) {
                case Value.Const c -> c.word();
                case Value.Index v -> v.type() == ValueType.PRED ? holds(v.expr()) ? 1 : 0 : index(v.expr());
                case Value.Element(Register r, Expr at) -> state.get(r)[(int) index(at)];
                case Value.Compound v -> v.word(v.parts().stream().mapToLong(this::word).toArray());
                case Value.Call v -> {
                    Map<Register, long[]> inner = new HashMap<>();
                    Scope scope = new Scope(thread, turn, variable, inner, scalars);
                    for (int i = 0; i < v.arguments().size(); i++) {
                        inner.put(v.function().parameters().get(i), new long[] {word(v.arguments().get(i))});
                    }
                    v.function().lets().forEach(l -> inner.put(l.register(), new long[] {scope.word(l.value())}));
                    yield scope.word(v.function().result());
                }
                case Value.Scalar v -> scalars.get(v.parameter());
                default -> throw new AssertionError(value);
            };
        }
    }
}
