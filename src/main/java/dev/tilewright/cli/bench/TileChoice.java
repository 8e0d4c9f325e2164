package dev.tilewright.cli.bench;

import dev.tilewright.BadRequestException;
import dev.tilewright.bench.tune.TileTuner;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.TileOption;
import dev.tilewright.cli.kernel.UserTileKernel;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which tile kernels are tuned, and for which extents. */
final class TileChoice {
    private static final String ALL = "tiles";

    private final Terminal terminal;

    @Mixin
    final UserTileKernel own = new UserTileKernel();

    @Option(names = "--extents", paramLabel = "NAME=N", split = ",",
            description = "for tile kernels: the extents of all dimensions, such as rows=65536,columns=4096; default "
                    + "the extents that a preset is measured for")
    Map<String, Long> extents = new TreeMap<>();

    TileChoice(Terminal terminal) {
        this.terminal = terminal;
    }

    /** Tells the verb's help what is tried; picocli calls this when it sets the verb up. */
    @Spec(Spec.Target.MIXEE)
    void addTo(CommandSpec verb) {
        verb.usageMessage().footer("", "Of a tile kernel it tries sizes of tiles, and " + TileOption.ALL.stream()
                .filter(option -> !option.sweep().isEmpty()).map(option -> option.name() + "="
                + String.join("|", option.sweep())).collect(Collectors.joining(", ")) + ".");
    }

    /** Whether a name is that of a tile kernel, or of all. */
    static boolean isTile(String name, PresetCatalog presets) {
        return name.equals(ALL) || presets.find(name).isEmpty() && TilePresets.find(name).isPresent();
    }

    /** @param type of a preset's elements; null for the types that it is measured for */
    List<TileTuner.Job> jobs(List<String> names, String type, PresetCatalog presets) {
        List<TileTuner.Job> jobs = new ArrayList<>();
        if (own.isNamed()) {
            TileKernel kernel = own.load(terminal);
            jobs.add(new TileTuner.Job(kernel.name(), kernel, required(kernel, extents)));
        }
        List<TilePreset> chosen = names.contains(ALL) ? TilePresets.ALL : names.stream().distinct()
                .filter(name -> isTile(name, presets)).map(name -> TilePresets.find(name).orElseThrow()).toList();
        for (TilePreset preset : chosen) {
            for (ValueType of : type == null ? preset.measuredTypes() : List.of(Arguments.valueType(type))) {
                TileKernel kernel = preset.kernel(of);
                for (Map<String, Long> size : extents.isEmpty() ? preset.sizes(of) : List.of(extents)) {
                    jobs.add(new TileTuner.Job(preset.title(of), kernel, required(kernel, size)));
                }
            }
        }
        if (jobs.isEmpty() && !extents.isEmpty()) {
            throw new BadRequestException("--extents is of tile kernels, and there is none among " + names);
        }
        return jobs;
    }

    /** Extents of just the kernel's dimensions. */
    private static Map<String, Long> required(TileKernel kernel, Map<String, Long> given) {
        List<String> dims = kernel.dims().stream().map(Dim::name).toList();
        given.forEach((dim, extent) -> {
            if (!dims.contains(dim) || extent < 1) {
                throw new BadRequestException("--extents " + dim + "=" + extent + ": kernel '" + kernel.name()
                        + "' has dimensions " + dims + ", and extents are 1 or more");
            }
        });
        dims.stream().filter(dim -> !given.containsKey(dim)).findFirst().ifPresent(dim -> {
            throw new BadRequestException("kernel '" + kernel.name() + "' has dimension '" + dim + "': say its extent "
                    + "too, such as --extents " + dim + "=4096");
        });
        return given;
    }
}
