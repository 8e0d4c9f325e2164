package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.commons.lang3.Validate;

/**
 * One hardware mechanism that moves tiles, as its builder declares it: everything that the rest of the library needs to
 * know about a builder.
 *
 * @param <B> the builder
 */
public final class Mechanism<B extends KernelBuilder<B>> {
    private final String name;
    private final String instruction;
    private final Target minimumTarget;
    private final Function<ElementType, B> factory;
    final List<Option<? super B, ?>> options;

    /**
     * A mechanism.
     *
     * @param name as in messages: {@code tensor-copy}
     * @param instruction the PTX instruction that moves the tiles
     * @param minimumTarget the least capable target that has it
     * @param factory starts a builder for elements of a type
     * @param options what can be chosen, in the order in which it is listed
     */
    Mechanism(String name, String instruction, Target minimumTarget, Function<ElementType, B> factory,
            List<Option<? super B, ?>> options) {
        this.name = name;
        this.instruction = instruction;
        this.minimumTarget = minimumTarget;
        this.factory = factory;
        this.options = List.copyOf(Validate.noNullElements(options, "options: element %d is null"));
    }

    /** The name, as in messages: {@code tensor-copy}. */
    public String name() {
        return name;
    }

    /** The PTX instruction that moves the tiles. */
    public String instruction() {
        return instruction;
    }

    /** The least capable target that has it. */
    public Target minimumTarget() {
        return minimumTarget;
    }

    /** What can be chosen, in the order in which it is listed. */
    public List<Option<?, ?>> options() {
        return List.copyOf(options);
    }

    /** Whether there is an option of this name. */
    public boolean hasOption(String option) {
        Objects.requireNonNull(option, "option");
        return options.stream().anyMatch(o -> o.name().equals(option));
    }

    /** Starts a builder. */
    B builder(ElementType type) {
        return factory.apply(type);
    }

    /**
     * A builder with these choices.
     *
     * @param rank dimensions of the array that the kernel is for; it only decides the default tile
     * @param choices texts by the names of options that it has
     * @throws dev.tilewright.BadRequestException if a text is no value of its option
     */
    B builder(ElementType type, int rank, Map<String, String> choices) {
        B builder = builder(type);
        builder.arrayRank = rank;
        for (Option<? super B, ?> option : options) {
            if (choices.containsKey(option.name())) {
                option.set(builder, choices.get(option.name()));
            }
        }
        return builder;
    }

    /** Every option's value in a builder with these choices, as a user would write it. */
    Map<String, String> settings(ElementType type, int rank, Map<String, String> choices) {
        B builder = builder(type, rank, choices);
        Map<String, String> settings = new LinkedHashMap<>();
        options.forEach(option -> settings.put(option.name(), option.text(builder)));
        return settings;
    }

    @Override
    public String toString() {
        return name;
    }
}
