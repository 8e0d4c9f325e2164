package dev.tilewright.program;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Elements;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cache.Prefetch;
import dev.tilewright.ptx.cache.PrefetchTensormap;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * The part of {@link Body} for what a thread does by itself: instructions of any form, variables and registers, loads
 * and stores, atomic updates, polling and fences.
 */
public abstract sealed class ThreadSteps permits AsyncSteps {
    private final Body.StepList list;
    private final Optional<String> purpose;

    ThreadSteps(Body.StepList list, Optional<String> purpose) {
        this.list = list;
        this.purpose = purpose;
    }

    final Body.StepList list() {
        return list;
    }

    /** Adds any operation. */
    public void add(Operation operation) {
        Objects.requireNonNull(operation, "operation");
        addAt(operation);
    }

    /** Adds an operation. @return its place */
    int addAt(Operation operation) {
        return list.add(purpose, operation);
    }

    /** Replaces an operation that was added before. */
    void revise(int place, Operation operation) {
        list.revise(place, operation);
    }

    /** A new variable. */
    Expr.Var variable(String name, IntType type) {
        return new Expr.Var(name, type, list.nextNumber());
    }

    /** Issues any instruction, without a result that is wanted. */
    public void issue(PtxInstruction form, Input... inputs) {
        NotNull.all("form, inputs", form, inputs);
        add(new Operation.Issue(form, List.of(inputs), List.of()));
    }

    /** Issues any instruction with one result, and returns that. */
    public Expr.Var issue(String resultName, PtxInstruction form, Input... inputs) {
        NotNull.all("resultName, form, inputs", resultName, form, inputs);
        Expr.Var variable = variable(resultName, resultType(form, resultName));
        add(new Operation.Issue(form, List.of(inputs), List.of(variable)));
        return variable;
    }

    /** The address in another block that corresponds to one of this block, by {@code mapa}. */
    final Input there(String name, Address here, Expr rank) {
        return Input.of(new Body(list, Optional.empty()).issue(name, Mapa.ofShared(), Input.of(here), Input.of(rank)));
    }

    /** What an instruction of any memory takes for a place. */
    private Input place(Address at) {
        return at instanceof Address.Remote remote ? there(remote) : Input.of(at);
    }

    /** The number of a byte in another block, by {@code mapa}. */
    final Input there(Address.Remote to) {
        return there("there", to.buffer().at(to.byteOffset()), to.rank());
    }

    private static IntType resultType(PtxInstruction form, String name) {
        List<Operand> results = form.results();
        if (results.isEmpty()) {
            throw new IllegalArgumentException(form.opcode() + " has no result to be named '" + name + "'");
        }
        return results.getFirst().kind().isWide() ? IntType.S64 : IntType.S32;
    }

    /** Names a value and returns the name. */
    public Expr.Var let(String name, Expr value) {
        NotNull.all("name, value", name, value);
        Expr.Var variable = variable(name, value.type());
        add(new Operation.Let(variable, value));
        return variable;
    }

    /** Names what a value is worth now, and returns the name. */
    public Value let(String name, Value value) {
        NotNull.all("name, value", name, value);
        Register register = new Register(name, value.type(), 1, list.nextNumber());
        add(new Operation.Declare(register, Optional.of(value), true));
        return register.get();
    }

    /**
     * A variable that changes.
     *
     * @param initial what it holds at first
     */
    public Register variable(String name, Value initial) {
        NotNull.all("name, initial", name, initial);
        Register register = new Register(name, initial.type(), 1, list.nextNumber());
        add(new Operation.Declare(register, Optional.of(initial), false));
        return register;
    }

    /** An index that changes, 32 or 64 bits wide; {@code get().toIndex()} is what it is worth. */
    public Register variable(String name, Expr initial) {
        NotNull.all("name, initial", name, initial);
        return variable(name, initial.toValue());
    }

    /**
     * An index that changes, 32 bits wide.
     *
     * @param initial what it is at first
     */
    public Register variable(String name, int initial) {
        return variable(name, Expr.of(initial));
    }

    /** Declares registers that can change; each is assigned or loaded before it is used. */
    public Register registers(String name, ValueType type, int count) {
        NotNull.all("name, type", name, type);
        Register register = new Register(name, type, count, list.nextNumber());
        add(new Operation.Declare(register, Optional.empty(), false));
        return register;
    }

    /**
     * Registers that change.
     *
     * @param initial what each of them holds at first
     */
    public Register registers(String name, int count, Value initial) {
        NotNull.all("name, initial", name, initial);
        Register register = new Register(name, initial.type(), count, list.nextNumber());
        add(new Operation.Declare(register, Optional.of(initial), false));
        return register;
    }

    /**
     * Gives an element of a register another value.
     *
     * @param element as {@link Register#at} and {@code get} return it
     */
    public void assign(Value element, Value value) {
        NotNull.all("element, value", element, value);
        if (!(element instanceof Value.Element(Register register, Expr index))) {
            throw new IllegalArgumentException("only an element of a register can be assigned: register.at(index)");
        }
        add(new Operation.Assign(register, index, value));
    }

    /** Gives a variable another value. */
    public void assign(Register variable, Value value) {
        NotNull.all("variable, value", variable, value);
        assign(variable.get(), value);
    }

    /** Gives a variable the value of an index expression. */
    public void assign(Register variable, Expr value) {
        NotNull.all("variable, value", variable, value);
        assign(variable.get(), value.toValue());
    }

    /** Loads {@code count} elements into a new fragment and returns it. */
    public Fragment load(String name, ElementType type, int count, Address from) {
        NotNull.all("name, type, from", name, type, from);
        Fragment fragment = new Fragment(name, type, count, list.nextNumber());
        add(new Operation.Load(fragment, from));
        return fragment;
    }

    /** Writes the elements of a fragment by one ordinary access. */
    public void store(Address to, Fragment fragment) {
        NotNull.all("to, fragment", to, fragment);
        add(new Operation.Store(to, fragment));
    }

    /** Loads one value and names it. */
    public Value load(String name, ValueType type, Address from) {
        NotNull.all("name, type, from", name, type, from);
        Register register = registers(name, type, 1);
        load(register, from);
        return register.get();
    }

    /**
     * Loads one element and names its value.
     *
     * @param index in elements, 32 or 64 bits
     */
    public Value load(String name, Elements from, Expr index) {
        NotNull.all("name, from, index", name, from, index);
        return load(name, from.elementType(), from.at(index));
    }

    /**
     * Loads one element and names its value.
     *
     * @param index in elements
     */
    public Value load(String name, Elements from, int index) {
        return load(name, from, Expr.of(index));
    }

    /**
     * Stores one element.
     *
     * @param index in elements, 32 or 64 bits
     * @param value of the elements' type
     */
    public void store(Elements to, Expr index, Value value) {
        NotNull.all("to, index, value", to, index, value);
        if (value.type() != to.elementType()) {
            throw new IllegalArgumentException("an element is of type " + to.elementType() + ", got a value of type "
                    + value.type() + ": convert it, with to(" + to.elementType().name() + ")");
        }
        store(to.at(index), value);
    }

    /**
     * Stores one element.
     *
     * @param index in elements
     * @param value of the elements' type
     */
    public void store(Elements to, int index, Value value) {
        store(to, Expr.of(index), value);
    }

    /** Loads all elements of a register by one access, at a multiple of its size: 1, 2, 4, 8 or 16 bytes. */
    public void load(Register register, Address from) {
        NotNull.all("register, from", register, from);
        load(register, Expr.of(0), register.count(), from);
    }

    /**
     * Loads neighbouring elements of a register by one access, at a multiple of its size.
     *
     * @param count elements, altogether 1, 2, 4, 8 or 16 bytes
     */
    public void load(Register register, Expr first, int count, Address from) {
        NotNull.all("register, first, from", register, first, from);
        add(new Operation.LoadValues(register, first, count, from));
    }

    /**
     * Loads neighbouring elements of a register by one access, at a multiple of its size.
     *
     * @param count elements, altogether 1, 2, 4, 8 or 16 bytes
     */
    public void load(Register register, int first, int count, Address from) {
        load(register, Expr.of(first), count, from);
    }

    /** Stores values of one type by one access, at a multiple of its size: 1, 2, 4, 8 or 16 bytes. */
    public void store(Address to, Value... values) {
        NotNull.all("to, values", to, values);
        store(to, List.of(values));
    }

    /** Stores values of one type by one access, at a multiple of its size: 1, 2, 4, 8 or 16 bytes. */
    public void store(Address to, List<Value> values) {
        NotNull.all("to, values", to, values);
        add(new Operation.StoreValues(to, values));
    }

    /**
     * Updates a value in memory atomically; what was there is given by {@link AtomicStep#old}.
     *
     * @param op what happens to it: all but {@link AtomicOp#CAS}
     * @param to in global memory, in the block's shared memory, or, from sm_90 on, in that of another block of the
     *     cluster
     * @param value 32 or 64 bits wide, of the type of what is there
     */
    public AtomicStep atomic(AtomicOp op, Address to, Value value) {
        NotNull.all("op, to, value", op, to, value);
        if (op == AtomicOp.CAS) {
            throw new IllegalArgumentException("a compare-and-swap takes two values: use compareAndSwap");
        }
        return new AtomicStep(this, op, to, value.type(), AtomicStep.inputs(place(to), value));
    }

    /**
     * Replaces an expected value by another one, atomically, and only if it is there.
     *
     * @param to as for {@link #atomic}
     * @param expected and {@code replacement}: 32 or 64 bits wide, of the type of what is there
     */
    public AtomicStep compareAndSwap(Address to, Value expected, Value replacement) {
        NotNull.all("to, expected, replacement", to, expected, replacement);
        if (expected.type() != replacement.type()) {
            throw new IllegalArgumentException("both values of a compare-and-swap have one type, got "
                    + expected.type() + " and " + replacement.type());
        }
        Map<String, Input> inputs = AtomicStep.inputs(place(to), expected);
        inputs.put("replacement", Input.of(replacement));
        return new AtomicStep(this, AtomicOp.CAS, to, expected.type(), inputs);
    }

    /**
     * Reads a value again and again until the condition on it holds: how one block waits for another. It acquires, so
     * that what came before the releasing store that it waits for is seen, at GPU scope.
     *
     * @param type an integer of 32 or 64 bits
     * @param from in global memory, in the block's shared memory, or, from sm_90 on, in that of another block of the
     *     cluster
     */
    public WaitStep.ForValue waitUntil(String valueName, ValueType type, Address from,
            Function<Expr.Var, Expr> condition) {
        NotNull.all("valueName, type, from, condition", valueName, type, from, condition);
        if (!type.isInteger() || type.bits() < Integer.SIZE) {
            throw new IllegalArgumentException("a value that is waited for is an integer of 32 or 64 bits, got "
                    + type);
        }
        Space space = AtomicStep.space("a value that is waited for is in", from);
        Input place = place(from);
        Expr.Var value = variable(valueName, type.bits() == Long.SIZE ? IntType.S64 : IntType.S32);
        return new WaitStep.ForValue(this, type, space, place,
                new Operation.Until.Holds(value, condition.apply(value)));
    }

    /** Orders this thread's accesses before it and after it, acquiring and releasing, for the threads of a scope. */
    public void fence(Scope scope) {
        Objects.requireNonNull(scope, "scope");
        issue(new Fence(Fence.Strength.ACQ_REL, scope));
    }

    /** Orders ordinary accesses before it and asynchronous copies after it. */
    public void proxyFence(FenceProxyAsync.Memory memory) {
        Objects.requireNonNull(memory, "memory");
        issue(new FenceProxyAsync().withMemory(memory));
    }

    /** Advises that the line at an address be brought into a cache. */
    public void prefetch(Address.Global at, Prefetch.Level level) {
        NotNull.all("at, level", at, level);
        issue(new Prefetch(level).withPlace(Prefetch.Place.GLOBAL), Input.of(at));
    }

    /** Brings a tensor map near the copy engine before its first use; a map in memory must have been acquired. */
    public void prefetchMap(MapSource map) {
        Objects.requireNonNull(map, "map");
        issue(new PrefetchTensormap(), Input.of(map));
    }

    /** {@code body of 3 steps}. */
    @Override
    public String toString() {
        return "body of " + Counted.of(list.size(), "step");
    }
}
