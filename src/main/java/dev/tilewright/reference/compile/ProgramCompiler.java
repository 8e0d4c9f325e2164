package dev.tilewright.reference.compile;

import dev.tilewright.program.GridShape;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.mbarrier.MbarrierWait;
import dev.tilewright.ptx.memory.ScopedAccess;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.code.SuspectValue;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.observe.ExecutionObserver;
import dev.tilewright.reference.op.AccessOps;
import dev.tilewright.reference.op.Computes;
import dev.tilewright.reference.op.ControlOps;
import dev.tilewright.reference.op.FragmentOps;
import dev.tilewright.reference.op.Label;
import dev.tilewright.reference.op.Line;
import dev.tilewright.reference.op.NotRun;
import dev.tilewright.reference.op.Op;
import dev.tilewright.reference.op.OpAccess;
import dev.tilewright.reference.op.Site;
import dev.tilewright.reference.op.ValueOps;
import dev.tilewright.reference.state.Slots;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Turns the structured steps of a program into a flat list of operations with jumps. */
public final class ProgramCompiler {
    /** Numbers in the rows of one line. */
    private static final int LONGEST_LINE = 1 << 14;

    private final TileProgram program;
    private final GridShape shape;
    private final Bindings bindings;
    private final ExecutionObserver observer;
    private final boolean shortcuts;
    private final StepNumbers numbers;
    private final Slots slots = new Slots();
    private final ExprCompiler expressions;
    private final PlaceCompiler places;
    /** Null in a run that is not watched. */
    private final DefinednessCompiler definedness;
    /** Null in a run that is not watched. */
    private final ProductRegisters products;
    private final Unrolling unrolling;
    private final List<Op> ops = new ArrayList<>();
    /** The ends of the loops around the present step, the innermost first. */
    private final Deque<Label> breaks = new ArrayDeque<>();
    /** The ends of the present turns of these loops. */
    private final Deque<Label> turnEnds = new ArrayDeque<>();
    /** The number of the step that each operation belongs to. */
    private final List<Integer> stepOf = new ArrayList<>();
    /** The number of the step that is being compiled, and of the one that is written after it. */
    private int number;
    private int next = 1;
    /** The operation that a jump was last found to lead to. */
    private int lastPlaced;

    /** For a run with shortcuts. @param observer told what the operations do; null for none */
    public ProgramCompiler(TileProgram program, Bindings bindings, GridShape shape, ExecutionObserver observer) {
        this(program, bindings, shape, observer, true);
    }

    /**
     * For any run.
     *
     * @param observer told what the operations do; null for none
     * @param shortcuts whether the run may save work; one that is watched performs every step all the same
     */
    public ProgramCompiler(TileProgram program, Bindings bindings, GridShape shape, ExecutionObserver observer,
            boolean shortcuts) {
        this.program = program;
        this.bindings = bindings;
        this.observer = observer;
        this.shortcuts = shortcuts;
        this.numbers = new StepNumbers(program);
        this.shape = shape;
        this.expressions = new ExprCompiler(slots, bindings, program.block(), shape);
        this.places = new PlaceCompiler(program, bindings, expressions, shortcuts && observer == null);
        this.definedness = observer == null ? null : new DefinednessCompiler(expressions, slots);
        this.unrolling = new Unrolling(shortcuts && observer == null);
        this.products = observer == null ? null : new ProductRegisters(numbers, expressions.values());
    }

    public CompiledProgram compile() {
        new InlinedSteps(program).require();
        compile(program.body());
        add(new ControlOps.Exit(site(null)));
        return new CompiledProgram(program, shape, numbers, slots.initial(), places.barriers(),
                new TraitsOf(bindings).program(program), ops.toArray(Op[]::new),
                stepOf.stream().mapToInt(n -> n).toArray(), observer, !shortcuts);
    }

    private void compile(List<Step> body) {
        int outer = number;
        for (Step step : body) {
            number = next++;
            int first = ops.size();
            compile(step);
            if (definedness != null && ops.size() > first && !(ops.getLast() instanceof NotRun)) {
                Op watched = definedness.watch(step.operation(), site(step), ops.getLast());
                ops.set(ops.size() - 1, step.operation().bodies().isEmpty()
                        ? products.reported(step.operation(), site(step), watched) : watched);
                if (observer.followsComputations() && computes(step.operation())) {
                    ops.set(ops.size() - 1, new Computes(ops.getLast(), site(step)));
                }
            }
        }
        number = outer;
    }

    private static boolean computes(Operation operation) {
        return operation instanceof Operation.Computation
                && !(operation instanceof Operation.Declare declare && declare.initial().isEmpty());
    }

    /** Lines after each other become one, where no jump comes between and no mistake has to be told from another. */
    private void add(Op op) {
        if (shortcuts && observer == null && op instanceof Line next && next.steadfast() && lastPlaced < ops.size()
                && ops.getLast() instanceof Line line && line.steadfast() && line.rows().length < LONGEST_LINE) {
            ops.set(ops.size() - 1, line.then(next));
            return;
        }
        ops.add(op);
        stepOf.add(number);
    }

    /** Puts a label here. */
    private void place(Label label) {
        lastPlaced = ops.size();
        label.place(lastPlaced);
    }

    /** @param step null for the end of the kernel */
    private Site site(Step step) {
        return new Site(observer, bindings.addresses(), number, step == null ? null : step.operation());
    }

    private void compile(Step step) {
        switch (step.operation()) {
            case Operation.Let(Expr.Var variable, Expr value) -> {
                IndexCode code = expressions.index(value);
                add(new ControlOps.Let(slots.define(variable, 1), code));
            }
            case Operation.Loop loop -> compileLoop(loop);
            case Operation.While loop -> compileWhile(loop);
            case Operation.Break() -> add(new ControlOps.Jump(breaks.peek()));
            case Operation.Continue() -> add(new ControlOps.Jump(turnEnds.peek()));
            case Operation.Declare declare -> compileDeclare(declare);
            case Operation.Assign(Register register, Expr index, Value value) -> {
                IndexCode slot = expressions.values().slot(register, index, 1);
                add(slot instanceof IndexCode.Constant(long s) ? expressions.values().lines().into((int) s, value)
                        : new ValueOps.AssignElement(slot, expressions.values().word(value)));
            }
            case Operation.LoadValues load -> add(new ValueOps.Load(site(step).reads(),
                    expressions.values().slot(load.register(), load.first(), load.count()), load.register().type(),
                    load.count(), places.any(load.from())));
            case Operation.StoreValues store -> add(new ValueOps.Store(site(step).writes(), store.type().bytes(),
                    store.values().stream().map(expressions.values()::word).toArray(IndexCode[]::new),
                    places.any(store.to())));
            case Operation.Guard guard -> compileGuard(guard);
            case Operation.Call(Procedure procedure, List<Expr> arguments) -> compileCall(procedure, arguments);
            case Operation.SyncThreads _ -> add(new ControlOps.SyncThreads(site(step)));
            case Operation.Load(Fragment fragment, Address from) -> {
                int slot = slots.define(fragment, Math.ceilDiv(fragment.bytes(), 8));
                OpAccess reads = site(step).reads();
                add(switch (from) {
                    case Address.Shared a -> new FragmentOps.LoadShared(reads, slot, fragment.bytes(), places.place(a));
                    case Address.Global a -> new FragmentOps.LoadGlobal(reads, slot, fragment.bytes(), places.place(a));
                    case Address.MapBytes a -> new FragmentOps.LoadGlobal(reads, slot, fragment.bytes(),
                            places.place(a));
                    default -> throw notFragments(from);
                });
            }
            case Operation.Store(Address to, Fragment fragment) -> {
                int slot = slots.of(fragment);
                OpAccess writes = site(step).writes();
                add(switch (to) {
                    case Address.Shared a -> new FragmentOps.StoreShared(writes, slot, fragment.bytes(),
                            places.place(a));
                    case Address.Global a -> new FragmentOps.StoreGlobal(writes, slot, fragment.bytes(),
                            places.place(a));
                    default -> throw notFragments(to);
                });
            }
            case Operation.Issue issue -> instruction(step, issue.form().opcode(), issue.results(),
                    () -> InstructionCompiler.compile(issue.form(),
                            new GivenOperands(issue, issue.results(), site(step), places, slots)).forEach(this::add));
            case Operation.Poll poll -> instruction(step, poll.form().opcode(), results(poll),
                    () -> add(compile(step, poll)));
        }
    }

    private void compileDeclare(Operation.Declare declare) {
        Register register = declare.register();
        // The value is that of registers which are visible before this one.
        if (register.count() == 1 && declare.initial().isPresent()) {
            int slot = slots.place(register);
            add(expressions.values().lines().into(slot, declare.initial().get()));
            slots.define(register, new Slots.Place(slot));
            return;
        }
        IndexCode word = declare.initial().map(expressions.values()::word).orElse(null);
        int slot = slots.define(register, register.count());
        add(word == null ? new ControlOps.Nothing() : new ValueOps.Fill(slot, register.count(), word));
    }

    private void compileWhile(Operation.While loop) {
        Label turn = new Label();
        Label end = new Label();
        place(turn);
        Op branch = new ControlOps.Branch(expressions.condition(loop.condition()), end);
        add(definedness == null ? branch : definedness.branch(site(null), branch, loop.condition()));
        breaks.push(end);
        compileTurn(loop.body());
        breaks.pop();
        add(looksAtOthers(loop.body()) ? new ControlOps.Again(turn) : new ControlOps.Jump(turn));
        place(end);
    }

    private void compileTurn(List<Step> body) {
        turnEnds.push(new Label());
        compile(body);
        Label end = turnEnds.pop();
        if (body.stream().anyMatch(step -> step.operation().endsTurn())) {
            place(end);
        }
    }

    /** Whether steps may see what other threads do while they are performed again and again. */
    private static boolean looksAtOthers(List<Step> steps) {
        return new StepNumbers(steps).all().stream().anyMatch(step -> step.operation() instanceof Operation.Instruction
                || step.operation() instanceof Operation.Loading);
    }

    private void compileLoop(Operation.Loop loop) {
        if (unrolling.takes(loop)) {
            compileTurns(loop);
            return;
        }
        IndexCode from = expressions.index(loop.from());
        IndexCode until = expressions.index(loop.until());
        IndexCode by = expressions.index(loop.by());
        int slot = slots.define(loop.variable(), 3);
        Label body = new Label();
        Label end = new Label();
        Op enter = new ControlOps.LoopEnter(slot, from, until, by, end);
        add(definedness == null ? enter : definedness.branch(site(null), enter, loop.from(), loop.until(), loop.by()));
        place(body);
        breaks.push(end);
        compileTurn(loop.body());
        breaks.pop();
        if (mayWait(loop)) {
            Label again = new Label();
            add(new ControlOps.LoopNext(slot, loop.variable().type(), again));
            add(new ControlOps.Jump(end));
            place(again);
            add(new ControlOps.Again(body));
        } else {
            add(new ControlOps.LoopNext(slot, loop.variable().type(), body));
        }
        place(end);
    }

    /** Whether others have their turns between those of a counted loop: a thread that waits counts as far as it can. */
    private static boolean mayWait(Operation.Loop loop) {
        return looksAtOthers(loop.body()) && loop.body().stream().anyMatch(step -> step.operation().leavesLoop());
    }

    /** Each turn by itself, in a run that is not watched: what the variable chooses is known then. */
    private void compileTurns(Operation.Loop loop) {
        int first = next;
        Label end = new Label();
        breaks.push(end);
        long by = loop.by().constant().orElseThrow();
        long until = loop.until().constant().orElseThrow();
        boolean before = slots.again();
        boolean waits = mayWait(loop);
        for (long i = loop.from().constant().orElseThrow(); i < until; i += by) {
            next = first;
            expressions.where(loop.variable(), i, () -> compileTurn(loop.body()));
            slots.again(true);
            if (waits && i + by < until) {
                Label turn = new Label();
                add(new ControlOps.Again(turn));
                place(turn);
            }
        }
        slots.again(before);
        breaks.pop();
        place(end);
    }

    private void compileGuard(Operation.Guard guard) {
        Label otherwise = new Label();
        Op branch = new ControlOps.Branch(expressions.condition(guard.condition()), otherwise);
        add(definedness == null ? branch : definedness.branch(site(null), branch, guard.condition()));
        compile(guard.body());
        if (guard.otherwise().isEmpty()) {
            place(otherwise);
            return;
        }
        Label end = new Label();
        add(new ControlOps.Jump(end));
        place(otherwise);
        compile(guard.otherwise());
        place(end);
    }

    /** A procedure's steps stand where they are called; they have the same numbers every time. */
    private void compileCall(Procedure procedure, List<Expr> arguments) {
        // Loops that are unrolled make operations of which the count of steps knows nothing.
        if (ops.size() > InlinedSteps.MOST) {
            throw InlinedSteps.tooMany(program, ops.size(), procedure, numbers.endOf(procedure)
                    - numbers.firstOf(procedure));
        }
        List<IndexCode> values = arguments.stream().map(expressions::index).toList();
        List<SuspectValue> undefined = definedness == null ? List.of() : arguments.stream().map(definedness::of)
                .toList();
        int after = numbers.firstOf(procedure) == next ? numbers.endOf(procedure) : next;
        slots.apart(() -> {
            for (int i = 0; i < values.size(); i++) {
                Expr.Var parameter = procedure.parameters().get(i);
                Op let = new ControlOps.Let(slots.define(parameter, 1), values.get(i));
                add(definedness == null ? let : definedness.let(parameter, undefined.get(i), site(null), let));
            }
            next = numbers.firstOf(procedure);
            compile(procedure.body());
        });
        next = after;
    }

    /** @param results that the steps after it may use, also where it is not run */
    private void instruction(Step step, String opcode, List<Expr.Var> results, Runnable compilation) {
        try {
            compilation.run();
        } catch (Fault f) {
            String sentence = f.getMessage().startsWith(opcode) ? f.getMessage() : opcode + ": " + f.getMessage();
            if (f.kind() != Kind.NOT_MODELLED) {
                throw new ReferenceException(f.kind(), program.name(), 0, 0, number, step.purpose(), sentence);
            }
            results.forEach(variable -> slots.define(variable, 1));
            add(new NotRun(sentence));
        }
    }

    private static List<Expr.Var> results(Operation.Poll poll) {
        return switch (poll.until()) {
            case Operation.Until.Done() -> List.of();
            case Operation.Until.Holds(Expr.Var value, Expr _) -> List.of(value);
        };
    }

    private Op compile(Step step, Operation.Poll poll) {
        if (poll.form().emitOnly()) {
            throw InstructionCompiler.notRun(poll.form());
        }
        return switch (poll.until()) {
            case Operation.Until.Done() when poll.form() instanceof MbarrierWait wait ->
                    MbarrierCompiler.wait(wait, new GivenOperands(poll, List.of(), site(step), places, slots));
            case Operation.Until.Holds(Expr.Var value,
                    Expr condition) when poll.form() instanceof ScopedAccess access -> {
                GivenOperands o = new GivenOperands(poll, List.of(value), site(step), places, slots);
                AccessOps.Reading reading = InstructionCompiler.reading(access, o);
                int slot = o.result(poll.form().results().getFirst().name());
                yield new AccessOps.Poll(o.site().waits(reading instanceof AccessOps.Updating), reading, slot,
                        expressions.condition(condition));
            }
            case Operation.Until.Done _, Operation.Until.Holds _ -> throw new Fault(Kind.NOT_MODELLED,
                    poll.form().opcode()
                    + " is polled: the reference polls tests of mbarriers, loads and updates");
        };
    }

    private static IllegalArgumentException notFragments(Address a) {
        return new IllegalArgumentException(a.title() + " is accessed by values, not by fragments");
    }
}
