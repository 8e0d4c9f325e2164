package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.Ld;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** Collects the steps of a kernel, a loop or a guard, in order. Each method adds one step and says what it is for. */
public final class Body {
    private final List<Step> steps = new ArrayList<>();

    private Body() {
    }

    /** Runs the given code on a new body and returns its steps. */
    public static List<Step> steps(Consumer<Body> code) {
        Body body = new Body();
        code.accept(body);
        return List.copyOf(body.steps);
    }

    /** Adds any operation. */
    public void add(String purpose, Operation operation) {
        steps.add(new Step(purpose, operation));
    }

    /** Names a value and returns the name. */
    public Expr.Var let(String purpose, String name, Expr value) {
        Expr.Var variable = new Expr.Var(name, value.type());
        add(purpose, new Operation.Let(variable, value));
        return variable;
    }

    /** Counts a 32-bit variable from {@code from} to just below {@code until}. */
    public void loop(String purpose, String name, Expr from, Expr until, Expr by, LoopBody code) {
        IntType type = IntType.wider(IntType.wider(from.type(), until.type()), by.type());
        Expr.Var variable = new Expr.Var(name, type);
        add(purpose, new Operation.Loop(variable, from.as(type), until.as(type), by.as(type),
                steps(body -> code.accept(body, variable))));
    }

    /** What a loop does, given its variable. */
    @FunctionalInterface
    public interface LoopBody {
        void accept(Body body, Expr.Var variable);
    }

    /** Steps for the threads in which the condition holds. */
    public void when(String purpose, Expr condition, Consumer<Body> code) {
        add(purpose, new Operation.Guard(condition, steps(code), List.of()));
    }

    /** Steps for the threads in which the condition holds, and others for the rest. */
    public void when(String purpose, Expr condition, Consumer<Body> code, Consumer<Body> otherwise) {
        add(purpose, new Operation.Guard(condition, steps(code), steps(otherwise)));
    }

    public void syncThreads(String purpose) {
        add(purpose, new Operation.SyncThreads());
    }

    /** Loads {@code count} elements into a new fragment and returns it. */
    public Fragment load(String purpose, String name, ElementType type, int count, Address from) {
        Fragment fragment = new Fragment(name, type, count);
        add(purpose, new Operation.Load(fragment, from));
        return fragment;
    }

    public void store(String purpose, Address to, Fragment fragment) {
        add(purpose, new Operation.Store(to, fragment));
    }

    public void apply(String purpose, Fragment fragment, ElementStep step, Parameter.Scalar scalar) {
        add(purpose, new Operation.Apply(fragment, step, scalar));
    }

    public void cpAsync(String purpose, Address.Shared to, Address.Global from, int bytes, Expr sourceBytes) {
        add(purpose, new Operation.CpAsyncCopy(to, from, bytes, Optional.of(sourceBytes)));
    }

    public void cpAsync(String purpose, Address.Shared to, Address.Global from, int bytes) {
        add(purpose, new Operation.CpAsyncCopy(to, from, bytes, Optional.empty()));
    }

    public void cpAsyncCommit(String purpose) {
        add(purpose, new Operation.CpAsyncCommit());
    }

    public void cpAsyncWait(String purpose, int pending) {
        add(purpose, new Operation.CpAsyncWait(pending));
    }

    public void bulkLoad(String purpose, Address.Shared to, Address.Global from, Expr bytes, Address.Barrier barrier) {
        add(purpose, new Operation.BulkLoadCopy(to, from, bytes, barrier));
    }

    public void bulkStore(String purpose, Address.Global to, Address.Shared from, Expr bytes) {
        add(purpose, new Operation.BulkStoreCopy(to, from, bytes));
    }

    public void tensorLoad(String purpose, Address.Shared to, MapSource map, List<Expr> coordinates,
            Address.Barrier barrier) {
        add(purpose, new Operation.TensorLoadBox(to, map, coordinates, barrier));
    }

    public void tensorStore(String purpose, MapSource map, List<Expr> coordinates, Address.Shared from) {
        add(purpose, new Operation.TensorStoreBox(map, coordinates, from));
    }

    public void bulkCommit(String purpose) {
        add(purpose, new Operation.BulkCommit());
    }

    /** Waits for the thread's bulk groups to finish, all but the youngest {@code pending}. */
    public void bulkWait(String purpose, int pending) {
        add(purpose, new Operation.BulkWait(pending, false));
    }

    /** Waits until the sources of the thread's bulk groups have been read, all but the youngest {@code pending}. */
    public void bulkWaitRead(String purpose, int pending) {
        add(purpose, new Operation.BulkWait(pending, true));
    }

    public void barrierInit(String purpose, Address.Barrier barrier, int arrivals) {
        add(purpose, new Operation.BarrierInit(barrier, arrivals));
    }

    public void arrive(String purpose, Address.Barrier barrier) {
        add(purpose, new Operation.Arrive(barrier, Optional.empty()));
    }

    /** Arrives and returns the token of the phase. */
    public Token arrive(String purpose, Address.Barrier barrier, String tokenName) {
        Token token = new Token(tokenName);
        add(purpose, new Operation.Arrive(barrier, Optional.of(token)));
        return token;
    }

    public void arriveExpectTx(String purpose, Address.Barrier barrier, Expr bytes) {
        add(purpose, new Operation.ArriveExpectTx(barrier, bytes, Optional.empty()));
    }

    /** Announces bytes, arrives and returns the token of the phase. */
    public Token arriveExpectTx(String purpose, Address.Barrier barrier, Expr bytes, String tokenName) {
        Token token = new Token(tokenName);
        add(purpose, new Operation.ArriveExpectTx(barrier, bytes, Optional.of(token)));
        return token;
    }

    public void expectTx(String purpose, Address.Barrier barrier, Expr bytes) {
        add(purpose, new Operation.ExpectTx(barrier, bytes));
    }

    public void waitToken(String purpose, Address.Barrier barrier, Token token) {
        add(purpose, new Operation.WaitToken(barrier, token));
    }

    public void waitParity(String purpose, Address.Barrier barrier, Expr parity) {
        add(purpose, new Operation.WaitParity(barrier, parity));
    }

    /** Waits for a phase of this parity; what the end of the wait orders is said. */
    public void waitParity(String purpose, Address.Barrier barrier, Expr parity, WaitOrder order) {
        add(purpose, new Operation.WaitParity(barrier, parity, order));
    }

    /** Performs any instruction that has no result. */
    public void perform(String purpose, PtxInstruction form, Input... inputs) {
        add(purpose, new Operation.Perform(form, List.of(inputs), List.of()));
    }

    /** Performs any instruction with one result, and returns that. */
    public Expr.Var perform(String purpose, String resultName, PtxInstruction form, Input... inputs) {
        Operand result = form.operands().stream().filter(o -> o.kind().isOutput()).findFirst()
                .orElseThrow(() -> new IllegalArgumentException(form.opcode() + " has no result to be named '" + resultName + "'"));
        Expr.Var variable = new Expr.Var(resultName, result.kind().isWide() ? IntType.S64 : IntType.S32);
        add(purpose, new Operation.Perform(form, List.of(inputs), List.of(variable)));
        return variable;
    }

    /** Loads a value until the condition on it holds, and returns it; see {@link Operation.WaitUntil}. */
    public Expr.Var waitUntil(String purpose, String valueName, Ld form, Input from, Function<Expr.Var, Expr> condition) {
        Expr.Var value = new Expr.Var(valueName, form.operands().getFirst().kind().isWide() ? IntType.S64 : IntType.S32);
        add(purpose, new Operation.WaitUntil(form, from, value, condition.apply(value)));
        return value;
    }

    /** Every thread of every block of the cluster waits here for all others, and sees what they did before. */
    public void clusterSync(String purpose) {
        perform(purpose, new BarrierClusterArrive(BarrierClusterArrive.Order.RELEASE, true));
        perform(purpose, new BarrierClusterWait(true, true));
    }

    public void proxyFence(String purpose, FenceProxyAsync.Memory memory) {
        add(purpose, new Operation.ProxyFence(memory));
    }

    public void barrierInitFence(String purpose) {
        add(purpose, new Operation.BarrierInitFence());
    }

    /** Sets one field of a tensor map that lies in shared memory. */
    public void replaceMapField(String purpose, Address.Shared map, MapEdit edit) {
        add(purpose, new Operation.ReplaceMapField(map, edit));
    }

    /** Copies a tensor map from shared to global memory and publishes it; whole warps do this. */
    public void publishMap(String purpose, Address.Global to, Address.Shared from) {
        add(purpose, new Operation.PublishMap(to, from));
    }

    /** Lets this thread use a tensor map in global memory as it was last published. */
    public void acquireMap(String purpose, Address.Global map) {
        add(purpose, new Operation.AcquireMap(map));
    }

    /** Publishes a tensor map that this thread wrote to global memory by ordinary stores. */
    public void releaseMap(String purpose, Address.Global map) {
        add(purpose, new Operation.ReleaseMap(map));
    }

    /** Brings a tensor map near the copy engine. */
    public void prefetchMap(String purpose, MapSource map) {
        add(purpose, new Operation.PrefetchMap(map));
    }
}
