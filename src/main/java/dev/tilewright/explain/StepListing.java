package dev.tilewright.explain;

import dev.tilewright.emit.CudaSource;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A program's steps as lines, each with its number and the line of the emitted source in which it begins. */
final class StepListing {
    private final CudaSource source;
    private final StepNumbers numbers;
    private final List<String> lines = new ArrayList<>();
    private final Set<Procedure> written = new HashSet<>();
    private int number;

    private StepListing(TileProgram program, CudaSource source) {
        this.source = source;
        this.numbers = new StepNumbers(program);
        add(program.body(), 0);
    }

    static List<String> of(TileProgram program, CudaSource source) {
        return new StepListing(program, source).lines;
    }

    private void add(List<Step> body, int depth) {
        for (Step step : body) {
            number++;
            String summary = step.operation().summary();
            lines.add(String.format("%4d %5d  %s%s%s", number, source.lineOf(number), "  ".repeat(depth), summary,
                    step.purpose().isEmpty() || step.purpose().equals(summary) ? "" : "  // " + step.purpose()));
            if (step.operation() instanceof Operation.Call(Procedure procedure, var _)) {
                if (written.add(procedure) && numbers.firstOf(procedure) == number + 1) {
                    add(procedure.body(), depth + 1);
                }
            } else {
                step.operation().bodies().forEach(inner -> add(inner, depth + 1));
            }
        }
    }
}
