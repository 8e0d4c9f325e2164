package dev.tilewright.bench.suite;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.rival.RivalRows;
import dev.tilewright.bench.rival.RivalSides;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * What others take for a suite's work, measured with the seed and the turns of its bench: their rows are added to that,
 * and returned for ours to stand beside. None where the run is to measure no rivals.
 */
record RivalsBeside(Bench bench, String suite, RivalSides sides, UnaryOperator<Row> completing) {

    RivalsBeside(Bench bench, String suite, RivalSides sides) {
        this(bench, suite, sides, row -> row);
    }

    /** These rivals, with what they do not report filled in on their rows. */
    RivalsBeside completing(UnaryOperator<Row> more) {
        return new RivalsBeside(bench, suite, sides, more);
    }

    /** The C++ kernels of some mechanisms. @param bytes of the array */
    List<Row> kernels(String subject, Set<String> mechanisms, long bytes) {
        return told((rows, each) -> rows.kernels(subject, mechanisms, bytes, seed(), turns(), each));
    }

    private List<Row> ask(Function<RivalRows, List<Row>> question) {
        return told((rows, each) -> question.apply(rows).forEach(each));
    }

    /** @param question gives each row as soon as it is known, so that a run that is interrupted has it */
    private List<Row> told(BiConsumer<RivalRows, Consumer<Row>> question) {
        if (!bench.settings().rivals()) {
            return List.of();
        }
        List<Row> all = new ArrayList<>();
        question.accept(new RivalRows(suite, sides.cpp(), sides.python()), row -> {
            all.add(completing.apply(row));
            bench.add(all.getLast());
        });
        return all;
    }

    /**
     * Rows of PyTorch and Triton for a piece of work.
     *
     * @param shape of the arrays, all of which are of one size then
     */
    List<Row> python(String subject, String work, String type, List<Long> shape) {
        return ask(rows -> rows.python(subject, work, type, shape, seed(), turns()));
    }

    private long seed() {
        return bench.settings().seed();
    }

    private int turns() {
        return bench.settings().turns();
    }
}
