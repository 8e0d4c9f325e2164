package dev.tilewright.cli;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code list}: the presets. */
@Command(name = "list", description = "The presets: name, mechanism, minimum target, what each does.")
final class ListCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final PresetCatalog presets;

    @Mixin
    CommonOptions common;

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    /** A preset in the document. @param options as they are written on the command line */
    private record Row(String name, String mechanism, String minimumTarget, String summary, List<String> options) {
        static Row of(Preset p) {
            return new Row(p.name(), p.mechanism().instruction(), p.minimumTarget().toString(), p.summary(),
                    p.mechanism().options().stream().map(Object::toString).toList());
        }
    }

    ListCommand(Terminal terminal, PresetCatalog presets) {
        this.terminal = terminal;
        this.presets = presets;
    }

    @Override
    public Integer call() {
        if (json) {
            terminal.json(presets.presets().stream().map(Row::of).toList());
        } else {
            int width = presets.presets().stream().mapToInt(p -> p.name().length()).max().orElse(0);
            for (Preset p : presets.presets()) {
                terminal.result(String.format("%-" + width + "s  %-20s  %-6s  %s", p.name(),
                        p.mechanism().instruction(), p.minimumTarget(), p.summary()));
            }
        }
        return ExitCode.OK;
    }
}
