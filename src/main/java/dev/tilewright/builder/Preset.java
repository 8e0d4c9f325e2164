package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A named, ready choice of builder and options, which a user may still change option by option.
 *
 * @param name what the command calls it
 * @param mechanism the builder
 * @param summary one line that says what it does
 * @param choices the options that it sets, by name, as a user would write them
 */
public record Preset(String name, Mechanism<?> mechanism, String summary, Map<String, String> choices) {

    /** @throws BadRequestException if the mechanism has no option of such a name */
    public Preset {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(mechanism, "mechanism");
        Objects.requireNonNull(summary, "summary");
        Objects.requireNonNull(choices, "choices");
        choices = Map.copyOf(choices);
        requireOptions(name, mechanism, choices);
    }

    /** The least capable target it runs on. */
    public Target minimumTarget() {
        return mechanism.minimumTarget();
    }

    /**
     * The preset's kernel for elements of this type.
     *
     * @param rank dimensions of the array it is for; it only decides the default tile
     * @param changes options that replace the preset's own, by name
     * @throws BadRequestException if an option is not one of the preset's, or has a value that will not do
     */
    public TileKernel build(ElementType type, int rank, Map<String, String> changes) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(changes, "changes");
        return mechanism.builder(type, rank, with(changes)).kernelName(KernelBuilder.identifier(name)).build();
    }

    /** The kernel as the preset stands, for matrices. */
    public TileKernel build(ElementType type) {
        Objects.requireNonNull(type, "type");
        return build(type, 2, Map.of());
    }

    /**
     * What {@link #build} would build with: the value of every option, chosen or by default, as a user would write it,
     * by name and in the order in which options are listed.
     */
    public Map<String, String> settings(ElementType type, int rank, Map<String, String> changes) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(changes, "changes");
        return mechanism.settings(type, rank, with(changes));
    }

    private Map<String, String> with(Map<String, String> changes) {
        requireOptions(name, mechanism, changes);
        Map<String, String> all = new HashMap<>(choices);
        all.putAll(changes);
        return all;
    }

    private static void requireOptions(String preset, Mechanism<?> mechanism, Map<String, String> options) {
        for (String option : options.keySet()) {
            if (!mechanism.hasOption(option)) {
                throw new BadRequestException("preset '" + preset + "' has no option --" + option + "; it has "
                        + mechanism.options().stream().map(Option::toString).collect(Collectors.joining(", ")));
            }
        }
    }
}
