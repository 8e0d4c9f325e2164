package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.commons.text.similarity.LevenshteinDistance;

/**
 * Presets that are offered together, in the order in which they are listed: {@link Presets#CATALOG}, or one's own.
 *
 * @param presets with names that differ
 */
public record PresetCatalog(List<Preset> presets) {

    public PresetCatalog {
        Objects.requireNonNull(presets, "presets");
        presets = List.copyOf(presets);
        Set<String> names = new HashSet<>();
        for (Preset preset : presets) {
            if (!names.add(preset.name())) {
                throw new IllegalArgumentException("two presets are called '" + preset.name() + "'");
            }
        }
    }

    /** The preset of this name. @throws BadRequestException for another name; the message suggests the nearest */
    public Preset named(String name) {
        Objects.requireNonNull(name, "name");
        return presets.stream().filter(p -> p.name().equals(name)).findFirst()
                .orElseThrow(() -> new BadRequestException("there is no preset '" + name + "': "
                        + nearest(name).map(n -> "did you mean '" + n + "'?").orElse("see 'tilewright list'")));
    }

    /** The name most like this one, where one is like it at all. */
    private Optional<String> nearest(String name) {
        LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
        return presets.stream().map(Preset::name).min(Comparator.comparing(known -> distance.apply(name, known)))
                .filter(known -> distance.apply(name, known) <= Math.max(3, name.length() / 2));
    }

    /** The mechanisms behind the presets, in the order of the first preset of each. */
    public List<Mechanism<?>> mechanisms() {
        return presets.stream().<Mechanism<?>>map(Preset::mechanism).distinct().toList();
    }
}
