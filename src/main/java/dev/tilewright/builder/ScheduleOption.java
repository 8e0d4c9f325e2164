package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;

/**
 * One thing that a {@link Schedule} may choose, declared once: its name, what it is for, its values and how these are
 * written. The command, its help, documents and tuners read it there.
 *
 * @param <V> type of its values
 */
public abstract sealed class ScheduleOption<V> permits Option, TileOption {
    final Values<V> values;
    private final String name;
    private final String help;
    private final List<String> sweep;

    ScheduleOption(String name, String help, Values<V> values, List<String> sweep) {
        this.name = name;
        this.help = help;
        this.values = values;
        this.sweep = sweep;
    }

    /** The option's name for users, as in {@code stages=4}. */
    public String name() {
        return name;
    }

    /** Whether another option is the same choice, of another builder perhaps: it has the same name. */
    public boolean isLike(ScheduleOption<?> other) {
        return name.equals(Objects.requireNonNull(other, "other").name);
    }

    /** What the option sets, in a few words. */
    public String help() {
        return help;
    }

    /** The legal values in a few words: {@code 1 to 8}. */
    public String range() {
        return values.range();
    }

    /** A random legal value, as a user would write it. A kernel may still refuse it together with other choices. */
    public String sample(RandomGenerator random, ElementType type) {
        NotNull.all("random, type", random, type);
        return values.text(values.sample(random, type));
    }

    /** The values that tuners and benchmarks go through, as a user would write them; none where they try no other. */
    public List<String> sweep() {
        return sweep;
    }

    /** A value as a user would write it. @throws BadRequestException if it is out of range */
    String legal(V value) {
        String text = values.text(value);
        if (!values.admits(value)) {
            throw wrong(text);
        }
        return text;
    }

    BadRequestException wrong(String text) {
        return new BadRequestException("a schedule has " + name + "=" + text + ": choose " + range());
    }
}
