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
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Token;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cache.Prefetch;
import dev.tilewright.ptx.cache.PrefetchTensormap;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.Griddepcontrol;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkPrefetch;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitAll;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorPrefetch;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierTestWait;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierTryWait;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.ptx.tensormap.TensormapCpFenceproxy;
import dev.tilewright.ptx.warp.Setmaxnreg;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Collects the steps of a kernel, a loop or a guard, in order. Each method adds one step, which is checked at
 * once; what it returns may have further options of that step. A purpose precedes its step:
 *
 * {@snippet :
 * body.purpose("all bytes have landed").waitParity(full.at(stage), parity).order(WaitOrder.ACQUIRE_CLUSTER);
 * }
 *
 * <p>A name may be used again, also while the first of that name is visible: what is meant is what Java means, and
 * generated code tells them apart.
 */
public final class Body {
    private final StepList list;
    private final Optional<String> purpose;

    Body(StepList list, Optional<String> purpose) {
        this.list = list;
        this.purpose = purpose;
    }

    /** Runs the given code on a new body and returns its steps. */
    public static List<Step> steps(Consumer<Body> code) {
        Objects.requireNonNull(code, "code");
        return new StepList().within(code);
    }

    private List<Step> inner(Consumer<Body> code) {
        return list.within(code);
    }

    /** Gives the next step a purpose: the comment above it in generated code. */
    public Body purpose(String text) {
        Objects.requireNonNull(text, "text");
        return new Body(list, Optional.of(list.announced(text)));
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

    // ---- structure

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

    /** A variable that changes. @param initial what it holds at first */
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

    /** An index that changes, 32 bits wide. @param initial what it is at first */
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

    /** Registers that change. @param initial what each of them holds at first */
    public Register registers(String name, int count, Value initial) {
        NotNull.all("name, initial", name, initial);
        Register register = new Register(name, initial.type(), count, list.nextNumber());
        add(new Operation.Declare(register, Optional.of(initial), false));
        return register;
    }

    /** Gives an element of a register another value. @param element as {@link Register#at} and {@code get} return it */
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

    /**
     * Gives every element of a register another value.
     *
     * @param value of an element, given its index, a variable of an unrolled loop
     */
    public void assignEach(Register register, Function<Expr, Value> value) {
        NotNull.all("register, value", register, value);
        if (register.count() == 1) {
            assign(register, value.apply(Expr.of(0)));
        } else {
            unrolled(register.name() + "_element", register.count(),
                    (each, i) -> each.assign(register.at(i), value.apply(i)));
        }
    }

    /** Replaces every element of a register by a function of it: {@code update(sums, x -> x.times(scale))}. */
    public void update(Register register, UnaryOperator<Value> value) {
        NotNull.all("register, value", register, value);
        assignEach(register, i -> value.apply(register.at(i)));
    }

    /** The steps of a loop, given its variable. */
    @FunctionalInterface
    public interface LoopBody {
        /** Writes the steps of one turn. @param variable the loop's, with its value in that turn */
        void accept(Body body, Expr.Var variable);
    }

    /** Counts a variable from {@code from} to just below {@code until}, in steps of {@code by}. */
    public void loop(String name, Expr from, Expr until, Expr by, LoopBody code) {
        NotNull.all("name, from, until, by, code", name, from, until, by, code);
        IntType type = IntType.wider(IntType.wider(from.type(), until.type()), by.type());
        Expr.Var variable = variable(name, type);
        add(new Operation.Loop(variable, from.as(type), until.as(type), by.as(type),
                inner(b -> code.accept(b, variable))));
    }

    /** Counts a variable from {@code from} to just below {@code until}, in steps of a constant. */
    public void loop(String name, Expr from, Expr until, int by, LoopBody code) {
        loop(name, from, until, Expr.of(by), code);
    }

    /** Counts a variable from {@code from} to just below a constant, in steps of another. */
    public void loop(String name, Expr from, int until, int by, LoopBody code) {
        loop(name, from, Expr.of(until), Expr.of(by), code);
    }

    /** Counts a variable from a constant to just below {@code until}, in steps of another constant. */
    public void loop(String name, int from, Expr until, int by, LoopBody code) {
        loop(name, Expr.of(from), until, Expr.of(by), code);
    }

    /** Counts a variable from one constant to just below another, in steps of a third. */
    public void loop(String name, int from, int until, int by, LoopBody code) {
        loop(name, Expr.of(from), Expr.of(until), Expr.of(by), code);
    }

    /** Counts a variable from 0 to just below {@code until}. */
    public void loop(String name, Expr until, LoopBody code) {
        NotNull.all("name, until, code", name, until, code);
        loop(name, Expr.of(0), until, Expr.of(1), code);
    }

    /** Counts a variable from 0 to just below {@code until}. */
    public void loop(String name, int until, LoopBody code) {
        NotNull.all("name, code", name, code);
        loop(name, Expr.of(until), code);
    }

    /**
     * Counts a variable from 0 to just below {@code until}; generated code has each turn by itself, so that the
     * variable may choose registers.
     */
    public void unrolled(String name, int until, LoopBody code) {
        NotNull.all("name, code", name, code);
        Expr.Var variable = variable(name, IntType.S32);
        add(new Operation.Loop(variable, Expr.of(0), Expr.of(until), Expr.of(1), inner(b -> code.accept(b, variable)),
                true));
    }

    /** Steps again and again, as long as the condition holds before a turn. */
    public void repeatWhile(Expr condition, Consumer<Body> code) {
        NotNull.all("condition, code", condition, code);
        add(new Operation.While(condition, inner(code)));
    }

    /** Leaves out the rest of the innermost loop's turn: its condition, or its count, decides on another. */
    public void continueLoop() {
        add(new Operation.Continue());
    }

    /** Leaves the innermost loop. */
    public void breakLoop() {
        add(new Operation.Break());
    }

    /** Steps for the threads in which the condition holds. */
    public void when(Expr condition, Consumer<Body> code) {
        NotNull.all("condition, code", condition, code);
        add(new Operation.Guard(condition, inner(code), List.of()));
    }

    /** Steps for the threads in which the condition holds, and others for the rest. */
    public void when(Expr condition, Consumer<Body> code, Consumer<Body> otherwise) {
        NotNull.all("condition, code, otherwise", condition, code, otherwise);
        add(new Operation.Guard(condition, inner(code), inner(otherwise)));
    }

    /** Performs a procedure. @param values for its parameters, in their order */
    public void call(Procedure procedure, Expr... values) {
        NotNull.all("procedure, values", procedure, values);
        add(new Operation.Call(procedure, List.of(values)));
    }

    /** {@code __syncthreads()}. */
    public void syncThreads() {
        add(new Operation.SyncThreads());
    }

    /**
     * {@code __syncthreads()} among steps that are right for blocks of one size alone.
     *
     * @param threads of the block: a kernel with another number is refused
     */
    public void syncThreads(int threads) {
        add(new Operation.SyncThreads(threads));
    }

    // ---- warps and parts of the block

    /** Operations of all lanes of a warp together. */
    public Warp warp() {
        return warp(-1);
    }

    /** Operations of some lanes of a warp together. @param members a bit for each lane */
    public Warp warp(int members) {
        return warp(Expr.of(members));
    }

    /** Operations of some lanes of a warp together. @param members a bit for each lane, 32 bits */
    public Warp warp(Expr members) {
        Objects.requireNonNull(members, "members");
        return new Warp(this, members);
    }

    /** {@code __syncwarp()}: the threads of a warp wait for each other, and see what the others wrote before. */
    public void syncWarp() {
        warp().sync();
    }

    /** {@code __syncwarp(mask)}. @param members a bit for each lane that comes */
    public void syncWarp(int members) {
        warp(members).sync();
    }

    /**
     * A barrier for some warps of the block.
     *
     * @param id 0 to 15; 0 is also that of {@link #syncThreads}
     * @param threads how many come, those who only arrive included: a multiple of 32
     */
    public NamedBarrier namedBarrier(int id, int threads) {
        return namedBarrier(Expr.of(id), threads);
    }

    /** A barrier for some warps of the block. @param id 32 bits, 0 to 15 */
    public NamedBarrier namedBarrier(Expr id, int threads) {
        Objects.requireNonNull(id, "id");
        return new NamedBarrier(this, id, threads);
    }

    /** Gives registers back: each thread of the warpgroup keeps this many. All its warps come to it. */
    public void decreaseMaxRegisters(int registers) {
        issue(Setmaxnreg.dec(registers));
    }

    /** Takes registers that others have given back: each thread of the warpgroup has this many. All its warps come. */
    public void increaseMaxRegisters(int registers) {
        issue(Setmaxnreg.inc(registers));
    }

    /**
     * Waits until the grid before this one has ended, and sees what it wrote: a kernel that has this step may begin
     * earlier (programmatic dependent launch). What the other writes must not be touched before, nor what it reads be
     * written. {@code HazardCheck.check(first, second, memory)} checks that for two launches; a check of
     * one launch does not know of the other.
     */
    public void waitForPriorGrid() {
        issue(new Griddepcontrol(Griddepcontrol.Action.WAIT));
    }

    /** Lets the next grid begin once every block has come here or ended, if that one waits for this one. */
    public void launchDependents() {
        issue(new Griddepcontrol(Griddepcontrol.Action.LAUNCH_DEPENDENTS));
    }

    // ---- elements

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

    // ---- values in memory, by ordinary (weak) accesses

    /** Loads one value and names it. */
    public Value load(String name, ValueType type, Address from) {
        NotNull.all("name, type, from", name, type, from);
        Register register = registers(name, type, 1);
        load(register, from);
        return register.get();
    }

    /** Loads one element and names its value. @param index in elements, 32 or 64 bits */
    public Value load(String name, Elements from, Expr index) {
        NotNull.all("name, from, index", name, from, index);
        return load(name, from.elementType(), from.at(index));
    }

    /** Loads one element and names its value. @param index in elements */
    public Value load(String name, Elements from, int index) {
        return load(name, from, Expr.of(index));
    }

    /** Stores one element. @param index in elements, 32 or 64 bits @param value of the elements' type */
    public void store(Elements to, Expr index, Value value) {
        NotNull.all("to, index, value", to, index, value);
        if (value.type() != to.elementType()) {
            throw new IllegalArgumentException("an element is of type " + to.elementType() + ", got a value of type "
                    + value.type() + ": convert it, with to(" + to.elementType().name() + ")");
        }
        store(to.at(index), value);
    }

    /** Stores one element. @param index in elements @param value of the elements' type */
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

    // ---- cp.async

    /**
     * Starts a copy from global to shared memory as part of the thread's open group, past L1 where the instruction
     * allows it.
     *
     * @param bytes 4, 8 or 16, of which both addresses are multiples
     */
    public CpAsyncStep cpAsync(Address.Shared to, Address.Global from, int bytes) {
        NotNull.all("to, from", to, from);
        return new CpAsyncStep(this, CpAsync.of(bytes), named(Input.of(to), Input.of(from)));
    }

    /** Closes the thread's open group of cp.async copies. An empty group counts too. */
    public void cpAsyncCommit() {
        issue(new CpAsyncCommitGroup());
    }

    /** Waits until at most {@code pending} of the thread's closed groups have not landed. */
    public void cpAsyncWait(int pending) {
        issue(new CpAsyncWaitGroup(pending));
    }

    /** Closes the thread's open group and waits until all of its cp.async copies have landed. */
    public void cpAsyncWaitAll() {
        issue(new CpAsyncWaitAll());
    }

    // ---- bulk and tensor copies

    /** Starts a TMA copy of {@code bytes} (32 bits, a multiple of 16) that completes on an mbarrier. */
    public BulkLoadStep bulkLoad(Address.Shared to, Address.Global from, Expr bytes, Address.Barrier barrier) {
        NotNull.all("to, from, bytes, barrier", to, from, bytes, barrier);
        Map<String, Input> inputs = named(Input.of(to), Input.of(from));
        inputs.put("bytes", Input.of(bytes));
        inputs.put("mbar", Input.of(barrier));
        return new BulkLoadStep(this, new BulkLoad(), inputs);
    }

    /** Starts a TMA copy of {@code bytes}, a multiple of 16, that completes on an mbarrier. */
    public BulkLoadStep bulkLoad(Address.Shared to, Address.Global from, int bytes, Address.Barrier barrier) {
        return bulkLoad(to, from, Expr.of(bytes), barrier);
    }

    /** Starts a TMA copy of {@code bytes}, a multiple of 16, in the thread's open bulk group. */
    public BulkStoreStep bulkStore(Address.Global to, Address.Shared from, int bytes) {
        return bulkStore(to, from, Expr.of(bytes));
    }

    /** Starts a TMA copy of {@code bytes} (32 bits, a multiple of 16) in the thread's open bulk group. */
    public BulkStoreStep bulkStore(Address.Global to, Address.Shared from, Expr bytes) {
        NotNull.all("to, from, bytes", to, from, bytes);
        Map<String, Input> inputs = named(Input.of(to), Input.of(from));
        inputs.put("bytes", Input.of(bytes));
        return new BulkStoreStep(this, new BulkStore(), inputs);
    }

    /**
     * Starts a TMA copy of one box that completes on an mbarrier.
     *
     * @param coordinates 32 bits each, innermost first; they may be negative or beyond the tensor. The first, times the
     *     size of an element, must be a multiple of 16 bytes (but for interleaved maps, where it counts slices), or the
     *     hardware faults with ILLEGAL_INSTRUCTION: a constant is looked at when the program is launched
     *     ({@link Launch}), others by the reference
     */
    public TensorLoadStep tensorLoad(Address.Shared to, MapSource map, List<Expr> coordinates,
            Address.Barrier barrier) {
        NotNull.all("to, map, coordinates, barrier", to, map, coordinates, barrier);
        Map<String, Input> inputs = tensor(map, coordinates);
        inputs.put("dst", Input.of(to));
        inputs.put("mbar", Input.of(barrier));
        return new TensorLoadStep(this, new TensorLoad(map.rank()), inputs);
    }

    /**
     * Starts a TMA copy of one box to the tensor, in the thread's open bulk group.
     *
     * @param coordinates 32 bits each, innermost first, none of them negative. The first, times the size of an element,
     *     must be a multiple of 16 bytes, as for {@link #tensorLoad}, or the hardware faults
     */
    public TensorStoreStep tensorStore(MapSource map, List<Expr> coordinates, Address.Shared from) {
        NotNull.all("map, coordinates, from", map, coordinates, from);
        Map<String, Input> inputs = tensor(map, coordinates);
        inputs.put("src", Input.of(from));
        return new TensorStoreStep(this, new TensorStore(map.rank()), inputs);
    }

    /**
     * Starts a TMA reduction of {@code bytes} into global memory, in the thread's open bulk group: each element is
     * updated atomically by itself.
     *
     * @param bytes 32 bits, a multiple of 16
     * @param type of the elements, one that {@link BulkReduce} has the operation on
     */
    public CacheHintStep<BulkReduce> bulkReduce(AtomicOp op, DataType type, Address.Global to, Address.Shared from,
            Expr bytes) {
        NotNull.all("op, type, to, from, bytes", op, type, to, from, bytes);
        Map<String, Input> inputs = named(Input.of(to), Input.of(from));
        inputs.put("bytes", Input.of(bytes));
        return new CacheHintStep<>(this, new BulkReduce(op, type), BulkReduce::withCacheHint, inputs);
    }

    /** Starts a TMA reduction of {@code bytes}, a multiple of 16, into global memory, in the thread's bulk group. */
    public CacheHintStep<BulkReduce> bulkReduce(AtomicOp op, DataType type, Address.Global to, Address.Shared from,
            int bytes) {
        return bulkReduce(op, type, to, from, Expr.of(bytes));
    }

    /** Advises that {@code bytes} (32 bits, a multiple of 16) be brought into L2. */
    public CacheHintStep<BulkPrefetch> bulkPrefetch(Address.Global from, Expr bytes) {
        NotNull.all("from, bytes", from, bytes);
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("src", Input.of(from));
        inputs.put("bytes", Input.of(bytes));
        return new CacheHintStep<>(this, new BulkPrefetch(), BulkPrefetch::withCacheHint, inputs);
    }

    /** Advises that {@code bytes}, a multiple of 16, be brought into L2. */
    public CacheHintStep<BulkPrefetch> bulkPrefetch(Address.Global from, int bytes) {
        return bulkPrefetch(from, Expr.of(bytes));
    }

    /**
     * Starts a TMA reduction of one box into the tensor, in the thread's open bulk group: each element is updated
     * atomically by itself.
     *
     * @param coordinates as for {@link #tensorStore}
     */
    public TensorReduceStep tensorReduce(AtomicOp op, MapSource map, List<Expr> coordinates, Address.Shared from) {
        NotNull.all("op, map, coordinates, from", op, map, coordinates, from);
        Map<String, Input> inputs = tensor(map, coordinates);
        inputs.put("src", Input.of(from));
        return new TensorReduceStep(this, new TensorReduce(map.rank(), op), inputs);
    }

    /** Advises that one box of a tensor be brought into L2. @param coordinates as for {@link #tensorLoad} */
    public TensorPrefetchStep tensorPrefetch(MapSource map, List<Expr> coordinates) {
        NotNull.all("map, coordinates", map, coordinates);
        return new TensorPrefetchStep(this, new TensorPrefetch(map.rank()), tensor(map, coordinates));
    }

    /** Advises that the line at an address be brought into a cache. */
    public void prefetch(Address.Global at, Prefetch.Level level) {
        NotNull.all("at, level", at, level);
        issue(new Prefetch(level).withPlace(Prefetch.Place.GLOBAL), Input.of(at));
    }

    private static Map<String, Input> named(Input to, Input from) {
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("dst", to);
        inputs.put("src", from);
        return inputs;
    }

    private static Map<String, Input> tensor(MapSource map, List<Expr> coordinates) {
        if (coordinates.size() != map.rank()) {
            throw new IllegalArgumentException(map.title() + " of rank " + map.rank() + " takes "
                    + map.rank() + " coordinates, got " + coordinates.size());
        }
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("map", Input.of(map));
        for (int d = 0; d < coordinates.size(); d++) {
            inputs.put("c" + d, Input.of(coordinates.get(d)));
        }
        return inputs;
    }

    /** Closes the thread's open group of bulk copies. */
    public void bulkCommit() {
        issue(new BulkCommitGroup());
    }

    /** Waits for the thread's bulk groups to finish, all but the youngest {@code pending}. */
    public void bulkWait(int pending) {
        issue(new BulkWaitGroup(pending));
    }

    /** Waits until the sources of the thread's bulk groups have been read, all but the youngest {@code pending}. */
    public void bulkWaitRead(int pending) {
        issue(new BulkWaitGroup(pending).withRead());
    }

    // ---- mbarriers

    /** Initialises a barrier whose phases each take {@code arrivals} arrivals (1 to 2^20 - 1). */
    public void barrierInit(Address.Barrier barrier, int arrivals) {
        Objects.requireNonNull(barrier, "barrier");
        barrierInit(barrier, Expr.of(arrivals));
    }

    /** Initialises a barrier whose phases each take {@code arrivals} arrivals (32 bits, 1 to 2^20 - 1). */
    public void barrierInit(Address.Barrier barrier, Expr arrivals) {
        NotNull.all("barrier, arrivals", barrier, arrivals);
        arrivals.constant().ifPresent(n -> {
            if (n < 1 || n >= 1 << 20) {
                throw new IllegalArgumentException("arrivals must be in [1, 1048575], got " + n);
            }
        });
        issue(new MbarrierInit(), Input.of(barrier), Input.of(arrivals));
    }

    /** Makes freshly initialised barriers known to the asynchronous proxy. */
    public void barrierInitFence() {
        issue(new FenceMbarrierInit());
    }

    /** Arrives once. */
    public ArriveStep arrive(Address.Barrier barrier) {
        Objects.requireNonNull(barrier, "barrier");
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", Input.of(barrier));
        return new ArriveStep(this, new MbarrierArrive(), inputs);
    }

    /**
     * Arrives once at a barrier of another block of the cluster, releasing at cluster scope.
     *
     * @param barrier as this block has it @param rank of the other block, 32 bits
     */
    public ArriveStep arriveRemote(Address.Barrier barrier, Expr rank) {
        NotNull.all("barrier, rank", barrier, rank);
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", there("barrier_there", Input.of(barrier), rank));
        return new ArriveStep(this, new MbarrierArrive().withSpace(Space.SHARED_CLUSTER)
                .withOrder(ArriveOrder.RELEASE_CLUSTER), inputs);
    }

    /**
     * Stores a value into the shared memory of a block of the cluster ({@code st.async}); a barrier of that block
     * counts its bytes.
     *
     * @param to where, and {@code barrier}: as this block has them @param rank of the other block, 32 bits
     * @param value 32 or 64 bits wide
     */
    public void storeAsync(Address.Shared to, Address.Barrier barrier, Expr rank, Value value) {
        NotNull.all("to, barrier, rank, value", to, barrier, rank, value);
        Input place = there("there", Input.of(to), rank);
        issue(new StAsync(value.type().bits() == Long.SIZE ? DataType.B64 : DataType.B32), place, Input.of(value),
                there("barrier_there", Input.of(barrier), rank));
    }

    /** The address in another block that corresponds to one of this block, by {@code mapa}. */
    private Input there(String name, Input here, Expr rank) {
        return Input.of(new Body(list, Optional.empty()).issue(name, Mapa.ofShared(), here,
                Input.of(rank)));
    }

    /** Announces {@code bytes} (32 bits) for the current phase and arrives once. */
    public ArriveExpectTxStep arriveExpectTx(Address.Barrier barrier, Expr bytes) {
        NotNull.all("barrier, bytes", barrier, bytes);
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", Input.of(barrier));
        inputs.put("bytes", Input.of(bytes));
        return new ArriveExpectTxStep(this, new MbarrierArriveExpectTx(), inputs);
    }

    /** Announces {@code bytes} for the current phase and arrives once. */
    public ArriveExpectTxStep arriveExpectTx(Address.Barrier barrier, int bytes) {
        return arriveExpectTx(barrier, Expr.of(bytes));
    }

    /** Announces {@code bytes} for the current phase without arriving. */
    public void expectTx(Address.Barrier barrier, int bytes) {
        expectTx(barrier, Expr.of(bytes));
    }

    /** Announces {@code bytes} (32 bits) for the current phase without arriving. */
    public void expectTx(Address.Barrier barrier, Expr bytes) {
        NotNull.all("barrier, bytes", barrier, bytes);
        issue(new MbarrierExpectTx(), Input.of(barrier), Input.of(bytes));
    }

    /** Waits until the phase that the token names has completed. Acquires at CTA scope. */
    public WaitStep waitToken(Address.Barrier barrier, Token token) {
        NotNull.all("barrier, token", barrier, token);
        return new WaitStep(this, order -> new MbarrierTryWait().withOrder(order),
                order -> new MbarrierTestWait().withOrder(order),
                List.of(Input.of(barrier), Input.of(token.value())));
    }

    /** Waits until the phase of this parity (32 bits, 0 or 1) has completed. Acquires at CTA scope. */
    public WaitStep waitParity(Address.Barrier barrier, Expr parity) {
        NotNull.all("barrier, parity", barrier, parity);
        return new WaitStep(this, order -> new MbarrierTryWaitParity().withOrder(order),
                order -> new MbarrierTestWaitParity().withOrder(order),
                List.of(Input.of(barrier), Input.of(parity)));
    }

    /** Waits until the phase of this parity, 0 or 1, has completed. Acquires at CTA scope. */
    public WaitStep waitParity(Address.Barrier barrier, int parity) {
        return waitParity(barrier, Expr.of(parity));
    }

    /** Waits for a while until the phase that the token names has completed, and says whether it has. Needs sm_90. */
    public TryWaitStep tryWaitToken(Address.Barrier barrier, Token token) {
        NotNull.all("barrier, token", barrier, token);
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", Input.of(barrier));
        inputs.put("token", Input.of(token.value()));
        return new TryWaitStep(this, order -> new MbarrierTryWait().withOrder(order),
                order -> new MbarrierTryWait().withOrder(order).withTimeLimit(), inputs);
    }

    /**
     * Waits for a while until the phase of this parity has completed, and says whether it has. Needs sm_90.
     *
     * @param parity 32 bits, 0 or 1
     */
    public TryWaitStep tryWaitParity(Address.Barrier barrier, Expr parity) {
        NotNull.all("barrier, parity", barrier, parity);
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", Input.of(barrier));
        inputs.put("parity", Input.of(parity));
        return new TryWaitStep(this, order -> new MbarrierTryWaitParity().withOrder(order),
                order -> new MbarrierTryWaitParity().withOrder(order).withTimeLimit(), inputs);
    }

    /** Waits for a while until the phase of this parity, 0 or 1, has completed, and says whether it has. */
    public TryWaitStep tryWaitParity(Address.Barrier barrier, int parity) {
        return tryWaitParity(barrier, Expr.of(parity));
    }

    // ---- atomic updates

    /**
     * Updates a value in memory atomically; what was there is given by {@link AtomicStep#old}.
     *
     * @param op what happens to it: all but {@link AtomicOp#CAS}
     * @param value 32 or 64 bits wide, of the type of what is there
     */
    public AtomicStep atomic(AtomicOp op, Address to, Value value) {
        NotNull.all("op, to, value", op, to, value);
        if (op == AtomicOp.CAS) {
            throw new IllegalArgumentException("a compare-and-swap takes two values: use compareAndSwap");
        }
        return new AtomicStep(this, op, to, value.type(), AtomicStep.inputs(to, value));
    }

    /**
     * Replaces an expected value by another one, atomically, and only if it is there.
     *
     * @param expected and {@code replacement}: 32 or 64 bits wide, of the type of what is there
     */
    public AtomicStep compareAndSwap(Address to, Value expected, Value replacement) {
        NotNull.all("to, expected, replacement", to, expected, replacement);
        if (expected.type() != replacement.type()) {
            throw new IllegalArgumentException("both values of a compare-and-swap have one type, got "
                    + expected.type() + " and " + replacement.type());
        }
        Map<String, Input> inputs = AtomicStep.inputs(to, expected);
        inputs.put("replacement", Input.of(replacement));
        return new AtomicStep(this, AtomicOp.CAS, to, expected.type(), inputs);
    }

    // ---- values, fences, clusters

    /**
     * Reads a value again and again until the condition on it holds, and returns it: how one block waits for another.
     *
     * @param form a load or an update, 32 or 64 bits wide; one that acquires shows what came before the store it waits
     *     for
     */
    public Expr.Var waitUntil(String valueName, ScopedAccess form, Input from, Function<Expr.Var, Expr> condition) {
        NotNull.all("valueName, form, from, condition", valueName, form, from, condition);
        Expr.Var value = variable(valueName, resultType(form, valueName));
        add(new Operation.Poll(form, List.of(from), new Operation.Until.Holds(value, condition.apply(value))));
        return value;
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

    /** Every thread of every block of the cluster waits here for all others, and sees what they did before. */
    public void clusterSync() {
        issue(new BarrierClusterArrive().withOrder(BarrierClusterArrive.Order.RELEASE).withAligned());
        issue(new BarrierClusterWait().withAcquire().withAligned());
    }

    // ---- tensor maps that the kernel changes

    /** Sets one field of a tensor map in shared memory, at an address that is a multiple of 128. */
    public void replaceMapField(Address.Shared map, MapEdit edit) {
        NotNull.all("map, edit", map, edit);
        List<Input> inputs = new ArrayList<>(List.of(Input.of(map)));
        edit.value().ifPresent(value -> inputs.add(Input.of(value)));
        add(new Operation.Issue(edit.form(), inputs, List.of()));
    }

    /**
     * Copies the 128 bytes of a tensor map from shared to global memory, both at multiples of 128, and publishes it: a
     * thread that acquires it afterwards may use it. All threads of a warp perform this together.
     */
    public void publishMap(Address.Global to, Address.Shared from) {
        NotNull.all("to, from", to, from);
        issue(new TensormapCpFenceproxy(), Input.of(to), Input.of(from));
    }

    /** Lets this thread's later tensor copies use a map in global memory as it was last published. */
    public void acquireMap(Address.Global map) {
        Objects.requireNonNull(map, "map");
        issue(new FenceProxyTensormapAcquire(), Input.of(map));
    }

    /** Publishes the tensor maps that this thread wrote to global memory by ordinary stores. */
    public void releaseMaps() {
        issue(new FenceProxyTensormapRelease());
    }

    /** Brings a tensor map near the copy engine before its first use; a map in memory must have been acquired. */
    public void prefetchMap(MapSource map) {
        Objects.requireNonNull(map, "map");
        issue(new PrefetchTensormap(), Input.of(map));
    }

    // ---- any instruction

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

    private static IntType resultType(PtxInstruction form, String name) {
        List<Operand> results = form.results();
        if (results.isEmpty()) {
            throw new IllegalArgumentException(form.opcode() + " has no result to be named '" + name + "'");
        }
        return results.getFirst().kind().isWide() ? IntType.S64 : IntType.S32;
    }

    /** {@code body of 3 steps}. */
    @Override
    public String toString() {
        return "body of " + Counted.of(list.size(), "step");
    }
}
