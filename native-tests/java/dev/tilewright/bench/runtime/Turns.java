package dev.tilewright.bench.runtime;

import dev.tilewright.bench.result.Spread;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * One subject measured by both sides, turn by turn, so that both have the same clocks, the same neighbours on the
 * host and the same warmth.
 *
 * @param ours the medians of our turns
 * @param theirs of theirs; null where there is no C++ side
 */
record Turns(Spread ours, Spread theirs) {

    static Turns take(int rounds, Supplier<Spread> ours, Supplier<Spread> theirs) {
        List<Spread> own = new ArrayList<>();
        List<Spread> others = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            own.add(ours.get());
            others.add(theirs.get());
        }
        return new Turns(of(own), of(others));
    }

    /** How the medians of turns lie; null where a side has none. */
    static Spread of(List<Spread> turns) {
        return turns.isEmpty() || turns.stream().anyMatch(Objects::isNull) ? null
                : Spread.of(turns.stream().mapToDouble(Spread::median).toArray());
    }

    /** What the medians of one side's turns have of another's, turn by turn; null where a side has none. */
    static Spread ratios(List<Spread> of, List<Spread> to) {
        return of(of) == null || of(to) == null ? null
                : Spread.of(IntStream.range(0, of.size()).mapToDouble(i -> of.get(i).median() / to.get(i).median())
                .toArray());
    }

    /** The greater of both medians. */
    double best() {
        return theirs == null ? ours.median() : Math.max(ours.median(), theirs.median());
    }
}
