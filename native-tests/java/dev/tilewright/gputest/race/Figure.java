package dev.tilewright.gputest.race;

import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Objects;

/**
 * What was measured of one subject.
 *
 * @param median of the samples
 * @param least of them
 * @param most of them
 * @param samples how many
 */
record Figure(double median, double least, double most, int samples) {

    /** Of samples in any order; there is at least one. */
    static Figure of(double... samples) {
        double[] sorted = samples.clone();
        Arrays.sort(sorted);
        return new Figure(sorted[sorted.length / 2], sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    /** Of several turns: the median of their medians, and how far these are apart; null where a side has none. */
    static Figure ofTurns(Collection<Figure> turns) {
        return turns.stream().anyMatch(Objects::isNull) ? null
                : of(turns.stream().mapToDouble(Figure::median).toArray());
    }

    @Override
    public String toString() {
        return number(median) + " (" + number(least) + " to " + number(most) + ")";
    }

    /** Three to four digits that count. */
    static String number(double value) {
        return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.3f", value);
    }
}
