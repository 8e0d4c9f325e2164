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
    static final int COUNT = 4;
    private static final int STATEMENTS = 14;
    private static final int ROUNDS = 3;
    private static final int STRIDE = 512;
    private static final Parameter.Pointer X = new Parameter.Pointer("x", false);
    private static final Parameter.Pointer Y = new Parameter.Pointer("y", true);
    static final List<Parameter.Scalar> SCALARS = List.of(new Parameter.Scalar("s", ElementType.F32),
            new Parameter.Scalar("n", ElementType.I32), new Parameter.Scalar("h", ElementType.F16),
            new Parameter.Scalar("d", ElementType.F64));
    private static final List<ValueType> TYPES = List.of(ValueType.values()).subList(1, ValueType.values().length);
    /** A word of every thread, whatever its type. */
    private static final SharedRegion.Buffer EXCHANGED = new SharedRegion.Buffer("exchanged", 8 * THREADS, 16);

    private final DrawnChoices choices;
    private final Map<ValueType, Register> registers = new EnumMap<>(ValueType.class);
    private final List<ValueStatement> statements = new ArrayList<>();
    private final ValueTrees trees;

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

    private ValuePrograms(DrawnChoices choices, boolean fp8) {
        this.choices = choices;
        this.trees = new ValueTrees(choices, TYPES.stream()
                .filter(t -> fp8 || t != ValueType.E4M3 && t != ValueType.E5M2).toList(), registers);
    }

    /** @param fp8 whether types that need sm_89 are drawn, too */
    public static Case random(long seed, boolean fp8) {
        ValuePrograms made = new ValuePrograms(DrawnChoices.random(seed), fp8);
        return made.run(made.program(), seed);
    }

    static Drawn draw(DrawnChoices choices) {
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
        boolean exchanges = statements.stream().anyMatch(ValueStatement.Exchange.class::isInstance);
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
                b.load(r, k, at, new Address.Global(X,
                        Builtin.THREAD.times(STRIDE).plus(offset(type) + k * type.bytes())));
            }
        }
        for (int i = 0; i < 2; i++) {
            trees.addFunction("f" + i);
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
                trees.within(variable);
                assign(body, 1);
                trees.within(null);
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
        ValueType type = trees.anyType();
        Register register = registers.get(type);
        Expr index = trees.index();
        Value value = trees.tree(type);
        Optional<Value> guard = choices.oneIn(4) ? Optional.of(trees.predicate(2)) : Optional.empty();
        statements.add(new ValueStatement.Assign(register, index, value, trees.turn(), guard, rounds));
        if (guard.isPresent()) {
            b.when(guard.get().toIndex(), yes -> yes.assign(register.at(index), value));
        } else {
            b.assign(register.at(index), value);
        }
    }

    private void exchange(Body b) {
        Register register = registers.get(trees.anyType());
        int index = choices.below(COUNT);
        int distance = choices.below(THREADS);
        statements.add(new ValueStatement.Exchange(register, index, distance));
        b.store(EXCHANGED.at(Builtin.THREAD.times(8)), register.at(index));
        b.purpose("all have theirs there").syncThreads();
        b.load(register, index, 1, EXCHANGED.at(Builtin.THREAD.plus(distance).modulo(THREADS).times(8)));
        b.purpose("all have taken").syncThreads();
    }
}
