package dev.tilewright.verify.draw;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * Where a generator's decisions come from: a list of numbers, and behind its end either random ones, which are written
 * down, or zeros. So the list that was written down makes the same again, and a shorter one, or one of smaller numbers,
 * something simpler: a generator lets 0 stand for the simplest of each choice.
 */
final class DrawnChoices {
    private static final int SEEDS = 1 << 20;

    private final List<Integer> given;
    /** Nothing for zeros behind the end of what is given. */
    private final SplittableRandom random;
    private final List<Integer> taken = new ArrayList<>();

    private DrawnChoices(List<Integer> given, SplittableRandom random) {
        this.given = given;
        this.random = random;
    }

    /** Random ones. */
    public static DrawnChoices random(long seed) {
        return startingWith(List.of(), seed);
    }

    /** These, and random ones behind them. */
    public static DrawnChoices startingWith(List<Integer> first, long seed) {
        return new DrawnChoices(List.copyOf(first), new SplittableRandom(seed));
    }

    /** These, and zeros behind them. */
    public static DrawnChoices of(List<Integer> numbers) {
        return new DrawnChoices(List.copyOf(numbers), null);
    }

    /** A number from 0 on, below the bound. */
    public int below(int bound) {
        if (bound < 1) {
            throw new IllegalArgumentException("there must be something to choose from, got " + bound);
        }
        int number = taken.size() < given.size() ? Math.min(given.get(taken.size()), bound - 1)
                : random == null ? 0 : random.nextInt(bound);
        taken.add(number);
        return number;
    }

    /** A number from the first to the last of these. */
    public int between(int first, int last) {
        return first + below(last - first + 1);
    }

    /** Whether something less simple is done, every other time. */
    public boolean flag() {
        return oneIn(2);
    }

    /** Whether something less simple is done, so rarely. */
    public boolean oneIn(int times) {
        return below(times) == times - 1;
    }

    /** One of these, the simplest first. */
    public <T> T of(T[] all) {
        return all[below(all.length)];
    }

    /** One of these, the simplest first. */
    public <T> T one(List<T> all) {
        return all.get(below(all.size()));
    }

    /** What data is drawn from, where it does not matter which. */
    public long seed() {
        return below(SEEDS);
    }

    /** What was chosen so far. */
    public List<Integer> taken() {
        return List.copyOf(taken);
    }

    /** As {@link #parse} reads them: none are as good as a zero. */
    public static String text(List<Integer> numbers) {
        return numbers.isEmpty() ? "0" : numbers.stream().map(String::valueOf).collect(Collectors.joining("."));
    }

    /** @throws IllegalArgumentException if the text is no list of numbers with dots between them */
    public static List<Integer> parse(String text) {
        try {
            List<Integer> numbers = Arrays.stream(text.split("\\.", -1)).map(Integer::valueOf).toList();
            if (numbers.stream().allMatch(n -> n >= 0)) {
                return numbers;
            }
        } catch (NumberFormatException e) {
            // As below.
        }
        throw new IllegalArgumentException("choices are numbers from 0 on with dots between them, got '" + text + "'");
    }
}
