package dev.tilewright.hazard.blame;

import dev.tilewright.program.Body;
import dev.tilewright.program.Operation.Instruction;
import dev.tilewright.program.Operation.Issue;
import dev.tilewright.program.Operation.Poll;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Const;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.PtxInstruction;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Edits of a program's steps, which keep their numbers until all are made. */
final class StepEdit {
    private final TileProgram program;
    private final StepNumbers numbers;
    private final TreeMap<Integer, List<Step>> before = new TreeMap<>();
    private final TreeMap<Integer, List<Step>> after = new TreeMap<>();
    private final TreeMap<Integer, List<Step>> changed = new TreeMap<>();
    private final Map<Step, Integer> known = new IdentityHashMap<>();
    private final List<Integer> origins = new ArrayList<>();
    private int last;

    StepEdit(TileProgram program) {
        this.program = program;
        this.numbers = new StepNumbers(program);
        IntStream.rangeClosed(1, numbers.count()).forEach(n -> known.put(numbers.step(n), n));
    }

    Operation operation(int step) {
        return numbers.step(step).operation();
    }

    // ---- steps

    void before(int step, Consumer<Body> code) {
        before.computeIfAbsent(step, _ -> new ArrayList<>()).addAll(Body.steps(code));
    }

    void after(int step, Consumer<Body> code) {
        after.computeIfAbsent(step, _ -> new ArrayList<>()).addAll(Body.steps(code));
    }

    void atEnd(Consumer<Body> code) {
        int first = numbers.count();
        while (!program.body().contains(numbers.step(first))) {
            first--;
        }
        after(first, code);
    }

    /** Before the later of two steps, or what has it and not the earlier one. */
    void between(int a, int b, Consumer<Body> code) {
        int later = Math.max(a, b);
        int place = Math.min(a, b) + 1;
        while (place + size(operation(place)) <= later) {
            place++;
        }
        before(place, code);
    }

    /** Before a step, or the outermost one that has it. */
    void beforeAllOf(int step, Consumer<Body> code) {
        before(outermost(step), code);
    }

    /** A step moves before the outermost one that has another. */
    void moveBeforeAllOf(int step, int other) {
        moveBefore(step, outermost(other));
    }

    private int outermost(int step) {
        int place = 1;
        while (place + size(operation(place)) <= step) {
            place += size(operation(place));
        }
        return place;
    }

    void moveAfter(int step, int place) {
        after.computeIfAbsent(place, _ -> new ArrayList<>()).add(taken(step));
    }

    /** All threads that come there do what a step does. */
    void copyAfter(int step, int place) {
        after.computeIfAbsent(place, _ -> new ArrayList<>()).add(numbers.step(step));
    }

    void moveBefore(int step, int place) {
        before.computeIfAbsent(place, _ -> new ArrayList<>()).add(taken(step));
    }

    /** With the guard of which it is all. */
    private Step taken(int step) {
        Step alone = numbers.step(step);
        int first = step;
        while (first > 1 && numbers.step(first - 1).operation() instanceof Operation.Guard guard
                && guard.body().equals(List.of(alone)) && guard.otherwise().isEmpty()) {
            first--;
            alone = numbers.step(first);
        }
        changed.put(first, List.of());
        return alone;
    }

    /** All threads come to what only some did. */
    void unguard(int step) {
        changed.put(step, ((Operation.Guard) operation(step)).body());
    }

    static int size(Operation operation) {
        return 1 + operation.bodies().stream().flatMap(List::stream).mapToInt(s -> size(s.operation())).sum();
    }

    // ---- one step

    void replace(int step, Operation operation) {
        changed.put(step, List.of(numbers.step(step).with(operation)));
    }

    void form(int step, PtxInstruction form, Input... inputs) {
        replace(step, new Issue(form, List.of(inputs), List.of()));
    }

    /** A step gets another form with the operands that it has. */
    void form(int step, UnaryOperator<PtxInstruction> change) {
        Instruction i = (Instruction) operation(step);
        replace(step, with(i, change.apply(i.form()), i.inputs()));
    }

    /** A step gets another input. */
    void input(int step, String operand, UnaryOperator<Input> change) {
        Instruction i = (Instruction) operation(step);
        replace(step, with(i, i.form(), i.inputs().stream().map(o -> o == i.input(operand) ? change.apply(o) : o)
                .toList()));
    }

    void number(int step, String operand, UnaryOperator<Expr> change) {
        input(step, operand, o -> Input.of(change.apply(((Input.Number) o).value())));
    }

    private static Operation with(Instruction i, PtxInstruction form, List<Input> inputs) {
        return switch (i) {
            case Issue issue -> new Issue(form, inputs, issue.results());
            case Poll poll -> new Poll(form, inputs, poll.until());
        };
    }

    /** Where a step is for the next stage of a ring, it is for the present one. */
    void stageBack(int step) {
        replace(step, switch (operation(step)) {
            case Instruction i -> with(i, i.form(), i.inputs().stream().map(input -> input instanceof
                    Input.Place(Address at) ? new Input.Place(stageBack(at)) : input).toList());
            case Operation.Load(var fragment, Address from) -> new Operation.Load(fragment, stageBack(from));
            case Operation.Store(Address to, var fragment) -> new Operation.Store(stageBack(to), fragment);
            case Operation other -> throw new AssertionError(other);
        });
    }

    private static Address stageBack(Address at) {
        return switch (at) {
            case Address.Shared(var buffer, Expr offset) -> buffer.at(stageBack(offset));
            case Address.Barrier(var barriers, Expr index) -> barriers.at(stageBack(index));
            default -> at;
        };
    }

    private static Expr stageBack(Expr e) {
        return !(e instanceof Expr.Binary b) ? e : b.op() == Expr.Op.REM && b.left() instanceof Expr.Binary sum
                && sum.op() == Expr.Op.ADD && sum.right() instanceof Const one && one.value() == 1
                ? new Expr.Binary(Expr.Op.REM, sum.left(), b.right())
                : new Expr.Binary(b.op(), stageBack(b.left()), stageBack(b.right()));
    }

    // ---- what comes of it

    TileProgram made() {
        last = 0;
        origins.clear();
        return new TileProgram(program.name(), program.purpose(), program.block(), program.cluster(),
                program.parameters(), program.shared(), made(program.body()));
    }

    /** The number, before the edits, of a step of what was made; 0 for a step that they put there. */
    int origin(int stepOfMade) {
        return stepOfMade < 1 || stepOfMade > origins.size() ? 0 : origins.get(stepOfMade - 1);
    }

    private List<Step> made(List<Step> steps) {
        List<Step> result = new ArrayList<>();
        for (Step step : steps) {
            int number = ++last;
            result.addAll(before.getOrDefault(number, List.of()));
            note(before.getOrDefault(number, List.of()), 0);
            origins.add(number);
            int noted = origins.size();
            Operation inner = switch (step.operation()) {
                case Operation.Guard g -> {
                    List<Step> body = made(g.body());
                    yield new Operation.Guard(g.condition(), body, made(g.otherwise()));
                }
                case Operation.Loop l -> new Operation.Loop(l.variable(), l.from(), l.until(), l.by(),
                        made(l.body()), l.unrolled());
                case Operation.While w -> new Operation.While(w.condition(), made(w.body()));
                default -> step.operation();
            };
            if (changed.containsKey(number)) {
                origins.subList(noted - 1, origins.size()).clear();
                note(changed.get(number), number);
            }
            result.addAll(changed.getOrDefault(number, List.of(step.with(inner))));
            result.addAll(after.getOrDefault(number, List.of()));
            note(after.getOrDefault(number, List.of()), 0);
        }
        return result;
    }

    /** @param number of those steps that are not the program's */
    private void note(List<Step> steps, int number) {
        for (Step step : steps) {
            origins.add(known.getOrDefault(step, number));
            step.operation().bodies().forEach(b -> note(b, number));
        }
    }
}
