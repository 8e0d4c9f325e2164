package dev.tilewright.program;

import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueOperands;
import dev.tilewright.program.value.ValueType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private static final int STRIDE = 512;
    private static final Parameter.Pointer X = new Parameter.Pointer("x", false);
    private static final Parameter.Pointer Y = new Parameter.Pointer("y", true);
    private static final List<ValueType> TYPES = List.of(ValueType.values()).subList(1, ValueType.values().length);

    private final SplittableRandom random;
    private final boolean fp8;
    private final Map<ValueType, Register> registers = new EnumMap<>(ValueType.class);
    private final List<Statement> statements = new ArrayList<>();
    private final List<ValueFunction> functions = new ArrayList<>();
    /** While a function is made, what its trees read. */
    private List<Value> arguments = List.of();
    /** The variable of the unrolled loop around the present statement. */
    private Expr.Var turn;

    /** An element takes a value, in every turn of a loop where it is in one. */
    private record Statement(Register register, Expr index, Value value, Expr.Var turn) {
    }

    /**
     * A program with its memory.
     *
     * @param before what its first buffer holds
     * @param after what it leaves in its second
     */
    public record Case(TileProgram program, byte[] before, byte[] after) {
        public Launch launch() {
            return new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
        }
    }

    private ValuePrograms(long seed, boolean fp8) {
        this.random = new SplittableRandom(seed);
        this.fp8 = fp8;
    }

    /** @param fp8 whether types are among those that need sm_89 */
    public static Case random(long seed, boolean fp8) {
        return new ValuePrograms(seed, fp8).make();
    }

    private Case make() {
        List<Step> steps = Body.steps(this::write);
        TileProgram program = new TileProgram("values", "random trees of operations", THREADS, List.of(X, Y),
                new SharedLayout(List.of()), steps);
        ByteBuffer before = ByteBuffer.allocate(THREADS * STRIDE).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer after = ByteBuffer.allocate(THREADS * STRIDE).order(ByteOrder.LITTLE_ENDIAN);
        for (ValueType type : TYPES) {
            long[] words = ValueOperands.words(type, THREADS * COUNT, random.nextLong(), new long[0]);
            for (int i = 0; i < words.length; i++) {
                put(before, i / COUNT * STRIDE + offset(type) + i % COUNT * type.bytes(), type, words[i]);
            }
        }
        for (int thread = 0; thread < THREADS; thread++) {
            Map<Register, long[]> state = load(before, thread);
            for (Statement s : statements) {
                for (int k = 0; k < (s.turn == null ? 1 : COUNT); k++) {
                    Scope scope = new Scope(thread, k, s.turn, state);
                    state.get(s.register)[(int) scope.index(s.index)] = scope.word(s.value);
                }
            }
            for (ValueType type : TYPES) {
                for (int k = 0; k < COUNT; k++) {
                    put(after, thread * STRIDE + offset(type) + k * type.bytes(), type,
                            state.get(registers.get(type))[k]);
                }
            }
        }
        return new Case(program, before.array(), after.array());
    }

    private static int offset(ValueType type) {
        return 32 * TYPES.indexOf(type);
    }

    private static void put(ByteBuffer to, int at, ValueType type, long word) {
        switch (type.bytes()) {
            case 1 -> to.put(at, (byte) word);
            case 2 -> to.putShort(at, (short) word);
            case 4 -> to.putInt(at, (int) word);
            default -> to.putLong(at, word);
        }
    }

    private Map<Register, long[]> load(ByteBuffer from, int thread) {
        Map<Register, long[]> state = new HashMap<>();
        for (ValueType type : TYPES) {
            long[] words = new long[COUNT];
            for (int k = 0; k < COUNT; k++) {
                int at = thread * STRIDE + offset(type) + k * type.bytes();
                words[k] = type.word(switch (type.bytes()) {
                    case 1 -> from.get(at);
                    case 2 -> from.getShort(at);
                    case 4 -> from.getInt(at);
                    default -> from.getLong(at);
                });
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
        for (int i = 0; i < STATEMENTS; i++) {
            if (random.nextInt(3) == 0) {
                b.unrolled("turn" + i, COUNT, (body, variable) -> {
                    turn = variable;
                    assign(body);
                    turn = null;
                });
            } else {
                assign(b);
            }
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

    private void assign(Body b) {
        ValueType type = anyType();
        Register register = registers.get(type);
        Expr index = index();
        Value value = tree(type, DEPTH);
        statements.add(new Statement(register, index, value, turn));
        b.assign(register.at(index), value);
    }

    private Expr index() {
        return turn == null ? Expr.of(random.nextInt(COUNT)) : random.nextBoolean() ? turn
                : Expr.of(COUNT - 1).minus(turn);
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
        for (;;) {
            ValueType type = TYPES.get(random.nextInt(TYPES.size()));
            if (fp8 || type != ValueType.E4M3 && type != ValueType.E5M2) {
                return random.nextInt(3) == 0 ? ValueType.F32 : type;
            }
        }
    }

    private Value leaf(ValueType type) {
        List<Value> found = arguments.stream().filter(a -> a.type() == type).toList();
        if (!found.isEmpty() && random.nextInt(4) > 0) {
            return found.get(random.nextInt(found.size()));
        }
        if (!arguments.isEmpty() || random.nextInt(4) == 0) {
            return Value.ofBits(type, ValueOperands.words(type, 1, random.nextLong(), new long[0])[0]);
        }
        if (type == ValueType.I32 && random.nextInt(3) == 0) {
            return Builtin.THREAD.times(3).minus(50).toValue();
        }
        return registers.get(type).at(index());
    }

    private Value predicate(int depth) {
        ValueType type = anyType();
        Comparison comparison = Comparison.values()[random.nextInt(Comparison.values().length)];
        return switch (random.nextInt(6)) {
            case 0 -> new Value.Unary(UnaryOp.NOT, new Value.Compare(Comparison.LE, tree(ValueType.I32, depth),
                    tree(ValueType.I32, depth)));
            case 1 -> depth > 0 ? new Value.Binary(random.nextBoolean() ? BinaryOp.AND : BinaryOp.XOR,
                    predicate(depth - 1),
                    predicate(depth - 1)) : predicate(depth);
            case 2 -> arguments.isEmpty() ? Builtin.THREAD.lessThan(random.nextInt(THREADS)).toValue()
                    : predicate(depth);
            default -> ValueMath.has(comparison, type) ? new Value.Compare(comparison, tree(type, depth), tree(type,
                    depth))
                    : predicate(depth);
        };
    }

    private Value tree(ValueType type, int depth) {
        if (depth == 0 || random.nextInt(8) == 0) {
            return leaf(type);
        }
        switch (random.nextInt(9)) {
            case 0, 1 -> {
                UnaryOp op = UnaryOp.values()[random.nextInt(UnaryOp.values().length)];
                return ValueMath.has(op, type) ? new Value.Unary(op, tree(type, depth - 1)) : tree(type, depth);
            }
            case 2, 3, 4 -> {
                BinaryOp op = BinaryOp.values()[random.nextInt(BinaryOp.values().length)];
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
                Conversion c = new Conversion(from, type, Rounding.values()[random.nextInt(5)], random.nextBoolean());
                return ValueMath.has(c) ? new Value.Convert(tree(from, depth - 1), c) : tree(type, depth);
            }
        }
    }

    /** What a thread sees while it computes a value. */
    private record Scope(int thread, int turn, Expr.Var variable, Map<Register, long[]> state) {
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

        long word(Value value) {
            return switch (value) {
                case Value.Const c -> c.word();
                case Value.Index(Expr.Compare c) -> index(c.left()) < index(c.right()) ? 1 : 0;
                case Value.Index(Expr e) -> index(e);
                case Value.Element(Register r, Expr at) -> state.get(r)[(int) index(at)];
                case Value.Unary v -> ValueMath.unary(v.op(), v.type()).applyAsLong(word(v.value()));
                case Value.Binary v -> ValueMath.binary(v.op(), v.type()).applyAsLong(word(v.left()), word(v.right()));
                case Value.Fma v -> ValueMath.fma(v.type()).applyAsLong(word(v.a()), word(v.b()), word(v.c()));
                case Value.Compare v -> ValueMath.compare(v.comparison(), v.left().type())
                        .test(word(v.left()), word(v.right())) ? 1 : 0;
                case Value.Select v -> word(v.condition()) != 0 ? word(v.yes()) : word(v.no());
                case Value.Convert v -> ValueMath.convert(v.conversion()).applyAsLong(word(v.value()));
                case Value.BitCast v -> v.type().word(word(v.value()));
                case Value.Call v -> {
                    Map<Register, long[]> inner = new HashMap<>();
                    Scope scope = new Scope(thread, turn, variable, inner);
                    for (int i = 0; i < v.arguments().size(); i++) {
                        inner.put(v.function().parameters().get(i), new long[] {word(v.arguments().get(i))});
                    }
                    v.function().lets().forEach(l -> inner.put(l.register(), new long[] {scope.word(l.value())}));
                    yield scope.word(v.function().result());
                }
                case Value.Scalar _, Value.Approximate _ -> throw new AssertionError(value);
                default -> throw new AssertionError(value);
            };
        }
    }
}
