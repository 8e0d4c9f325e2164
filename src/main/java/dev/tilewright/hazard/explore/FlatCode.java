package dev.tilewright.hazard.explore;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Register;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A tile program as a list of instructions with jumps, so that where a thread stands is one number. */
final class FlatCode {
    private static final int MOST_TURNS = 1000;

    /** One instruction. */
    sealed interface Insn { }

    /** What a step does that is no structure. */
    record Do(Operation operation) implements Insn { }

    record Set(Expr.Var variable, Expr value) implements Insn { }

    record Jump(int to) implements Insn { }

    /**
     * Begins another turn of a loop that goes on until a value is seen: one that something leaves, or without a count,
     * or with a count that no drawn kernel reaches.
     * Where the turn before looked at memory, another one makes a difference only when there is something newer to see.
     */
    record Again(int to) implements Insn { }

    record JumpUnless(Expr condition, int to) implements Insn { }

    record End() implements Insn { }

    final List<Insn> code = new ArrayList<>();
    final Map<Expr.Var, Integer> variables = new HashMap<>();
    final Map<Fragment, Integer> fragments = new HashMap<>();
    /** The first slot of each register, and how many slots there are. */
    final Map<Register, Integer> registers = new HashMap<>();
    int slots;
    /** Of each loop around, the innermost last: the steps that leave it. */
    private final List<List<Integer>> leaving = new ArrayList<>();
    /** Of each loop around: the steps that go on with its next turn. */
    private final List<List<Integer>> continuing = new ArrayList<>();

    /** For each instruction the number of its step. */
    final List<Integer> steps = new ArrayList<>();
    private final StepNumbers numbers;
    private int number;

    FlatCode(TileProgram program) {
        numbers = new StepNumbers(program);
        add(program.body());
        put(new End());
    }

    private void put(Insn insn) {
        code.add(insn);
        steps.add(number);
    }

    private void add(List<Step> body) {
        body.forEach(step -> {
            number++;
            add(step.operation());
        });
    }

    private void add(Operation operation) {
        switch (operation) {
            case Operation.Let(Expr.Var variable, Expr value) -> set(variable, value);
            case Operation.Loop loop -> loop(loop);
            case Operation.Guard guard -> guard(guard);
            case Operation.Call(Procedure procedure, List<Expr> arguments) -> {
                for (int i = 0; i < arguments.size(); i++) {
                    set(procedure.parameters().get(i), arguments.get(i));
                }
                int here = number;
                number = numbers.firstOf(procedure) - 1;
                add(procedure.body());
                number = Math.max(here, number);
            }
            case Operation.Load load -> {
                fragment(load.fragment());
                put(new Do(load));
            }
            case Operation.Store store -> {
                fragment(store.fragment());
                put(new Do(store));
            }
            case Operation.Issue issue -> {
                issue.results().forEach(this::variable);
                put(new Do(issue));
            }
            case Operation.Poll poll -> {
                if (poll.until() instanceof Operation.Until.Holds(Expr.Var value, Expr _)) {
                    variable(value);
                }
                put(new Do(poll));
            }
            case Operation.Declare declare -> {
                register(declare.register());
                put(new Do(declare));
            }
            case Operation.Assign assign -> put(new Do(assign));
            case Operation.LoadValues load -> put(new Do(load));
            case Operation.StoreValues store -> put(new Do(store));
            case Operation.SyncThreads sync -> put(new Do(sync));
            case Operation.While loop -> turns(loop.condition(), loop.body(), true, () -> { });
            case Operation.Break _ -> {
                leaving.getLast().add(code.size());
                put(null);
            }
            case Operation.Continue _ -> {
                continuing.getLast().add(code.size());
                put(null);
            }
            // A new operation is one that the explorer does not know yet.
            default -> throw new Unsupported(operation.summary());
        }
    }

    private void set(Expr.Var variable, Expr value) {
        variable(variable);
        put(new Set(variable, value));
    }

    private void loop(Operation.Loop loop) {
        set(loop.variable(), loop.from());
        turns(new Expr.Compare(Expr.Relation.LT, loop.variable(), loop.until()), loop.body(),
                loop.until() instanceof Expr.Const(long until, var _) && until > MOST_TURNS,
                () -> set(loop.variable(), new Expr.Binary(Expr.Op.ADD, loop.variable(), loop.by())));
    }

    private void turns(Expr condition, List<Step> body, boolean uncounted, Runnable next) {
        int test = code.size();
        put(null);
        leaving.add(new ArrayList<>());
        continuing.add(new ArrayList<>());
        add(body);
        continuing.removeLast().forEach(at -> code.set(at, new Jump(code.size())));
        next.run();
        put(uncounted || !leaving.getLast().isEmpty() ? new Again(test) : new Jump(test));
        code.set(test, new JumpUnless(condition, code.size()));
        leaving.removeLast().forEach(at -> code.set(at, new Jump(code.size())));
    }

    private void guard(Operation.Guard guard) {
        int test = code.size();
        put(null);
        add(guard.body());
        if (guard.otherwise().isEmpty()) {
            code.set(test, new JumpUnless(guard.condition(), code.size()));
            return;
        }
        int end = code.size();
        put(null);
        code.set(test, new JumpUnless(guard.condition(), code.size()));
        add(guard.otherwise());
        code.set(end, new Jump(code.size()));
    }

    private void variable(Expr.Var variable) {
        variables.putIfAbsent(variable, variables.size());
    }

    private void register(Register register) {
        if (registers.putIfAbsent(register, slots) == null) {
            slots += register.count();
        }
    }

    private void fragment(Fragment fragment) {
        fragments.putIfAbsent(fragment, fragments.size());
    }
}
