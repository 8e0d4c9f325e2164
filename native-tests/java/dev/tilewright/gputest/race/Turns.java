package dev.tilewright.gputest.race;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * One subject measured by both sides, turn by turn, so that both have the same clocks, the same neighbours on the
 * host and the same warmth.
 *
 * @param ours of all our turns
 * @param theirs of all of theirs; null where there is no C++ side
 */
record Turns(Figure ours, Figure theirs) {

    static Turns take(int rounds, Supplier<Figure> ours, Supplier<Figure> theirs) {
        List<Figure> own = new ArrayList<>();
        List<Figure> others = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            own.add(ours.get());
            others.add(theirs.get());
        }
        return new Turns(Figure.ofTurns(own), Figure.ofTurns(others));
    }

    /** The greater of both medians. */
    double best() {
        return theirs == null ? ours.median() : Math.max(ours.median(), theirs.median());
    }
}
