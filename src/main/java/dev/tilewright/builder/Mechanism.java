package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

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
        this.options = List.copyOf(options);
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

    /** The options, in the order in which they are listed. */
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
     * @param schedule what is chosen of its options
     * @throws dev.tilewright.BadRequestException if a text is no value of its option
     */
    B builder(ElementType type, int rank, Schedule schedule) {
        B builder = builder(type);
        builder.arrayRank = rank;
        schedule.grid().ifPresent(builder::grid);
        for (Option<? super B, ?> option : options) {
            schedule.get(option.name()).ifPresent(text -> option.set(builder, text));
        }
        return builder;
    }

    /** Every option's value in a builder with these choices, as a user would write it. */
    Schedule settings(ElementType type, int rank, Schedule schedule) {
        B builder = builder(type, rank, schedule);
        return new Schedule(options.stream().collect(Collectors.toMap(Option::name, option -> option.text(builder))),
                schedule.grid());
    }

    @Override
    public String toString() {
        return name;
    }
}
