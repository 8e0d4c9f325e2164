package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** A few values, each with a name. */
final class Choices<V> implements Values<V> {
    private final List<V> choices;
    private final Function<V, String> writer;
    private final BiFunction<String, String, V> reader;

    private Choices(List<V> choices, Function<V, String> writer, BiFunction<String, String, V> reader) {
        this.choices = List.copyOf(choices);
        this.writer = writer;
        this.reader = reader;
    }

    /** Whole numbers. Another number is read too, and is not legal. */
    static Choices<Integer> numbers(Integer... numbers) {
        return new Choices<>(List.of(numbers), Object::toString, Numbers::wholeNumber);
    }

    /** The constants of an enum, by their names in lower case; any case is read. */
    static <E extends Enum<E>> Choices<E> of(Class<E> type) {
        List<E> constants = List.of(type.getEnumConstants());
        return new Choices<>(constants, Choices::name, (option, text) -> constants.stream()
                .filter(c -> c.name().equalsIgnoreCase(text.trim())).findFirst()
                .orElseThrow(() -> new BadRequestException("--" + option + " is one of "
                        + constants.stream().map(Choices::name).collect(Collectors.joining(", "))
                        + ", got '" + text + "'")));
    }

    /** The steps that are there, by their names; any case is read. */
    static Choices<ElementStep> steps() {
        return new Choices<>(ElementStep.CONSTANTS, ElementStep::name, (option, text) -> ElementStep.constant(text)
                .orElseThrow(() -> new BadRequestException("--" + option + " is one of "
                        + ElementStep.CONSTANTS.stream().map(ElementStep::name).collect(Collectors.joining(", "))
                        + ", got '" + text + "'")));
    }

    /**
     * Values that write themselves.
     *
     * @param reader throws IllegalArgumentException, with a message, where it reads none
     */
    static <V> Choices<V> read(List<V> choices, Function<String, V> reader) {
        return new Choices<>(choices, Object::toString, (option, text) -> {
            try {
                return reader.apply(text);
            } catch (IllegalArgumentException e) {
                throw new BadRequestException("--" + option + ": " + e.getMessage(), e);
            }
        });
    }

    /** Extents of as many dimensions each: {@code 2x1}. */
    static Choices<List<Integer>> extents(List<List<Integer>> extents) {
        int dimensions = extents.getFirst().size();
        return new Choices<>(extents, Shapes::text, (option, text) -> new Extents(dimensions, dimensions, 1, 1)
                .parse(option, text, ElementType.U8));
    }

    /** An enum constant as users write it: its name in lower case. */
    static String name(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String range() {
        List<String> names = choices.stream().map(writer).toList();
        return names.size() == 1 ? names.getFirst()
                : String.join(", ", names.subList(0, names.size() - 1)) + " or " + names.getLast();
    }

    @Override
    public boolean admits(V value) {
        return choices.contains(value);
    }

    @Override
    public V parse(String option, String text, ElementType type) {
        return reader.apply(option, text);
    }

    @Override
    public String text(V value) {
        return writer.apply(value);
    }

    @Override
    public V sample(RandomGenerator random, ElementType type) {
        return choices.get(random.nextInt(choices.size()));
    }
}
