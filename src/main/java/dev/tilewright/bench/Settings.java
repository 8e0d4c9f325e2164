package dev.tilewright.bench;

import java.util.List;

/**
 * How a run measures.
 *
 * @param sizes of arrays, in bytes, where a suite measures several; empty for each suite's own
 * @param seed of all random data
 * @param turns that each side has of each subject
 * @param warmUpMillis milliseconds of the measured work itself before it is measured: an idle GPU takes a while to
 *     raise its clocks
 * @param gpu the ordinal of the GPU
 * @param rivals whether others are measured beside ours where they are there
 */
public record Settings(List<Long> sizes, long seed, int turns, double warmUpMillis, int gpu, boolean rivals) {

    /** What is measured where nothing is chosen. */
    public static final Settings DEFAULT = new Settings(List.of(), 1, 15, 200, 0, true);

    public Settings {
        sizes = List.copyOf(sizes);
        if (turns < 1) {
            throw new IllegalArgumentException("turns must be at least 1, got " + turns);
        }
    }

    /** How often sides take turns where one turn is many measurements, such as of launches: fewer. */
    public int rounds() {
        return Math.clamp(turns / 3, 1, 9);
    }

    /** The sizes that were chosen, or else these. */
    public List<Long> sizes(Long... otherwise) {
        return sizes.isEmpty() ? List.of(otherwise) : sizes;
    }
}
