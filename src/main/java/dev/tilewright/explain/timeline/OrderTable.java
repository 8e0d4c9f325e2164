package dev.tilewright.explain.timeline;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.hazard.explore.Move;
import dev.tilewright.hazard.explore.Order;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** An order in which a kernel goes wrong, as a schedule of the threads that race or are stuck. */
public final class OrderTable {
    private static final int MOST_THREADS = 5;
    private static final int MOST_ROWS = 60;

    private final TileProgram program;
    private final int blocks;
    private final StepNumbers steps;
    private final CudaSource source;

    private OrderTable(TileProgram program, int blocks) {
        this.program = program;
        this.blocks = blocks;
        this.steps = new StepNumbers(program);
        this.source = CudaEmitter.emit(program);
    }

    /** A column of the table. */
    private record Who(int block, int thread) {
        static Who of(Move move) {
            return new Who(move.block(), move.thread());
        }
    }

    /** The last rows of an order. @param blocks of the launch */
    public static Timeline of(TileProgram program, int blocks, Order order) {
        return new OrderTable(program, blocks).table(order);
    }

    private Timeline table(Order order) {
        Predicate<Move> tells = order.moves().stream().anyMatch(Move::tells) ? Move::tells : null;
        Set<Who> all = new LinkedHashSet<>();
        order.moves().stream().filter(tells == null ? Move::races : tells).map(Who::of).forEach(all::add);
        order.stuck().stream().map(Who::of).forEach(all::add);
        if (tells == null && !order.moves().isEmpty()) {
            all.add(Who.of(order.moves().getLast()));
        }
        List<Who> columns = all.stream().limit(MOST_THREADS).sorted(Comparator.comparingInt(Who::block)
                .thenComparingInt(Who::thread)).toList();
        List<Move> seen = order.moves().stream().filter(m -> (tells != null || columns.contains(Who.of(m)))
                && isSeen(m)).toList();
        List<TimelineRow> rows = new ArrayList<>();
        for (int i = tells != null ? 0 : Math.max(0, seen.size() - MOST_ROWS); i < seen.size(); i++) {
            Move move = seen.get(i);
            if (tells == null || move.tells() && columns.contains(Who.of(move))) {
                rows.add(row(i + 1, columns.indexOf(Who.of(move)), move, action(move)));
            }
        }
        int first = seen.size() - rows.size();
        order.stuck().stream().filter(m -> columns.contains(Who.of(m))).forEach(m ->
                rows.add(row(seen.size() + 1, columns.indexOf(Who.of(m)), m, StepAction.STUCK)));
        return new Timeline(program.name(), program.purpose(), tells == null
                ? "an order of the steps of threads that race or wait for ever, and what they read (load) or leave"
                + " (store) there; no time" : "the steps that explain it, numbered as they come in the whole order, and"
                + " what they read (load) or leave (store); no time", blocks,
                program.clusterBlocks(), columns.stream().map(w -> (blocks == 1 ? "" : "block " + w.block + " ")
                + "thread " + w.thread).toList(),
                columns.stream().map(w -> w.block * program.threads() + w.thread).toList(), rows, order.end(),
                new Timeline.LeftOut(all.size() - columns.size(), first, 0));
    }

    private boolean isSeen(Move move) {
        return move.kind() != Move.Kind.STEP || !move.place().isEmpty()
                || !(steps.step(move.step()).operation() instanceof Operation.Computation);
    }

    private TimelineRow row(int number, int column, Move move, StepAction action) {
        Step step = steps.step(move.step());
        String place = Stream.of(move.place(), move.value().isEmpty() ? "" : "= " + move.value(),
                move.older() ? "(an older write)" : "",
                move.races() ? "(in no order)" : "").filter(s -> !s.isEmpty()).reduce((a, b) -> a + " " + b).orElse("");
        return new TimelineRow(number, List.of(column), action, place, move.kind() == Move.Kind.STEP ? "" : "by a copy",
                0, 1, 0, List.of(), List.of(), move.step(), source.lineOf(move.step()),
                step.purpose().isEmpty() ? step.operation().summary() : step.purpose());
    }

    private StepAction action(Move move) {
        return switch (move.kind()) {
            case COPY_READS -> StepAction.LOAD;
            case COPY_WRITES -> StepAction.STORE;
            case COPY_ENDS -> StepAction.ARRIVE;
            case STEP -> StepAction.of(steps.step(move.step()).operation());
        };
    }
}
