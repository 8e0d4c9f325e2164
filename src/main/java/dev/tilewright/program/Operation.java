package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.OperandCheck;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.StepRole;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The operation of a step. Every thread of the block performs every step, in order, unless a guard keeps it out.
 *
 * <p>Three kinds: structure (variables, loops, guards, procedures, the block-wide barrier), element work on fragments,
 * and PTX instructions, which have two forms for all of them: issued once ({@link Issue}), or until a condition holds
 * ({@link Poll}). What an instruction is, its record says; {@link Body} has a method for each that is used often.
 */
public sealed interface Operation {

    /** What the step does, in a few words: its purpose where none is given. */
    String summary();

    /** The operation's role among the steps, such as a wait or a fence. */
    default StepRole role() {
        return StepRole.OTHER;
    }

    /** The values that it is made of, an index expression as what it is worth, but for those of steps within it. */
    default Stream<Value> parts() {
        return addresses().stream().flatMap(Address::parts);
    }

    /** The places in memory that it names. */
    default List<Address> addresses() {
        return List.of();
    }

    /** The operation's accesses to memory at its addresses, or through its tensor maps and numbers. */
    default List<Effects.Access> accesses() {
        return List.of();
    }

    /** The input for an operand of its {@link #accesses}; empty if there is none of this name. */
    default Optional<Input> given(String operand) {
        Objects.requireNonNull(operand, "operand");
        return Optional.empty();
    }

    /** The fragments and parameters that it takes as such, besides those of its values and addresses. */
    default List<Object> names() {
        return List.of();
    }

    /** The variables, registers and fragments that there are for the steps after it. */
    default List<Object> defines() {
        return List.of();
    }

    /** The elements of registers made before that it gives another value. */
    default List<Written> changes() {
        return List.of();
    }

    /**
     * Neighbouring elements of a register.
     *
     * @param first index of the first, see {@link Register}
     */
    record Written(Register register, Expr first, int count) {
        public Written {
            NotNull.all("register, first", register, first);
        }
    }

    /** Whether the operation repeats the steps within it. */
    default boolean isLoop() {
        return false;
    }

    /** Whether it, or a step within it, leaves the loop around it before its condition or its count ends that. */
    default boolean leavesLoop() {
        return !isLoop() && bodies().stream().flatMap(List::stream).anyMatch(step -> step.operation().leavesLoop());
    }

    /** Whether it, or a step within it, ends the turn of the loop around it before the last of its steps. */
    default boolean endsTurn() {
        return leavesLoop()
                || !isLoop() && bodies().stream().flatMap(List::stream).anyMatch(step -> step.operation().endsTurn());
    }

    /** The lists of steps within this one, in the order in which they are written. */
    default List<List<Step>> bodies() {
        return List.of();
    }

    /** Makes the operation with other steps within it, of as many lists; a {@link Call} stays as its procedure is. */
    default Function<List<List<Step>>, Operation> around() {
        return _ -> this;
    }

    private static Stream<Value> worth(Expr... expressions) {
        return Stream.of(expressions).map(Value.Index::new);
    }

    // ---- structure

    /** Names a value for the steps that follow in the same body. */
    record Let(Expr.Var variable, Expr value) implements Operation {
        public Let {
            NotNull.all("variable, value", variable, value);
            requireSameType(variable, value);
        }

        @Override
        public String summary() {
            return "let " + variable.name();
        }

        @Override
        public Stream<Value> parts() {
            return worth(value);
        }

        @Override
        public List<Object> defines() {
            return List.of(variable);
        }
    }

    /**
     * {@code for (variable = from; variable < until; variable += by)}. The bounds and the step are computed once, when
     * the loop is entered.
     *
     * @param unrolled whether generated code has each turn by itself, so that the variable may choose registers; then
     *     all bounds are constants
     */
    record Loop(Expr.Var variable, Expr from, Expr until, Expr by, List<Step> body, boolean unrolled)
            implements Operation {
        /** A loop that is not unrolled. */
        public Loop(Expr.Var variable, Expr from, Expr until, Expr by, List<Step> body) {
            NotNull.all("variable, from, until, by, body", variable, from, until, by, body);
            this(variable, from, until, by, body, false);
        }

        public Loop {
            NotNull.all("variable, from, until, by, body", variable, from, until, by, body);
            requireSameType(variable, from);
            requireSameType(variable, until);
            requireSameType(variable, by);
            body = List.copyOf(body);
            if (unrolled && (from.constant().isEmpty() || until.constant().isEmpty() || by.constant().isEmpty())) {
                throw new IllegalArgumentException("the loop over '" + variable.name()
                        + "' is unrolled: its bounds and its step must be constants");
            }
        }

        @Override
        public String summary() {
            return "loop over " + variable.name();
        }

        @Override
        public List<List<Step>> bodies() {
            return List.of(body);
        }

        @Override
        public Stream<Value> parts() {
            return worth(from, until, by);
        }

        @Override
        public boolean isLoop() {
            return true;
        }

        @Override
        public Function<List<List<Step>>, Operation> around() {
            return bodies -> new Loop(variable, from, until, by, bodies.getFirst(), unrolled);
        }
    }

    /** Performs the body again and again, as long as the condition holds before a turn. */
    record While(Expr condition, List<Step> body) implements Operation {
        public While {
            NotNull.all("condition, body", condition, body);
            body = List.copyOf(body);
            if (condition.type() != IntType.BOOL) {
                throw new IllegalArgumentException("a loop goes on while a condition holds, got an integer of type "
                        + condition.type());
            }
        }

        @Override
        public String summary() {
            return "while";
        }

        @Override
        public List<List<Step>> bodies() {
            return List.of(body);
        }

        @Override
        public Stream<Value> parts() {
            return worth(condition);
        }

        @Override
        public boolean isLoop() {
            return true;
        }

        @Override
        public Function<List<List<Step>>, Operation> around() {
            return bodies -> new While(condition, bodies.getFirst());
        }
    }

    /** Leaves the innermost loop, whatever kind it is. */
    record Break() implements Operation {
        @Override
        public boolean leavesLoop() {
            return true;
        }

        @Override
        public String summary() {
            return "break";
        }
    }

    /** Goes on with the next turn of the innermost loop, whatever kind it is. */
    record Continue() implements Operation {
        @Override
        public boolean endsTurn() {
            return true;
        }

        @Override
        public String summary() {
            return "continue";
        }
    }

    /** Performs the body in the threads for which the condition holds, the other body in the rest. */
    record Guard(Expr condition, List<Step> body, List<Step> otherwise) implements Operation {
        public Guard {
            NotNull.all("condition, body, otherwise", condition, body, otherwise);
            body = List.copyOf(body);
            otherwise = List.copyOf(otherwise);
            if (condition.type() != IntType.BOOL) {
                throw new IllegalArgumentException("a guard needs a condition, got an integer of type "
                        + condition.type());
            }
        }

        @Override
        public String summary() {
            return "if";
        }

        @Override
        public List<List<Step>> bodies() {
            return List.of(body, otherwise);
        }

        @Override
        public Stream<Value> parts() {
            return worth(condition);
        }

        @Override
        public Function<List<List<Step>>, Operation> around() {
            return bodies -> new Guard(condition, bodies.getFirst(), bodies.getLast());
        }
    }

    /** Performs the steps of a procedure. */
    record Call(Procedure procedure, List<Expr> arguments) implements Operation {
        public Call {
            NotNull.all("procedure, arguments", procedure, arguments);
            arguments = List.copyOf(arguments);
            procedure.requireArguments(arguments);
        }

        @Override
        public String summary() {
            return procedure.purpose();
        }

        @Override
        public List<List<Step>> bodies() {
            return List.of(procedure.body());
        }

        @Override
        public Stream<Value> parts() {
            return arguments.stream().map(Value.Index::new);
        }
    }

    /**
     * {@code __syncthreads()}: every thread of the block waits here for all others.
     *
     * @param threads of the only blocks that the steps around it are right for; 0 for any
     */
    record SyncThreads(int threads) implements Operation {
        /** A barrier for blocks of any size. */
        public SyncThreads() {
            this(0);
        }

        @Override
        public String summary() {
            return "__syncthreads";
        }

        @Override
        public StepRole role() {
            return StepRole.SYNC;
        }
    }

    // ---- elements

    /** Reads memory by one ordinary (weak) access. */
    sealed interface Loading extends Operation {
        /** Where it reads. */
        Address from();

        /** Bytes of the access: 1, 2, 4, 8 or 16. */
        int bytes();

        @Override
        default List<Address> addresses() {
            return List.of(from());
        }

        @Override
        default List<Effects.Access> accesses() {
            return List.of(ordinary("from", Effects.Mode.READ, bytes()));
        }

        @Override
        default Optional<Input> given(String operand) {
            return Objects.requireNonNull(operand, "operand").equals("from") ? Optional.of(Input.of(from()))
                    : Optional.empty();
        }
    }

    /** Writes memory by one ordinary (weak) access. */
    sealed interface Storing extends Operation {
        /** Where it writes. */
        Address to();

        /** Bytes of the access: 1, 2, 4, 8 or 16. */
        int bytes();

        @Override
        default List<Address> addresses() {
            return List.of(to());
        }

        @Override
        default List<Effects.Access> accesses() {
            return List.of(ordinary("to", Effects.Mode.WRITE, bytes()));
        }

        @Override
        default Optional<Input> given(String operand) {
            return Objects.requireNonNull(operand, "operand").equals("to") ? Optional.of(Input.of(to()))
                    : Optional.empty();
        }
    }

    private static Effects.Access ordinary(String operand, Effects.Mode mode, int bytes) {
        return new Effects.Access(operand, mode, Effects.Proxy.GENERIC, new Effects.Extent.Fixed(bytes));
    }

    /** Reads a fragment from shared memory, global memory or a tensor map parameter, at a multiple of its size. */
    record Load(Fragment fragment, Address from) implements Loading {
        public Load {
            NotNull.all("fragment, from", fragment, from);
            from.requireMemory();
        }

        @Override
        public int bytes() {
            return fragment.bytes();
        }

        @Override
        public String summary() {
            return "load " + fragment.name();
        }

        @Override
        public List<Object> defines() {
            return List.of(fragment);
        }
    }

    /** Writes a fragment to shared or global memory, at a multiple of its size. */
    record Store(Address to, Fragment fragment) implements Storing {
        public Store {
            NotNull.all("to, fragment", to, fragment);
            to.requireMemory();
            to.requireWritable();
        }

        @Override
        public int bytes() {
            return fragment.bytes();
        }

        @Override
        public String summary() {
            return "store " + fragment.name();
        }

        @Override
        public List<Object> names() {
            return List.of(fragment);
        }
    }

    // ---- values

    /** An operation on registers alone. */
    sealed interface Computation extends Operation { }

    /**
     * Makes a register for the steps that follow in the same body.
     *
     * @param initial what each of its elements holds at first; none where each is assigned before it is used
     * @param constant whether it never changes: the name of a value
     */
    record Declare(Register register, Optional<Value> initial, boolean constant) implements Computation {
        public Declare {
            NotNull.all("register, initial", register, initial);
            initial.ifPresent(value -> requireType(register, value));
            if (constant && (initial.isEmpty() || register.count() != 1)) {
                throw new IllegalArgumentException("'" + register.name() + "' never changes: it needs a value, and one "
                        + "element");
            }
        }

        @Override
        public String summary() {
            return "let " + register.name();
        }

        @Override
        public Stream<Value> parts() {
            return initial.stream();
        }

        @Override
        public List<Object> defines() {
            return List.of(register);
        }
    }

    /**
     * Gives an element of a register another value.
     *
     * @param index 32 bits, see {@link Register}
     */
    record Assign(Register register, Expr index, Value value) implements Computation {
        public Assign {
            NotNull.all("register, index, value", register, index, value);
            register.requireIndex(index, 1);
            requireType(register, value);
        }

        @Override
        public String summary() {
            return "set " + register.name();
        }

        @Override
        public Stream<Value> parts() {
            return Stream.concat(worth(index), Stream.of(value));
        }

        @Override
        public List<Written> changes() {
            return List.of(new Written(register, index, 1));
        }
    }

    /**
     * Reads neighbouring elements of a register from memory by one access, an ordinary (weak) one, at a multiple of its
     * size.
     *
     * @param first index of the first element that is read, 32 bits, see {@link Register}
     * @param count elements, altogether 1, 2, 4, 8 or 16 bytes
     */
    record LoadValues(Register register, Expr first, int count, Address from) implements Loading {
        public LoadValues {
            NotNull.all("register, first, from", register, first, from);
            register.requireIndex(first, count);
            requireAccess(register.type(), count);
            from.requireMemory();
        }

        @Override
        public int bytes() {
            return count * register.type().bytes();
        }

        @Override
        public String summary() {
            return "load " + register.name();
        }

        @Override
        public Stream<Value> parts() {
            return Stream.concat(from.parts(), worth(first));
        }

        @Override
        public List<Written> changes() {
            return List.of(new Written(register, first, count));
        }
    }

    /**
     * Writes values of one type to memory by one access, an ordinary (weak) one, at a multiple of its size.
     *
     * @param values altogether 1, 2, 4, 8 or 16 bytes
     */
    record StoreValues(Address to, List<Value> values) implements Storing {
        public StoreValues {
            NotNull.all("to, values", to, values);
            values = List.copyOf(values);
            requireAccess(typeOf(values), values.size());
            to.requireMemory();
            to.requireWritable();
        }

        /** The one type of values that are stored together. */
        static ValueType typeOf(List<Value> values) {
            if (values.isEmpty()) {
                throw new IllegalArgumentException("nothing is stored: give one value or more");
            }
            ValueType type = values.getFirst().type();
            for (Value value : values) {
                if (value.type() != type) {
                    throw new IllegalArgumentException("values that are stored by one access must have one type, got "
                            + type + " and " + value.type());
                }
            }
            return type;
        }

        /** The type of the values. */
        public ValueType type() {
            return values.getFirst().type();
        }

        @Override
        public int bytes() {
            return values.size() * type().bytes();
        }

        @Override
        public String summary() {
            return "store " + (values.size() == 1 ? "a value" : values.size() + " values");
        }

        @Override
        public Stream<Value> parts() {
            return Stream.concat(to.parts(), values.stream());
        }
    }

    // ---- PTX instructions

    /** An operation that is one PTX instruction. */
    sealed interface Instruction extends Operation {
        /** The instruction's form. */
        PtxInstruction form();

        /** For the form's operands that are not results, in their order. */
        List<Input> inputs();

        /**
         * The program's input for an operand.
         *
         * @param operand the name of an operand of the form that is not a result
         */
        default Input input(String operand) {
            return given(operand).orElseThrow(() ->
                    new IllegalArgumentException(form().opcode() + " has no operand '" + operand + "'"));
        }

        @Override
        default Optional<Input> given(String operand) {
            Objects.requireNonNull(operand, "operand");
            List<Operand> operands = form().inputs();
            return IntStream.range(0, operands.size()).filter(i -> operands.get(i).name().equals(operand))
                    .mapToObj(inputs()::get).findFirst();
        }

        @Override
        default Stream<Value> parts() {
            return inputs().stream().flatMap(Input::parts);
        }

        @Override
        default List<Address> addresses() {
            return inputs().stream().flatMap(input -> input.place().stream()).toList();
        }

        @Override
        default List<Effects.Access> accesses() {
            return form().effects().accesses();
        }

        @Override
        default List<Object> names() {
            return inputs().stream().flatMap(input -> input.parameter().stream()).<Object>map(p -> p).toList();
        }

        @Override
        default List<Written> changes() {
            List<Operand> operands = form().inputs();
            return IntStream.range(0, operands.size()).filter(i -> operands.get(i).access().writes())
                    .mapToObj(i -> {
                        Input.Registers given = (Input.Registers) inputs().get(i);
                        return new Written(given.register(), given.first(), operands.get(i).count());
                    }).toList();
        }

        @Override
        default String summary() {
            return form().summary();
        }
    }

    /**
     * Issues an instruction once.
     *
     * @param inputs for the form's operands that are not results, in their order
     * @param results variables that take the form's results, in their order: 64 bits where the register has them, else
     *     32; of a predicate 0 or 1, of a float its bits. Empty where no result is wanted
     */
    record Issue(PtxInstruction form, List<Input> inputs, List<Expr.Var> results) implements Instruction {
        public Issue {
            NotNull.all("form, inputs, results", form, inputs, results);
            inputs = List.copyOf(inputs);
            results = List.copyOf(results);
            OperandCheck.check(form, inputs, results);
        }

        /** An instruction whose results, if any, are not used. */
        public Issue(PtxInstruction form, Input... inputs) {
            NotNull.all("form, inputs", form, inputs);
            this(form, List.of(inputs), List.of());
        }

        @Override
        public StepRole role() {
            return form.role();
        }

        @Override
        public List<Object> defines() {
            return List.copyOf(results);
        }
    }

    /**
     * Issues an instruction again and again until a condition on its result holds: a wait. A block that waits like this
     * for another one needs that one to be running or to have run: blocks start in order, and how many run at once is
     * the GPU's.
     *
     * @param form one with a single result
     * @param inputs for the form's operands that are not results, in their order
     */
    record Poll(PtxInstruction form, List<Input> inputs, Until until) implements Instruction {
        public Poll {
            NotNull.all("form, inputs, until", form, inputs, until);
            inputs = List.copyOf(inputs);
            until.check(form, inputs);
        }

        @Override
        public StepRole role() {
            return StepRole.WAIT;
        }

        @Override
        public Stream<Value> parts() {
            return Stream.concat(Instruction.super.parts(),
                    until instanceof Until.Holds holds ? worth(holds.condition()) : Stream.empty());
        }

        @Override
        public List<Object> defines() {
            return until instanceof Until.Holds holds ? List.of(holds.value()) : List.of();
        }
    }

    /** What ends a {@link Poll}. */
    sealed interface Until {
        /** The form's result, a predicate, is true: a test of an mbarrier finds the phase complete. */
        record Done() implements Until {
            @Override
            public void check(PtxInstruction form, List<Input> inputs) {
                NotNull.all("form, inputs", form, inputs);
                OperandCheck.check(form, inputs, List.of());
                if (form.results().size() != 1 || form.results().getFirst().kind() != Operand.Kind.PREDICATE_OUT) {
                    throw new IllegalArgumentException(form.opcode()
                            + " does not say whether something is done: only an "
                            + "instruction whose single result is a predicate can be polled like this");
                }
            }
        }

        /**
         * A condition on the form's result holds.
         *
         * @param value takes the result; it is defined in the condition and from then on
         */
        record Holds(Expr.Var value, Expr condition) implements Until {
            public Holds {
                NotNull.all("value, condition", value, condition);
                if (condition.type() != IntType.BOOL) {
                    throw new IllegalArgumentException("a poll ends when a condition holds, got an integer of type "
                            + condition.type());
                }
            }

            @Override
            public void check(PtxInstruction form, List<Input> inputs) {
                NotNull.all("form, inputs", form, inputs);
                if (form.results().size() != 1) {
                    throw new IllegalArgumentException(form.opcode() + " has " + form.results().size()
                            + " results: only an instruction with one can be polled");
                }
                OperandCheck.check(form, inputs, List.of(value));
            }
        }

        /** Refuses a form or inputs that cannot be polled for this. */
        void check(PtxInstruction form, List<Input> inputs);
    }

    private static void requireSameType(Expr.Var variable, Expr value) {
        if (variable.type() != value.type()) {
            throw new IllegalArgumentException("variable '" + variable.name() + "' has type " + variable.type()
                    + ", its value has type " + value.type());
        }
    }

    private static void requireType(Register register, Value value) {
        if (value.type() != register.type()) {
            throw new IllegalArgumentException("'" + register.name() + "' has type " + register.type()
                    + ", its value has type " + value.type() + ": convert it, with to(" + register.type().name() + ")");
        }
    }

    private static void requireAccess(ValueType type, int count) {
        long bytes = (long) type.bytes() * count;
        if (count < 1 || bytes > 16 || Long.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("one access moves 1, 2, 4, 8 or 16 bytes, got " + count + " x " + type);
        }
    }
}
