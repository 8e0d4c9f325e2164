package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.Nearest;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.List;
import java.util.stream.Stream;

/** The presets that people name on a command line: a name that is not there gets the nearest one that is. */
public final class PresetNames {
    private PresetNames() { }

    /**
     * The preset of this name that moves arrays.
     *
     * @throws BadRequestException for another name; the message suggests the nearest
     */
    public static Preset require(PresetCatalog presets, String name) {
        if (name == null) {
            throw new BadRequestException("name a preset (see 'tilewright list'), or a kernel of your own: "
                    + "--class-path PATH --program CLASS#MEMBER");
        }
        return presets.find(name).orElseThrow(() -> new BadRequestException(TilePresets.find(name).isPresent()
                ? "preset '" + name + "' is a tile kernel, and this takes presets that move one array, such as '"
                        + presets.presets().getFirst().name() + "'"
                : "there is no preset '" + name + "': " + Nearest.to(name, names(presets))
                        .map(n -> "did you mean '" + n + "'?").orElse("see 'tilewright list'")));
    }

    private static List<String> names(PresetCatalog presets) {
        return Stream.concat(presets.presets().stream().map(Preset::name),
                TilePresets.ALL.stream().map(TilePreset::name)).toList();
    }
}
