package dev.tilewright.reference;

import dev.tilewright.program.Address;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Fragment;
import dev.tilewright.program.MapSource;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Token;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Turns the structured steps of a program into a flat list of operations with jumps. */
final class ProgramCompiler {
    private final TileProgram program;
    private final Bindings bindings;
    private final Slots slots = new Slots();
    private final ExprCompiler expressions;
    private final Map<String, Integer> regionStart;
    private final Map<String, Integer> firstBarrier = new HashMap<>();
    private final List<String> barrierNames = new ArrayList<>();
    private final List<Op> ops = new ArrayList<>();

    ProgramCompiler(TileProgram program, Bindings bindings, int gridBlocks) {
        this.program = program;
        this.bindings = bindings;
        this.expressions = new ExprCompiler(slots, bindings, gridBlocks);
        this.regionStart = program.shared().offsets();
        for (SharedRegion region : program.shared().regions()) {
            if (region instanceof SharedRegion.Barriers(String name, int count)) {
                firstBarrier.put(name, barrierNames.size());
                for (int i = 0; i < count; i++) {
                    barrierNames.add(name + "[" + i + "]");
                }
            }
        }
    }

    CompiledProgram compile() {
        compile(program.body());
        ops.add(new ControlOps.Exit("end of the kernel"));
        return new CompiledProgram(program.name(), program.threads(), slots.count(), program.shared().bytes(),
                List.copyOf(barrierNames), ops.toArray(Op[]::new));
    }

    private void compile(List<Step> steps) {
        for (Step step : steps) {
            compile(step.purpose(), step.operation());
        }
    }

    private void compile(String purpose, Operation operation) {
        switch (operation) {
            case Operation.Let(Expr.Var variable, Expr value) -> {
                IndexCode code = expressions.index(value);
                ops.add(new ControlOps.Let(purpose, slots.define(variable.name(), 1), code));
            }
            case Operation.Loop loop -> compileLoop(purpose, loop);
            case Operation.Guard guard -> compileGuard(purpose, guard);
            case Operation.SyncThreads() -> ops.add(new ControlOps.SyncThreads(purpose));
            case Operation.Load(Fragment fragment, Address from) -> {
                int slot = slots.define(fragment.name(), Math.ceilDiv(fragment.bytes(), 8));
                ops.add(switch (from) {
                    case Address.Shared a -> new FragmentOps.LoadShared(purpose, slot, fragment.bytes(), place(a));
                    case Address.Global a -> new FragmentOps.LoadGlobal(purpose, slot, fragment.bytes(), place(a));
                    case Address.MapBytes a -> new FragmentOps.LoadGlobal(purpose, slot, fragment.bytes(),
                            new GlobalPlace(bindings.mapBytes(a.map()), expressions.index(a.byteOffset())));
                    case Address.Barrier a -> throw notMemory(a);
                });
            }
            case Operation.Store(Address to, Fragment fragment) -> {
                int slot = slots.of(fragment.name());
                ops.add(switch (to) {
                    case Address.Shared a -> new FragmentOps.StoreShared(purpose, slot, fragment.bytes(), place(a));
                    case Address.Global a -> new FragmentOps.StoreGlobal(purpose, slot, fragment.bytes(), place(a));
                    case Address.MapBytes a -> throw new IllegalArgumentException(a.map().title() + " cannot be written");
                    case Address.Barrier a -> throw notMemory(a);
                });
            }
            case Operation.Apply a -> ops.add(new FragmentOps.Apply(purpose, slots.of(a.fragment().name()),
                    a.fragment().type(), a.fragment().count(), a.step(), bindings.scalar(a.scalar())));
            case Operation.Instruction instruction -> ops.add(compile(purpose, instruction));
        }
    }

    private void compileLoop(String purpose, Operation.Loop loop) {
        IndexCode from = expressions.index(loop.from());
        IndexCode until = expressions.index(loop.until());
        IndexCode by = expressions.index(loop.by());
        int slot = slots.define(loop.variable().name(), 3);
        Label body = new Label();
        Label end = new Label();
        ops.add(new ControlOps.LoopEnter(purpose, slot, from, until, by, end));
        body.place(ops.size());
        compile(loop.body());
        ops.add(new ControlOps.LoopNext(purpose, slot, loop.variable().type(), body));
        end.place(ops.size());
    }

    private void compileGuard(String purpose, Operation.Guard guard) {
        Label otherwise = new Label();
        ops.add(new ControlOps.Branch(purpose, expressions.condition(guard.condition()), otherwise));
        compile(guard.body());
        if (guard.otherwise().isEmpty()) {
            otherwise.place(ops.size());
            return;
        }
        Label end = new Label();
        ops.add(new ControlOps.Jump(purpose, end));
        otherwise.place(ops.size());
        compile(guard.otherwise());
        end.place(ops.size());
    }

    private Op compile(String purpose, Operation.Instruction instruction) {
        return switch (instruction) {
            case Operation.Perform p -> throw new ReferenceException(ReferenceException.Kind.NOT_MODELLED, program.name(), 0, 0, purpose,
                    p.form().opcode() + " is emitted, not run on the CPU");
            case Operation.CpAsyncCopy c -> new CpAsyncOps.Copy(purpose, place(c.to()), place(c.from()), c.bytes(),
                    expressions.index(c.sourceBytes().orElse(Expr.of(c.bytes()))));
            case Operation.CpAsyncCommit _ -> new CpAsyncOps.Commit(purpose);
            case Operation.CpAsyncWait c -> new CpAsyncOps.Wait(purpose, c.pending());
            case Operation.BulkLoadCopy c -> new BulkOps.Load(
                    purpose, place(c.to()), place(c.from()), expressions.index(c.bytes()), place(c.barrier()));
            case Operation.BulkStoreCopy c -> new BulkOps.Store(
                    purpose, place(c.to()), place(c.from()), expressions.index(c.bytes()));
            case Operation.TensorLoadBox c -> new TensorOps.Load(
                    purpose, place(c.to()), tensor(c.map(), false), coordinates(c.coordinates()), place(c.barrier()));
            case Operation.TensorStoreBox c -> new TensorOps.Store(
                    purpose, tensor(c.map(), true), coordinates(c.coordinates()), place(c.from()));
            case Operation.BulkCommit _ -> new BulkOps.Commit(purpose);
            case Operation.BulkWait c -> new BulkOps.Wait(purpose, c.pending());
            case Operation.BarrierInit c -> new BarrierOps.Init(purpose, place(c.barrier()), c.arrivals());
            case Operation.Arrive c -> new BarrierOps.Arrive(purpose, place(c.barrier()), token(c.token()));
            case Operation.ArriveExpectTx c -> new BarrierOps.ArriveExpectTx(
                    purpose, place(c.barrier()), expressions.index(c.bytes()), token(c.token()));
            case Operation.ExpectTx c -> new BarrierOps.ExpectTx(
                    purpose, place(c.barrier()), expressions.index(c.bytes()));
            case Operation.WaitToken c -> new BarrierOps.WaitToken(
                    purpose, place(c.barrier()), slots.of(c.token().name()));
            case Operation.WaitParity c -> new BarrierOps.WaitParity(
                    purpose, place(c.barrier()), expressions.index(c.parity()));
            case Operation.ReplaceMapField c -> new MapOps.Replace(purpose, place(c.map()), c.form(),
                    c.edit().value().map(expressions::index).orElse(new IndexCode.Constant(0)));
            case Operation.PublishMap c -> new MapOps.Publish(purpose, place(c.to()), place(c.from()));
            case Operation.AcquireMap c -> new MapOps.Acquire(purpose, place(c.map()));
            case Operation.ReleaseMap c -> new MapOps.Release(purpose, place(c.map()));
            case Operation.PrefetchMap c -> new MapOps.Prefetch(purpose, tensor(c.map(), false));
            case Operation.ProxyFence _, Operation.BarrierInitFence _ -> new ControlOps.Fence(purpose);
        };
    }

    private SharedPlace place(Address.Shared address) {
        SharedRegion.Buffer buffer = address.buffer();
        return new SharedPlace(buffer, regionStart.get(buffer.name()), expressions.index(address.byteOffset()));
    }

    private GlobalPlace place(Address.Global address) {
        return new GlobalPlace(bindings.pointer(address.pointer()), expressions.index(address.byteOffset()));
    }

    private BarrierPlace place(Address.Barrier address) {
        SharedRegion.Barriers barriers = address.barriers();
        return new BarrierPlace(barriers.name(), firstBarrier.get(barriers.name()), barriers.count(),
                expressions.index(address.index()));
    }

    private TensorSource tensor(MapSource map, boolean stored) {
        return switch (map) {
            case Parameter.TensorMap p -> tensor(p, stored);
            case MapSource.InMemory m -> new MemoryTensor(m.title(), place(m.at()), m.rank(), bindings.addresses());
        };
    }

    private BoundTensor tensor(Parameter.TensorMap map, boolean stored) {
        Binding.BoundTensorMap bound = bindings.tensorMap(map);
        if (stored && bound.memory().isReadOnly()) {
            throw new IllegalArgumentException("kernel '" + program.name() + "': parameter '" + map.name()
                    + "' is stored to, but its memory is read-only");
        }
        return new BoundTensor(map.title(), bound);
    }

    private IndexCode[] coordinates(List<Expr> coordinates) {
        return coordinates.stream().map(expressions::index).toArray(IndexCode[]::new);
    }

    private int token(Optional<Token> token) {
        return token.map(t -> slots.define(t.name(), 2)).orElse(BarrierOps.NO_TOKEN);
    }

    private static IllegalArgumentException notMemory(Address.Barrier a) {
        return new IllegalArgumentException("barrier '" + a.barriers().name() + "' is not memory for elements");
    }
}
