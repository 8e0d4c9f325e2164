package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.Nearest;

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
                + Nearest.to(name, presets.presets().stream().map(Preset::name).toList())
                        .map(n -> "did you mean '" + n + "'?").orElse("see 'tilewright list'")));
    }
}
