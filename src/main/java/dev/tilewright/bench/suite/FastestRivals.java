package dev.tilewright.bench.suite;

import dev.tilewright.bench.result.Row;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * Puts rows of ours beside the fastest of others that do the same work: beside the fastest C++ kernel of the same
 * mechanism, where there is one, and, under a name of its own, beside the fastest of whatever mechanism where that is
 * another; beside the fastest of every other side. By what both are of cuMemcpy, each in turns with it in its own
 * process, where both say so: what one process has of faster or slower memory, or of another moment's clocks, is then
 * not its own.
 */
final class FastestRivals {
    /** What the ratio to the fastest C++ kernel is of where that does the work in another way. */
    static final String OF_ANY_MECHANISM = Row.CPP + " of any mechanism";

    private FastestRivals() { }

    /**
     * Ours beside them.
     *
     * @param rivals rows of the same work by others
     * @param mechanisms of the C++ kernels that do it as ours does
     * @param demanded of the fastest of these; null for nothing
     */
    static Row beside(Row ours, List<Row> rivals, Set<String> mechanisms, Double demanded) {
        Row row = ours;
        for (String side : rivals.stream().map(Row::side).distinct().toList()) {
            List<Row> theirs = rivals.stream().filter(rival -> rival.side().equals(side)).toList();
            if (side.equals(Row.CPP)) {
                OptionalDouble same = fastest(ours, theirs.stream().filter(rival -> mechanisms.contains(
                        rival.parameters().getOrDefault(Row.MECHANISM, ""))).toList());
                OptionalDouble any = fastest(ours, theirs);
                row = same.isPresent() ? row.beside(side, same.getAsDouble(), demanded) : row;
                row = any.isPresent() && !any.equals(same) ? row.beside(OF_ANY_MECHANISM, any.getAsDouble(), null)
                        : row;
            } else {
                OptionalDouble best = fastest(ours, theirs);
                row = best.isPresent() ? row.beside(side, best.getAsDouble(), null) : row;
            }
        }
        return row;
    }

    /** What the fastest would have reached in the turns of ours. */
    private static OptionalDouble fastest(Row ours, List<Row> rivals) {
        return rivals.stream().filter(rival -> rival.figure() != null && rival.unit() == ours.unit())
                .mapToDouble(rival -> ours.ratioTo(Row.MEMCPY).flatMap(own -> rival.ratioTo(Row.MEMCPY)
                        .map(theirs -> ours.figure().median() / own * theirs)).orElse(rival.figure().median())).max();
    }
}
