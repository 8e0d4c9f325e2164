package dev.tilewright.bench.rival;

import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/** An opponent that answers a question of one turn again and again: a figure for each of its ways. */
final class TurnsOfFigures implements Opponent {
    private final Supplier<List<RivalFigure>> question;
    private final Function<Supplier<List<RivalFigure>>, List<Row>> rows;
    private final Map<String, List<RivalFigure>> turns = new LinkedHashMap<>();
    private RivalException failure;

    /** @param rows makes rows of figures, or one that says why they cannot be had */
    TurnsOfFigures(Supplier<List<RivalFigure>> question, Function<Supplier<List<RivalFigure>>, List<Row>> rows) {
        this.question = question;
        this.rows = rows;
    }

    @Override
    public void turn() {
        if (failure != null) {
            return;
        }
        try {
            question.get().forEach(figure -> turns.computeIfAbsent(figure.name(), _ -> new ArrayList<>()).add(figure));
        } catch (RivalException e) {
            failure = e;
        }
    }

    @Override
    public List<Row> rows() {
        return rows.apply(() -> {
            if (failure != null) {
                throw failure;
            }
            return turns.values().stream().map(TurnsOfFigures::together).toList();
        });
    }

    private static RivalFigure together(List<RivalFigure> all) {
        RivalFigure last = all.getLast();
        return new RivalFigure(last.name(), last.unit(),
                Spread.of(all.stream().mapToDouble(figure -> figure.spread().median()).toArray()), last.amount(),
                all.stream().allMatch(RivalFigure::verified), last.facts());
    }
}
