package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import java.util.random.RandomGenerator;

/**
 * The multiples of a number between two of them.
 *
 * @param least the smallest
 * @param most the largest
 * @param factor what they are multiples of: 1 for every whole number
 */
record Numbers(int least, int most, int factor) implements Values<Integer> {

    Numbers(int least, int most) {
        this(least, most, 1);
    }

    @Override
    public String range() {
        return least + " to " + most + (factor == 1 ? "" : ", a multiple of " + factor);
    }

    @Override
    public boolean admits(Integer value) {
        return value >= least && value <= most && value % factor == 0;
    }

    @Override
    public Integer parse(String option, String text, ElementType type) {
        return wholeNumber(option, text);
    }

    static int wholeNumber(String option, String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NumberFormatException e) {
            throw new BadRequestException("--" + option + " takes a whole number, got '" + text + "'", e);
        }
    }

    @Override
    public String text(Integer value) {
        return value.toString();
    }

    @Override
    public Integer sample(RandomGenerator random, ElementType type) {
        return least + factor * random.nextInt((most - least) / factor + 1);
    }
}
