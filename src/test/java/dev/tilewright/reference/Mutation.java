package dev.tilewright.reference;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

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

    /** The program with another operation in the step of this purpose. */
    static TileProgram replace(TileProgram program, String purpose, Operation operation) {
        return new Mutation(purpose, _ -> List.of(operation)).apply(program);
    }

    private TileProgram apply(TileProgram p) {
        TileProgram mutant =
                new TileProgram(p.name(), p.purpose(), p.threads(), p.clusterBlocks(), p.parameters(), p.shared(), steps(p.body()));
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
                    case Operation.Loop l -> new Operation.Loop(l.variable(), l.from(), l.until(), l.by(), steps(l.body()));
                    case Operation.Guard g -> new Operation.Guard(g.condition(), steps(g.body()), steps(g.otherwise()));
                    case Operation other -> other;
                }));
            }
        }
        return result;
    }
}
