package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.program.value.ValueType;
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
     * @param measured whether the library brings a schedule that was measured
     * @param types of a tile kernel's elements; left out of others, which take arrays of any
     */
    private record Row(String name, String mechanism, String minimumTarget, String summary, List<String> options,
            boolean measured, @JsonInclude(JsonInclude.Include.NON_NULL) List<String> types) {
        static Row of(TilePreset p, Tuning shipped) {
            return new Row(p.name(), TILE_KERNEL, p.minimumTarget().toString(), p.summary(),
                    List.of("--type", "--schedule", "--extents"),
                    shipped.hasTiles(p.title(p.types().getFirst())),
                    p.types().stream().map(ValueType::toString).toList());
        }

        static Row of(Preset p, Tuning shipped) {
            return new Row(p.name(), p.mechanism().instruction(), p.minimumTarget().toString(), p.summary(),
                    p.mechanism().options().stream().map(Object::toString).toList(), shipped.has(p), null);
        }
    }

    ListCommand(Terminal terminal, PresetCatalog presets) {
        super(terminal);
        this.presets = presets;
    }

    @Override
    public Integer call() {
        Tuning shipped = Tuning.shipped();
        List<Row> rows = Stream.concat(presets.presets().stream().map(p -> Row.of(p, shipped)),
                TilePresets.ALL.stream().map(p -> Row.of(p, shipped))).toList();
        if (json) {
            terminal.json(rows);
        } else {
            int width = rows.stream().mapToInt(row -> row.name().length()).max().orElse(0);
            rows.forEach(row -> terminal.result(String.format("%-" + width + "s  %-20s  %-6s  %s", row.name(),
                    row.mechanism(), row.minimumTarget(), row.summary() + (row.measured() ? "" : UNMEASURED))));
        }
        return ExitCode.OK;
    }
}
