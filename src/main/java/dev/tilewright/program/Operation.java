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
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.commons.lang3.Validate;

/**
 * What a step does. Every thread of the block performs every step, in order, unless a guard keeps it out.
 *
 * <p>Three kinds: structure (variables, loops, guards, procedures, the block-wide barrier), element work on fragments,
 * and PTX instructions, which have two forms for all of them: issued once ({@link Issue}), or until a condition holds
 * ({@link Poll}). What an instruction is, its record says; {@link Body} has a method for each that is used often.
 */
public sealed interface Operation {

    /** What the step does, in a few words: its purpose where none is given. */
    String summary();

    /** Whether it performs the steps within it again and again. */
    default boolean isLoop() {
        return this instanceof Loop || this instanceof While;
    }

    /** The lists of steps within this one, in the order in which they are written. */
    default List<List<Step>> bodies() {
        return List.of();
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
            body = List.copyOf(Validate.noNullElements(body, "body: element %d is null"));
            if (unrolled && (from.constant().isEmpty() || until.constant().isEmpty() || by.constant().isEmpty())) {
                throw new IllegalArgumentException("the loop over '" + variable.name()
                        + "' is unrolled: its bounds and its "
                        + "step must be constants");
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
    }

    /** Performs the body again and again, as long as the condition holds before a turn. */
    record While(Expr condition, List<Step> body) implements Operation {
        public While {
            NotNull.all("condition, body", condition, body);
            body = List.copyOf(Validate.noNullElements(body, "body: element %d is null"));
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
    }

    /** Leaves the innermost loop, whatever kind it is. */
    record Break() implements Operation {
        @Override
        public String summary() {
            return "break";
        }
    }

    /** Performs the body in the threads for which the condition holds, the other body in the rest. */
    record Guard(Expr condition, List<Step> body, List<Step> otherwise) implements Operation {
        public Guard {
            NotNull.all("condition, body, otherwise", condition, body, otherwise);
            body = List.copyOf(Validate.noNullElements(body, "body: element %d is null"));
            otherwise = List.copyOf(Validate.noNullElements(otherwise, "otherwise: element %d is null"));
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
    }

    /** Performs the steps of a procedure. */
    record Call(Procedure procedure, List<Expr> arguments) implements Operation {
        public Call {
            NotNull.all("procedure, arguments", procedure, arguments);
            arguments = List.copyOf(Validate.noNullElements(arguments, "arguments: element %d is null"));
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
    }

    /**
     * {@code __syncthreads()}: every thread of the block waits here for all others.
     *
     * @param threads of the only blocks that the steps around it are right for; 0 for any
     */
    record SyncThreads(int threads) implements Operation {
        /** In blocks of any size. */
        public SyncThreads() {
            this(0);
        }

        @Override
        public String summary() {
            return "__syncthreads";
        }
    }

    // ---- elements

    /** Reads memory by one ordinary (weak) access. */
    sealed interface Loading extends Operation {
        /** Where it reads. */
        Address from();

        /** Bytes of the access: 1, 2, 4, 8 or 16. */
        int bytes();
    }

    /** Writes memory by one ordinary (weak) access. */
    sealed interface Storing extends Operation {
        /** Where it writes. */
        Address to();

        /** Bytes of the access: 1, 2, 4, 8 or 16. */
        int bytes();
    }

    /** Reads a fragment from shared memory, global memory or a tensor map parameter, at a multiple of its size. */
    record Load(Fragment fragment, Address from) implements Loading {
        public Load {
            NotNull.all("fragment, from", fragment, from);
            requireMemory(from);
        }

        @Override
        public int bytes() {
            return fragment.bytes();
        }

        @Override
        public String summary() {
            return "load " + fragment.name();
        }
    }

    /** Writes a fragment to shared or global memory, at a multiple of its size. */
    record Store(Address to, Fragment fragment) implements Storing {
        public Store {
            NotNull.all("to, fragment", to, fragment);
            requireMemory(to);
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
    }

    // ---- values

    /** An operation on registers alone. */
    sealed interface Computation extends Operation {
    }

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
    }

    /** Gives an element of a register another value. @param index 32 bits, see {@link Register} */
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
            requireMemory(from);
        }

        @Override
        public int bytes() {
            return count * register.type().bytes();
        }

        @Override
        public String summary() {
            return "load " + register.name();
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
            values = List.copyOf(Validate.noNullElements(values, "values: element %d is null"));
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
            requireAccess(type, values.size());
            requireMemory(to);
            to.requireWritable();
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
    }

    // ---- PTX instructions

    /** An operation that is one PTX instruction. */
    sealed interface Instruction extends Operation {
        /** The instruction's form. */
        PtxInstruction form();

        /** For the form's operands that are not results, in their order. */
        List<Input> inputs();

        /**
         * What the program gives to an operand.
         *
         * @param operand the name of an operand of the form that is not a result
         */
        default Input input(String operand) {
            Objects.requireNonNull(operand, "operand");
            List<Operand> operands = form().inputs();
            for (int i = 0; i < operands.size(); i++) {
                if (operands.get(i).name().equals(operand)) {
                    return inputs().get(i);
                }
            }
            throw new IllegalArgumentException(form().opcode() + " has no operand '" + operand + "'");
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
            inputs = List.copyOf(Validate.noNullElements(inputs, "inputs: element %d is null"));
            results = List.copyOf(Validate.noNullElements(results, "results: element %d is null"));
            OperandCheck.check(form, inputs, results);
        }

        /** Without results, or with none that is wanted. */
        public Issue(PtxInstruction form, Input... inputs) {
            NotNull.all("form, inputs", form, inputs);
            Validate.noNullElements(inputs, "inputs: element %d is null");
            this(form, List.of(inputs), List.of());
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
            inputs = List.copyOf(Validate.noNullElements(inputs, "inputs: element %d is null"));
            until.check(form, inputs);
        }
    }

    /** What ends a {@link Poll}. */
    sealed interface Until {
        /** The form's result, a predicate, is true: a test of an mbarrier finds the phase complete. */
        record Done() implements Until {
            @Override
            public void check(PtxInstruction form, List<Input> inputs) {
                NotNull.all("form, inputs", form, inputs);
                Validate.noNullElements(inputs, "inputs: element %d is null");
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
                Validate.noNullElements(inputs, "inputs: element %d is null");
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

    private static void requireMemory(Address address) {
        if (address instanceof Address.Barrier b) {
            throw new IllegalArgumentException("barrier '" + b.barriers().name() + "' is not memory for elements");
        }
    }
}
