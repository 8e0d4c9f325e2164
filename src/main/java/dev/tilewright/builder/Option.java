package dev.tilewright.builder;

import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * One thing that a user may choose about a kernel, declared once, by its builder: what it is called, which values it
 * has, how a builder takes one. The command reads its options and their help here, verification its random values,
 * benchmarks what they sweep.
 *
 * @param <B> the builder whose option it is
 * @param <V> type of its values
 */
public final class Option<B extends KernelBuilder<?>, V> {
    private final String name;
    private final String label;
    private final String help;
    private final Values<V> values;
    private final BiConsumer<B, V> setter;
    private final Function<B, V> getter;
    private final List<String> sweep;
    private final boolean isOfTheWork;

    /**
     * An option.
     *
     * @param name what users call it, without dashes: {@code copy-bytes}
     * @param label what stands for a value in a line of help: {@code N}
     * @param help what is chosen, in a few words that the range follows
     * @param setter how the builder takes a value
     * @param getter the value that the builder has now, chosen or by default
     */
    Option(String name, String label, String help, Values<V> values, BiConsumer<B, V> setter, Function<B, V> getter) {
        this(name, label, help, values, setter, getter, List.of(), false);
    }

    private Option(String name, String label, String help, Values<V> values, BiConsumer<B, V> setter,
            Function<B, V> getter, List<String> sweep, boolean isOfTheWork) {
        this.name = name;
        this.label = label;
        this.help = help;
        this.values = values;
        this.setter = setter;
        this.getter = getter;
        this.sweep = sweep;
        this.isOfTheWork = isOfTheWork;
    }

    /** This option with the values that benchmarks go through, written as users write them. */
    Option<B, V> sweeping(String... texts) {
        return new Option<>(name, label, help, values, setter, getter, List.of(texts), isOfTheWork);
    }

    /** This option as one that says which work is done; others only say how. */
    Option<B, V> ofTheWork() {
        return new Option<>(name, label, help, values, setter, getter, sweep, true);
    }

    /** The option's name for users, which the command takes after {@code --}. */
    public String name() {
        return name;
    }

    /** The placeholder of the value in a line of help: {@code N}. */
    public String label() {
        return label;
    }

    /** What the option sets, in a few words. */
    public String help() {
        return help;
    }

    /** The legal values in a few words: {@code 1 to 8}. */
    public String range() {
        return values.range();
    }

    /** A random legal value, as a user would write it. The builder may still refuse it together with other choices. */
    public String sample(RandomGenerator random, ElementType type) {
        NotNull.all("random, type", random, type);
        return values.text(values.sample(random, type));
    }

    /** The values that benchmarks go through, as a user would write them; none where only the default is measured. */
    public List<String> sweep() {
        return sweep;
    }

    /**
     * Whether the option changes the work, such as the step; kernels that differ only in other options do the same
     * work.
     */
    public boolean isOfTheWork() {
        return isOfTheWork;
    }

    /** Whether the builder's value is legal. */
    boolean admits(B builder) {
        return values.admits(getter.apply(builder));
    }

    /** The builder's value, as a user would write it. */
    String text(B builder) {
        return values.text(getter.apply(builder));
    }

    /** Sets the builder's value. @throws dev.tilewright.BadRequestException if the text is no value */
    void set(B builder, String text) {
        setter.accept(builder, values.parse(name, text, builder.type));
    }

    /** The name as on the command line. */
    @Override
    public String toString() {
        return "--" + name;
    }
}
