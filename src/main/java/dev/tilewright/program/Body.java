package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.cache.PrefetchTensormap;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.Griddepcontrol;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceMbarrierInit;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
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
    private final Collection collection;
    private final Numbering numbering;
    private final Optional<String> purpose;

    /** Counts the names that a kernel, or a procedure, gives. */
    private static final class Numbering {
        private int last;
    }

    /** The steps so far, and the purposes that were given and are of no step yet. */
    private static final class Collection {
        private final List<Step> steps = new ArrayList<>();
        private final List<String> waiting = new ArrayList<>();
    }

    private Body(Collection collection, Numbering numbering, Optional<String> purpose) {
        this.collection = collection;
        this.numbering = numbering;
        this.purpose = purpose;
    }

    /** Runs the given code on a new body and returns its steps. */
    public static List<Step> steps(Consumer<Body> code) {
        Objects.requireNonNull(code, "code");
        return collect(new Numbering(), code);
    }

    private static List<Step> collect(Numbering numbering, Consumer<Body> code) {
        Collection collection = new Collection();
        code.accept(new Body(collection, numbering, Optional.empty()));
        if (!collection.waiting.isEmpty()) {
            throw new IllegalArgumentException("no step follows the purpose '" + collection.waiting.getFirst() + "'");
        }
        return List.copyOf(collection.steps);
    }

    private List<Step> inner(Consumer<Body> code) {
        return collect(numbering, code);
    }

    /** The same body for one step, whose purpose this is: the comment above it in generated code. */
    public Body purpose(String text) {
        Objects.requireNonNull(text, "text");
        Step.requireOneLine("a step's purpose", text);
        collection.waiting.add(text);
        return new Body(collection, numbering, Optional.of(text));
    }

    /** Adds any operation. */
    public void add(Operation operation) {
        Objects.requireNonNull(operation, "operation");
        addAt(operation);
    }

    /** Adds an operation. @return its place */
    int addAt(Operation operation) {
        purpose.ifPresent(collection.waiting::remove);
        collection.steps.add(new Step(purpose, operation, JavaLine.ofCaller()));
        return collection.steps.size() - 1;
    }

    /** Puts another operation in the place of one that was added before. */
    void revise(int place, Operation operation) {
        collection.steps.set(place, collection.steps.get(place).with(operation));
    }

    /** A new variable. */
    Expr.Var variable(String name, IntType type) {
        return new Expr.Var(name, type, ++numbering.last);
    }

    // ---- structure

    /** Names a value and returns the name. */
    public Expr.Var let(String name, Expr value) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
        Expr.Var variable = variable(name, value.type());
        add(new Operation.Let(variable, value));
        return variable;
    }

    /** Names what a value is worth now, and returns the name. */
    public Value let(String name, Value value) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(value, "value");
        Register register = new Register(name, value.type(), 1, ++numbering.last);
        add(new Operation.Declare(register, Optional.of(value), true));
        return register.get();
    }

    /** A variable that changes. @param initial what it holds at first */
    public Register variable(String name, Value initial) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(initial, "initial");
        Register register = new Register(name, initial.type(), 1, ++numbering.last);
        add(new Operation.Declare(register, Optional.of(initial), false));
        return register;
    }

    /** An index that changes, 32 or 64 bits wide; {@code get().toIndex()} is what it is worth. */
    public Register variable(String name, Expr initial) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(initial, "initial");
        return variable(name, initial.toValue());
    }

    /** Registers that change, each of which is assigned or loaded before it is used. */
    public Register registers(String name, ValueType type, int count) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Register register = new Register(name, type, count, ++numbering.last);
        add(new Operation.Declare(register, Optional.empty(), false));
        return register;
    }

    /** Registers that change. @param initial what each of them holds at first */
    public Register registers(String name, int count, Value initial) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(initial, "initial");
        Register register = new Register(name, initial.type(), count, ++numbering.last);
        add(new Operation.Declare(register, Optional.of(initial), false));
        return register;
    }

    /** Gives an element of a register another value. @param element as {@link Register#at} and {@code get} return it */
    public void assign(Value element, Value value) {
        Objects.requireNonNull(element, "element");
        Objects.requireNonNull(value, "value");
        if (!(element instanceof Value.Element(Register register, Expr index))) {
            throw new IllegalArgumentException("only an element of a register can be assigned: register.at(index)");
        }
        add(new Operation.Assign(register, index, value));
    }

    /** Gives a variable another value. */
    public void assign(Register variable, Value value) {
        Objects.requireNonNull(variable, "variable");
        Objects.requireNonNull(value, "value");
        assign(variable.get(), value);
    }

    /** Gives a variable the value of an index expression. */
    public void assign(Register variable, Expr value) {
        Objects.requireNonNull(variable, "variable");
        Objects.requireNonNull(value, "value");
        assign(variable.get(), value.toValue());
    }

    /** What a loop does, given its variable. */
    @FunctionalInterface
    public interface LoopBody {
        /** Writes the steps of one turn. @param variable the loop's, with its value in that turn */
        void accept(Body body, Expr.Var variable);
    }

    /** Counts a variable from {@code from} to just below {@code until}, in steps of {@code by}. */
    public void loop(String name, Expr from, Expr until, Expr by, LoopBody code) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(until, "until");
        Objects.requireNonNull(by, "by");
        Objects.requireNonNull(code, "code");
        IntType type = IntType.wider(IntType.wider(from.type(), until.type()), by.type());
        Expr.Var variable = variable(name, type);
        add(new Operation.Loop(variable, from.as(type), until.as(type), by.as(type),
                inner(b -> code.accept(b, variable))));
    }

    /** Counts a variable from 0 to just below {@code until}. */
    public void loop(String name, Expr until, LoopBody code) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(until, "until");
        Objects.requireNonNull(code, "code");
        loop(name, Expr.of(0), until, Expr.of(1), code);
    }

    /** Counts a variable from 0 to just below {@code until}. */
    public void loop(String name, int until, LoopBody code) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(code, "code");
        loop(name, Expr.of(until), code);
    }

    /**
     * Counts a variable from 0 to just below {@code until}; generated code has each turn by itself, so that the variable
     * may choose registers.
     */
    public void unrolled(String name, int until, LoopBody code) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(code, "code");
        Expr.Var variable = variable(name, IntType.S32);
        add(new Operation.Loop(variable, Expr.of(0), Expr.of(until), Expr.of(1), inner(b -> code.accept(b, variable)),
                true));
    }

    /** Steps again and again, as long as the condition holds before a turn. */
    public void repeatWhile(Expr condition, Consumer<Body> code) {
        Objects.requireNonNull(condition, "condition");
        Objects.requireNonNull(code, "code");
        add(new Operation.While(condition, inner(code)));
    }

    /** Leaves the innermost loop. */
    public void breakLoop() {
        add(new Operation.Break());
    }

    /** Steps for the threads in which the condition holds. */
    public void when(Expr condition, Consumer<Body> code) {
        Objects.requireNonNull(condition, "condition");
        Objects.requireNonNull(code, "code");
        add(new Operation.Guard(condition, inner(code), List.of()));
    }

    /** Steps for the threads in which the condition holds, and others for the rest. */
    public void when(Expr condition, Consumer<Body> code, Consumer<Body> otherwise) {
        Objects.requireNonNull(condition, "condition");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(otherwise, "otherwise");
        add(new Operation.Guard(condition, inner(code), inner(otherwise)));
    }

    /** Performs a procedure. @param values for its parameters, in their order */
    public void call(Procedure procedure, Expr... values) {
        Objects.requireNonNull(procedure, "procedure");
        Objects.requireNonNull(values, "values");
        add(new Operation.Call(procedure, List.of(values)));
    }

    /** {@code __syncthreads()}. */
    public void syncThreads() {
        add(new Operation.SyncThreads());
    }

    // ---- warps and parts of the block

    /** What all lanes of a warp do together. */
    public Warp warp() {
        return warp(-1);
    }

    /** What some lanes of a warp do together. @param members a bit for each lane */
    public Warp warp(int members) {
        return warp(Expr.of(members));
    }

    /** What some lanes of a warp do together. @param members a bit for each lane, 32 bits */
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
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(from, "from");
        Fragment fragment = new Fragment(name, type, count, ++numbering.last);
        add(new Operation.Load(fragment, from));
        return fragment;
    }

    /** Writes the elements of a fragment by one ordinary access. */
    public void store(Address to, Fragment fragment) {
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(fragment, "fragment");
        add(new Operation.Store(to, fragment));
    }

    // ---- values in memory, by ordinary (weak) accesses

    /** Loads one value and names it. */
    public Value load(String name, ValueType type, Address from) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(from, "from");
        Register register = registers(name, type, 1);
        load(register, from);
        return register.get();
    }

    /** Loads all elements of a register by one access, at a multiple of its size: 1, 2, 4, 8 or 16 bytes. */
    public void load(Register register, Address from) {
        Objects.requireNonNull(register, "register");
        Objects.requireNonNull(from, "from");
        load(register, Expr.of(0), register.count(), from);
    }

    /**
     * Loads neighbouring elements of a register by one access, at a multiple of its size.
     *
     * @param count elements, altogether 1, 2, 4, 8 or 16 bytes
     */
    public void load(Register register, Expr first, int count, Address from) {
        Objects.requireNonNull(register, "register");
        Objects.requireNonNull(first, "first");
        Objects.requireNonNull(from, "from");
        add(new Operation.LoadValues(register, first, count, from));
    }

    /** Stores values of one type by one access, at a multiple of its size: 1, 2, 4, 8 or 16 bytes. */
    public void store(Address to, Value... values) {
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(values, "values");
        store(to, List.of(values));
    }

    /** Stores values of one type by one access, at a multiple of its size: 1, 2, 4, 8 or 16 bytes. */
    public void store(Address to, List<Value> values) {
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(values, "values");
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
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(from, "from");
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

    // ---- bulk and tensor copies

    /** Starts a TMA copy of {@code bytes} (32 bits, a multiple of 16) that completes on an mbarrier. */
    public BulkLoadStep bulkLoad(Address.Shared to, Address.Global from, Expr bytes, Address.Barrier barrier) {
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(bytes, "bytes");
        Objects.requireNonNull(barrier, "barrier");
        Map<String, Input> inputs = named(Input.of(to), Input.of(from));
        inputs.put("bytes", Input.of(bytes));
        inputs.put("mbar", Input.of(barrier));
        return new BulkLoadStep(this, new BulkLoad(), inputs);
    }

    /** Starts a TMA copy of {@code bytes} (32 bits, a multiple of 16) in the thread's open bulk group. */
    public BulkStoreStep bulkStore(Address.Global to, Address.Shared from, Expr bytes) {
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(bytes, "bytes");
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
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(map, "map");
        Objects.requireNonNull(coordinates, "coordinates");
        Objects.requireNonNull(barrier, "barrier");
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
        Objects.requireNonNull(map, "map");
        Objects.requireNonNull(coordinates, "coordinates");
        Objects.requireNonNull(from, "from");
        Map<String, Input> inputs = tensor(map, coordinates);
        inputs.put("src", Input.of(from));
        return new TensorStoreStep(this, new TensorStore(map.rank()), inputs);
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
        Objects.requireNonNull(barrier, "barrier");
        Objects.requireNonNull(arrivals, "arrivals");
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

    /** Announces {@code bytes} (32 bits) for the current phase and arrives once. */
    public ArriveExpectTxStep arriveExpectTx(Address.Barrier barrier, Expr bytes) {
        Objects.requireNonNull(barrier, "barrier");
        Objects.requireNonNull(bytes, "bytes");
        Map<String, Input> inputs = new LinkedHashMap<>();
        inputs.put("mbar", Input.of(barrier));
        inputs.put("bytes", Input.of(bytes));
        return new ArriveExpectTxStep(this, new MbarrierArriveExpectTx(), inputs);
    }

    /** Announces {@code bytes} (32 bits) for the current phase without arriving. */
    public void expectTx(Address.Barrier barrier, Expr bytes) {
        Objects.requireNonNull(barrier, "barrier");
        Objects.requireNonNull(bytes, "bytes");
        issue(new MbarrierExpectTx(), Input.of(barrier), Input.of(bytes));
    }

    /** Waits until the phase that the token names has completed. Acquires at CTA scope. */
    public WaitStep waitToken(Address.Barrier barrier, Token token) {
        Objects.requireNonNull(barrier, "barrier");
        Objects.requireNonNull(token, "token");
        return new WaitStep(this, order -> new MbarrierTryWait().withOrder(order),
                order -> new MbarrierTestWait().withOrder(order),
                List.of(Input.of(barrier), Input.of(token.value())));
    }

    /** Waits until the phase of this parity (32 bits, 0 or 1) has completed. Acquires at CTA scope. */
    public WaitStep waitParity(Address.Barrier barrier, Expr parity) {
        Objects.requireNonNull(barrier, "barrier");
        Objects.requireNonNull(parity, "parity");
        return new WaitStep(this, order -> new MbarrierTryWaitParity().withOrder(order),
                order -> new MbarrierTestWaitParity().withOrder(order),
                List.of(Input.of(barrier), Input.of(parity)));
    }

    // ---- values, fences, clusters

    /**
     * Reads a value again and again until the condition on it holds, and returns it: how one block waits for another.
     *
     * @param form a load or an update, 32 or 64 bits wide; one that acquires shows what came before the store it waits
     *     for
     */
    public Expr.Var waitUntil(String valueName, ScopedAccess form, Input from, Function<Expr.Var, Expr> condition) {
        Objects.requireNonNull(valueName, "valueName");
        Objects.requireNonNull(form, "form");
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(condition, "condition");
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
        Objects.requireNonNull(map, "map");
        Objects.requireNonNull(edit, "edit");
        List<Input> inputs = new ArrayList<>(List.of(Input.of(map)));
        edit.value().ifPresent(value -> inputs.add(Input.of(value)));
        add(new Operation.Issue(edit.form(), inputs, List.of()));
    }

    /**
     * Copies the 128 bytes of a tensor map from shared to global memory, both at multiples of 128, and publishes it: a
     * thread that acquires it afterwards may use it. All threads of a warp perform this together.
     */
    public void publishMap(Address.Global to, Address.Shared from) {
        Objects.requireNonNull(to, "to");
        Objects.requireNonNull(from, "from");
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
        Objects.requireNonNull(form, "form");
        Objects.requireNonNull(inputs, "inputs");
        add(new Operation.Issue(form, List.of(inputs), List.of()));
    }

    /** Issues any instruction with one result, and returns that. */
    public Expr.Var issue(String resultName, PtxInstruction form, Input... inputs) {
        Objects.requireNonNull(resultName, "resultName");
        Objects.requireNonNull(form, "form");
        Objects.requireNonNull(inputs, "inputs");
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
        return "body of " + collection.steps.size() + " steps";
    }
}
