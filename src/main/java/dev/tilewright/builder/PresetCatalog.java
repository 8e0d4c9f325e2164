package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Presets that are offered together, in the order in which they are listed: {@link Presets#CATALOG}, or one's own.
 *
 * @param presets with names that differ
 */
public record PresetCatalog(List<Preset> presets) {

    public PresetCatalog {
        NotNull.all("presets", presets);
        presets = List.copyOf(presets);
        Set<String> names = new HashSet<>();
        for (Preset preset : presets) {
            if (!names.add(preset.name())) {
                throw new IllegalArgumentException("two presets are called '" + preset.name() + "'");
            }
        }
    }

    /** The preset of this name, if there is one. */
    public Optional<Preset> find(String name) {
        Objects.requireNonNull(name, "name");
        return presets.stream().filter(p -> p.name().equals(name)).findFirst();
    }

    /**
     * The preset of this name.
     *
     * @throws BadRequestException for another name; the message has all that there are
     */
    public Preset named(String name) {
        Objects.requireNonNull(name, "name");
        return find(name).orElseThrow(() -> new BadRequestException("there is no preset '" + name + "': "
                + (presets.isEmpty() ? "the catalogue is empty"
                        : presets.stream().map(Preset::name).collect(Collectors.joining(", ", "there are ", "")))));
    }

    /** The mechanisms behind the presets, in the order of the first preset of each. */
    public List<Mechanism<?>> mechanisms() {
        return presets.stream().<Mechanism<?>>map(Preset::mechanism).distinct().toList();
    }
}
