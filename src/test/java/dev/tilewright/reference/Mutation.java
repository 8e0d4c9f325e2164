package dev.tilewright.reference;

import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** Makes a correct program wrong in one place, to see whether the reference notices. */
final class Mutation {
    private final String purpose;
    private final Function<Operation, List<Operation>> change;
    private int hits;

    private Mutation(String purpose, Function<Operation, List<Operation>> change) {
        this.purpose = purpose;
        this.change = change;
    }

    /** The program without the step of this purpose. */
    static TileProgram without(TileProgram program, String purpose) {
        return new Mutation(purpose, _ -> List.of()).apply(program);
    }

    /** The program with another step in the place of that of this purpose. */
    static TileProgram replace(TileProgram program, String purpose, Consumer<Body> step) {
        return new Mutation(purpose, _ -> Body.steps(step).stream().map(Step::operation).toList()).apply(program);
    }

    /** The only variable of this name that a loop or a name for a value of the program defines. */
    static Expr.Var variable(TileProgram program, String name) {
        List<Expr.Var> found = new StepNumbers(program).all().stream().flatMap(s -> switch (s.operation()) {
            case Operation.Let l -> Stream.of(l.variable());
            case Operation.Loop l -> Stream.of(l.variable());
            default -> Stream.<Expr.Var>empty();
        }).filter(v -> v.name().equals(name)).toList();
        if (found.size() != 1) {
            throw new IllegalArgumentException(found.size() + " variables have the name '" + name + "'");
        }
        return found.getFirst();
    }

    private TileProgram apply(TileProgram p) {
        TileProgram mutant =
                p.withBody(steps(p.body()));
        if (hits != 1) {
            throw new IllegalArgumentException(hits + " steps have the purpose '" + purpose + "'");
        }
        return mutant;
    }

    private List<Step> steps(List<Step> steps) {
        List<Step> result = new ArrayList<>();
        for (Step step : steps) {
            if (step.purpose().equals(purpose)) {
                hits++;
                change.apply(step.operation()).forEach(o -> result.add(new Step(purpose, o)));
            } else {
                result.add(new Step(step.purpose(), switch (step.operation()) {
                    case Operation.Loop l -> new Operation.Loop(l.variable(), l.from(), l.until(), l.by(),
                            steps(l.body()));
                    case Operation.Guard g -> new Operation.Guard(g.condition(), steps(g.body()), steps(g.otherwise()));
                    case Operation other -> other;
                }));
            }
        }
        return result;
    }
}
