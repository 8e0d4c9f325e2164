package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import java.util.Comparator;
import java.util.Optional;
import org.apache.commons.text.similarity.LevenshteinDistance;

/** The presets that people name on a command line: a name that is not there gets the nearest one that is. */
public final class PresetNames {
    private PresetNames() {
    }

    /** The preset of this name. @throws BadRequestException for another name; the message suggests the nearest */
    public static Preset require(PresetCatalog presets, String name) {
        if (name == null) {
            throw new BadRequestException("name a preset (see 'tilewright list'), or a kernel of your own: "
                    + "--class-path PATH --program CLASS#MEMBER");
        }
        return presets.find(name).orElseThrow(() -> new BadRequestException("there is no preset '" + name + "': "
                + nearest(presets, name).map(n -> "did you mean '" + n + "'?").orElse("see 'tilewright list'")));
    }

    /** The name most like this one, where one is like it at all. */
    private static Optional<String> nearest(PresetCatalog presets, String name) {
        LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
        return presets.presets().stream().map(Preset::name)
                .min(Comparator.comparing(known -> distance.apply(name, known)))
                .filter(known -> distance.apply(name, known) <= Math.max(3, name.length() / 2));
    }
}
