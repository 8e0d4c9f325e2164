package dev.tilewright.reference;

import dev.tilewright.program.Address;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Fragment;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Token;
import dev.tilewright.ptx.mbarrier.ArriveOp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns the structured steps of a program into a flat list of operations with jumps. */
final class ProgramCompiler {
    private final TileProgram program;
    private final Bindings bindings;
    private final Slots slots = new Slots();
    private final ExprCompiler expressions;
    private final PlaceCompiler places;
    private final PerformCompiler performs;
    private final List<Op> ops = new ArrayList<>();
    /** The number of the step that each operation belongs to. */
    private final List<Integer> stepOf = new ArrayList<>();
    /** Told what the operations do; null where nobody is. */
    private final WatchedOps watched;
    /** The step that is being compiled, and its number. */
    private Operation current;
    private int number;
    private int steps;

    ProgramCompiler(TileProgram program, Bindings bindings, int gridBlocks) {
        this(program, bindings, gridBlocks, null);
    }

    /** @param watch told what the operations do; null for none */
    ProgramCompiler(TileProgram program, Bindings bindings, int gridBlocks, ExecutionObserver watch) {
        this.program = program;
        this.watched = watch == null ? null : new WatchedOps(watch, bindings.addresses());
        this.bindings = bindings;
        this.expressions = new ExprCompiler(slots, bindings, gridBlocks, program.clusterBlocks());
        this.places = new PlaceCompiler(program, bindings, expressions);
        this.performs = new PerformCompiler(places, expressions, slots);
    }

    CompiledProgram compile() {
        compile(program.body());
        add(new ControlOps.Exit("end of the kernel"));
        return new CompiledProgram(program.name(), program.threads(), program.clusterBlocks(), slots.count(),
                program.shared().bytes(), places.barriers(), new TraitsOf(bindings).program(program),
                ops.toArray(Op[]::new), stepOf.stream().mapToInt(n -> n).toArray());
    }

    private void compile(List<Step> body) {
        Operation outer = current;
        int outerNumber = number;
        for (Step step : body) {
            current = step.operation();
            number = ++steps;
            compile(step.purpose(), step.operation());
        }
        current = outer;
        number = outerNumber;
    }

    private void add(Op op) {
        stepOf.add(number);
        ops.add(watched == null ? op : watched.watched(op, number, current));
    }

    private void compile(String purpose, Operation operation) {
        switch (operation) {
            case Operation.Let(Expr.Var variable, Expr value) -> {
                IndexCode code = expressions.index(value);
                add(new ControlOps.Let(purpose, slots.define(variable.name(), 1), code));
            }
            case Operation.Loop loop -> compileLoop(purpose, loop);
            case Operation.Guard guard -> compileGuard(purpose, guard);
            case Operation.SyncThreads() -> add(new ControlOps.SyncThreads(purpose));
            case Operation.Load(Fragment fragment, Address from) -> {
                int slot = slots.define(fragment.name(), Math.ceilDiv(fragment.bytes(), 8));
                add(switch (from) {
                    case Address.Shared a -> new FragmentOps.LoadShared(purpose, slot, fragment.bytes(), places.place(a));
                    case Address.Global a -> new FragmentOps.LoadGlobal(purpose, slot, fragment.bytes(), places.place(a));
                    case Address.MapBytes a -> new FragmentOps.LoadGlobal(purpose, slot, fragment.bytes(),
                            places.place(a));
                    case Address.Barrier a -> throw notMemory(a);
                });
            }
            case Operation.Store(Address to, Fragment fragment) -> {
                int slot = slots.of(fragment.name());
                add(switch (to) {
                    case Address.Shared a -> new FragmentOps.StoreShared(purpose, slot, fragment.bytes(), places.place(a));
                    case Address.Global a -> new FragmentOps.StoreGlobal(purpose, slot, fragment.bytes(), places.place(a));
                    case Address.MapBytes a -> throw new IllegalArgumentException(a.map().title() + " cannot be written");
                    case Address.Barrier a -> throw notMemory(a);
                });
            }
            case Operation.Apply a -> add(new FragmentOps.Apply(purpose, slots.of(a.fragment().name()),
                    a.fragment().type(), a.fragment().count(), a.step(), bindings.scalar(a.scalar())));
            case Operation.Perform p -> performed(purpose, p).forEach(this::add);
            case Operation.Instruction instruction -> add(compile(purpose, instruction));
        }
    }

    private void compileLoop(String purpose, Operation.Loop loop) {
        IndexCode from = expressions.index(loop.from());
        IndexCode until = expressions.index(loop.until());
        IndexCode by = expressions.index(loop.by());
        int slot = slots.define(loop.variable().name(), 3);
        Label body = new Label();
        Label end = new Label();
        add(new ControlOps.LoopEnter(purpose, slot, from, until, by, end));
        body.place(ops.size());
        compile(loop.body());
        add(new ControlOps.LoopNext(purpose, slot, loop.variable().type(), body));
        end.place(ops.size());
    }

    private void compileGuard(String purpose, Operation.Guard guard) {
        Label otherwise = new Label();
        add(new ControlOps.Branch(purpose, expressions.condition(guard.condition()), otherwise));
        compile(guard.body());
        if (guard.otherwise().isEmpty()) {
            otherwise.place(ops.size());
            return;
        }
        Label end = new Label();
        add(new ControlOps.Jump(purpose, end));
        otherwise.place(ops.size());
        compile(guard.otherwise());
        end.place(ops.size());
    }

    private List<Op> performed(String purpose, Operation.Perform p) {
        try {
            return performs.compile(purpose, p);
        } catch (Fault f) {
            String opcode = p.form().opcode();
            throw new ReferenceException(f.kind(), program.name(), 0, 0, number, purpose,
                    f.getMessage().startsWith(opcode) ? f.getMessage() : opcode + ": " + f.getMessage());
        }
    }

    private Op compile(String purpose, Operation.Instruction instruction) {
        return switch (instruction) {
            case Operation.Perform _ -> throw new IllegalArgumentException("several operations");
            case Operation.WaitUntil w -> {
                AddressOperand from = places.any(w.form().operands().get(1), w.from());
                int slot = slots.define(w.value().name(), 1);
                yield new AccessOps.WaitUntil(purpose, from, w.form().type(), slot, expressions.condition(w.condition()));
            }
            case Operation.CpAsyncCopy c -> new CpAsyncOps.Copy(purpose, places.place(c.to()), places.place(c.from()), c.bytes(),
                    expressions.index(c.sourceBytes().orElse(Expr.of(c.bytes()))));
            case Operation.CpAsyncCommit _ -> new CpAsyncOps.Commit(purpose);
            case Operation.CpAsyncWait c -> new CpAsyncOps.Wait(purpose, c.pending());
            case Operation.BulkLoadCopy c -> new BulkOps.Load(
                    purpose, places.place(c.to()), places.place(c.from()), expressions.index(c.bytes()), places.place(c.barrier()));
            case Operation.BulkStoreCopy c -> new BulkOps.Store(
                    purpose, places.place(c.to()), places.place(c.from()), expressions.index(c.bytes()));
            case Operation.TensorLoadBox c -> new TensorOps.Load(
                    purpose, places.place(c.to()), places.tensor(c.map(), false), places.coordinates(c.coordinates()), places.place(c.barrier()));
            case Operation.TensorStoreBox c -> new TensorOps.Store(
                    purpose, places.tensor(c.map(), true), places.coordinates(c.coordinates()), places.place(c.from()));
            case Operation.BulkCommit _ -> new BulkOps.Commit(purpose);
            case Operation.BulkWait c -> new BulkOps.Wait(purpose, c.pending(), c.read());
            case Operation.BarrierInit c -> new BarrierOps.Init(purpose, places.place(c.barrier()),
                    new IndexCode.Constant(c.arrivals()));
            case Operation.Arrive c -> new BarrierOps.Arrive(purpose, places.place(c.barrier()), token(c.token()));
            case Operation.ArriveExpectTx c -> new BarrierOps.ArriveExpectTx(
                    purpose, ArriveOp.ARRIVE, places.place(c.barrier()), expressions.index(c.bytes()), token(c.token()));
            case Operation.ExpectTx c -> new BarrierOps.ExpectTx(
                    purpose, places.place(c.barrier()), expressions.index(c.bytes()));
            case Operation.WaitToken c -> new BarrierOps.WaitToken(
                    purpose, places.place(c.barrier()), slots.of(c.token().name()));
            case Operation.WaitParity c -> new BarrierOps.WaitParity(
                    purpose, places.place(c.barrier()), expressions.index(c.parity()));
            case Operation.ReplaceMapField c -> new MapOps.Replace(purpose, places.place(c.map()), c.form(),
                    c.edit().value().map(expressions::index).orElse(new IndexCode.Constant(0)));
            case Operation.PublishMap c -> new MapOps.Publish(purpose, places.place(c.to()), places.place(c.from()));
            case Operation.AcquireMap c -> new MapOps.Acquire(purpose, places.place(c.map()));
            case Operation.ReleaseMap c -> new MapOps.Release(purpose, places.place(c.map()));
            case Operation.PrefetchMap c -> new MapOps.Prefetch(purpose, places.tensor(c.map(), false));
            case Operation.ProxyFence _, Operation.BarrierInitFence _ -> new ControlOps.Fence(purpose);
        };
    }

    private int token(Optional<Token> token) {
        return token.map(t -> slots.define(t.name(), 1)).orElse(BarrierOps.NO_TOKEN);
    }

    private static IllegalArgumentException notMemory(Address.Barrier a) {
        return new IllegalArgumentException("barrier '" + a.barriers().name() + "' is not memory for elements");
    }
}
