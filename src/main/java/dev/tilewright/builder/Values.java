package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import java.util.random.RandomGenerator;

/**
 * The values that an {@link Option} can have: how they are written, which of them are legal, and random ones of those.
 *
 * @param <V> type of a value
 */
interface Values<V> {

    /** The legal values in a few words, as a line of help has them: {@code 1 to 8}. */
    String range();

    /** Whether a value is legal by itself. What goes together with what, the builder looks at when it builds. */
    boolean admits(V value);

    /**
     * Reads a value, legal or not.
     *
     * @param option the option's name, for the message
     * @param type the kernel's element type
     * @throws dev.tilewright.BadRequestException if the text is no value at all; the message says what would be
     */
    V parse(String option, String text, ElementType type);

    /** The value as {@link #parse} reads it. */
    String text(V value);

    /** A random legal value for a kernel of this element type. */
    V sample(RandomGenerator random, ElementType type);
}
