package dev.tilewright.builder;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * An option of a builder, declared once, by the builder, with how it takes a value. The command reads its options and
 * their help here, verification its random values, benchmarks what they sweep.
 *
 * @param <B> the builder whose option it is
 * @param <V> type of its values
 */
public final class Option<B extends KernelBuilder<?>, V> extends ScheduleOption<V> {
    private final String label;
    private final BiConsumer<B, V> setter;
    private final Function<B, V> getter;

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
        this(name, label, help, values, setter, getter, List.of());
    }

    private Option(String name, String label, String help, Values<V> values, BiConsumer<B, V> setter,
            Function<B, V> getter, List<String> sweep) {
        super(name, help, values, sweep);
        this.label = label;
        this.setter = setter;
        this.getter = getter;
    }

    /** This option with the values that benchmarks go through, written as users write them. */
    Option<B, V> sweeping(String... texts) {
        return new Option<>(name(), label, help(), values, setter, getter, List.of(texts));
    }

    /** The placeholder of the value in a line of help: {@code N}. */
    public String label() {
        return label;
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
        setter.accept(builder, values.parse(name(), text, builder.type));
    }

    /** The name as on the command line. */
    @Override
    public String toString() {
        return "--" + name();
    }
}
