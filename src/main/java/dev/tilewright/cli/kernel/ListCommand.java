package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import dev.tilewright.tuning.Tuning;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;

/** {@code list}: the presets. */
@Command(name = "list", description = "The presets: name, mechanism, minimum target, what each does.")
public final class ListCommand extends JsonVerb {
    private final PresetCatalog presets;

    private static final String UNMEASURED = " (schedule not measured yet)";
    private static final String TILE_KERNEL = "tile kernel";

    /**
     * A preset in the document.
     *
     * @param options as they are written on the command line
     * @param types of a tile kernel's elements; left out of others, which take arrays of any
     */
    private record Row(String name, String mechanism, String minimumTarget, String summary, List<String> options,
            @JsonInclude(JsonInclude.Include.NON_NULL) List<String> types) {
        static Row of(TilePreset p) {
            return new Row(p.name(), TILE_KERNEL, p.minimumTarget().toString(), p.summary(),
                    List.of("--type", "--schedule", "--extents"),
                    p.types().stream().map(ValueType::toString).toList());
        }

        static Row of(Preset p) {
            return new Row(p.name(), p.mechanism().instruction(), p.minimumTarget().toString(), p.summary(),
                    p.mechanism().options().stream().map(Object::toString).toList(), null);
        }
    }

    ListCommand(Terminal terminal, PresetCatalog presets) {
        super(terminal);
        this.presets = presets;
    }

    @Override
    public Integer call() {
        if (json) {
            terminal.json(Stream.concat(presets.presets().stream().map(Row::of),
                    TilePresets.ALL.stream().map(Row::of)).toList());
        } else {
            Tuning measured = Tuning.shipped();
            for (Preset p : presets.presets()) {
                line(p.name(), p.mechanism().instruction(), p.minimumTarget(), p.summary()
                        + (measured.has(p) ? "" : UNMEASURED));
            }
            for (TilePreset p : TilePresets.ALL) {
                line(p.name(), TILE_KERNEL, p.minimumTarget(), p.summary()
                        + (measured.hasTiles(p.title(p.types().getFirst())) ? "" : UNMEASURED));
            }
        }
        return ExitCode.OK;
    }

    private void line(String name, String mechanism, Target minimumTarget, String summary) {
        int width = Stream.concat(presets.presets().stream().map(Preset::name),
                TilePresets.ALL.stream().map(TilePreset::name)).mapToInt(String::length).max().orElse(0);
        terminal.result(String.format("%-" + width + "s  %-20s  %-6s  %s", name, mechanism, minimumTarget, summary));
    }
}
