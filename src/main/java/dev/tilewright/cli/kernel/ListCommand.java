package dev.tilewright.cli.kernel;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.tuning.Tuning;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code list}: the presets. */
@Command(name = "list", description = "The presets: name, mechanism, minimum target, what each does.")
public final class ListCommand extends JsonVerb {
    private final PresetCatalog presets;

    /** A preset in the document. @param options as they are written on the command line */
    private record Row(String name, String mechanism, String minimumTarget, String summary, List<String> options) {
        static Row of(Preset p) {
            return new Row(p.name(), p.mechanism().instruction(), p.minimumTarget().toString(), p.summary(),
                    p.mechanism().options().stream().map(Object::toString).toList());
        }
    }

    ListCommand(Terminal terminal, PresetCatalog presets) {
        super(terminal);
        this.presets = presets;
    }

    @Override
    public Integer call() {
        if (json) {
            terminal.json(presets.presets().stream().map(Row::of).toList());
        } else {
            int width = presets.presets().stream().mapToInt(p -> p.name().length()).max().orElse(0);
            Tuning measured = Tuning.shipped();
            for (Preset p : presets.presets()) {
                terminal.result(String.format("%-" + width + "s  %-20s  %-6s  %s", p.name(),
                        p.mechanism().instruction(), p.minimumTarget(), p.summary())
                        + (measured.has(p) ? "" : " (schedule not measured yet)"));
            }
        }
        return ExitCode.OK;
    }
}
