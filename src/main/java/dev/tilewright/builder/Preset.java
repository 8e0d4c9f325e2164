package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.Nearest;
import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A named, ready choice of builder and options, which a user may still change option by option.
 *
 * @param name what the command calls it
 * @param mechanism the builder
 * @param summary one line that says what it does
 * @param schedule what it chooses
 */
public record Preset(String name, Mechanism<?> mechanism, String summary, Schedule schedule) {

    /** @throws BadRequestException if the mechanism has no option of such a name */
    public Preset {
        NotNull.all("name, mechanism, summary, schedule", name, mechanism, summary, schedule);
        requireOptions(name, mechanism, schedule);
    }

    /** The least capable target it runs on. */
    public Target minimumTarget() {
        return mechanism.minimumTarget();
    }

    /**
     * The preset's kernel for elements of this type.
     *
     * @param rank dimensions of the array it is for; it only decides the default tile
     * @param changes what is chosen instead of the preset's own
     * @throws BadRequestException if an option is not one of the preset's, or has a value that will not do
     */
    public ElementwiseKernel build(ElementType type, int rank, Schedule changes) {
        NotNull.all("type, changes", type, changes);
        return mechanism.builder(type, rank, with(changes)).kernelName(KernelBuilder.identifier(name)).build();
    }

    /** The kernel as the preset stands, for matrices. */
    public ElementwiseKernel build(ElementType type) {
        Objects.requireNonNull(type, "type");
        return build(type, 2, Schedule.DEFAULT);
    }

    /**
     * The settings that {@link #build} would use: the value of every option, chosen or by default, as a user would
     * write it.
     */
    public Schedule settings(ElementType type, int rank, Schedule changes) {
        NotNull.all("type, changes", type, changes);
        return mechanism.settings(type, rank, with(changes));
    }

    private Schedule with(Schedule changes) {
        requireOptions(name, mechanism, changes);
        return schedule.with(changes);
    }

    private static void requireOptions(String preset, Mechanism<?> mechanism, Schedule schedule) {
        for (String option : schedule.options().keySet()) {
            if (!mechanism.hasOption(option)) {
                throw new BadRequestException("preset '" + preset + "' has no option --" + option + "; it has "
                        + mechanism.options().stream().map(Option::toString).collect(Collectors.joining(", "))
                        + Nearest.question(option, mechanism.options().stream().map(Option::name).toList()));
            }
        }
    }
}
