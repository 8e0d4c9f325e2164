package dev.tilewright.explain;

import dev.tilewright.emit.CudaSource;
import dev.tilewright.explain.picture.PicturePage.Pair;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A program's steps, each beside its lines of the emitted source, in the order of the lines. */
final class StepListing {
    private final CudaSource source;
    private final List<String> text;
    private final StepNumbers numbers;
    private final List<Entry> entries = new ArrayList<>();
    private final Set<Procedure> written = new HashSet<>();
    private final List<Pair> pairs = new ArrayList<>();
    private int number;

    /** @param line where its comment or else its statement begins, from 1 */
    private record Entry(int step, int line, String text) { }

    private StepListing(TileProgram program, CudaSource source) {
        this.source = source;
        this.text = source.text().lines().toList();
        this.numbers = new StepNumbers(program);
        add(program.body(), 0);
        entries.sort(Comparator.comparingInt(Entry::line));
        pair(0, "", 1, entries.isEmpty() ? text.size() : entries.getFirst().line - 1);
        for (int i = 0; i < entries.size(); i++) {
            pair(entries.get(i), i + 1 < entries.size() ? entries.get(i + 1).line - 1 : text.size());
        }
    }

    static List<Pair> of(TileProgram program, CudaSource source) {
        return new StepListing(program, source).pairs;
    }

    private void add(List<Step> body, int depth) {
        for (Step step : body) {
            number++;
            int line = source.lineOf(number);
            boolean said = line > 1 && text.get(line - 2).strip().startsWith("//");
            String summary = step.operation().summary();
            entries.add(new Entry(number, said ? line - 1 : line, "  ".repeat(depth) + summary
                    + (step.purpose().isEmpty() || step.purpose().equals(summary) ? "" : "  // " + step.purpose())));
            if (step.operation() instanceof Operation.Call(Procedure procedure, var _)) {
                if (written.add(procedure) && numbers.firstOf(procedure) == number + 1) {
                    add(procedure.body(), depth + 1);
                }
            } else {
                step.operation().bodies().forEach(inner -> add(inner, depth + 1));
            }
        }
    }

    /** A step's own lines, and apart from them the ends of what it stands in and what lies before the next function. */
    private void pair(Entry entry, int last) {
        int end = entry.line;
        while (end < last && !text.get(end).isBlank() && !text.get(end).strip().startsWith("}")) {
            end++;
        }
        pair(entry.step, entry.text, entry.line, end);
        pair(0, "", end + 1, last);
    }

    private void pair(int step, String what, int first, int last) {
        if (step > 0 || first <= last) {
            pairs.add(new Pair(step, what, first, first > last ? List.of() : text.subList(first - 1, last)));
        }
    }
}
