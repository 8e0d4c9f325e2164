package dev.tilewright.cli;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code list}: the presets. */
@Command(name = "list", description = "The presets: name, mechanism, minimum target, what each does.")
final class ListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    CommonOptions common;

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    /** A preset in the document. @param options as they are written on the command line */
    private record Row(String name, Preset.Mechanism mechanism, String minimumTarget, String summary, List<String> options) {
        static Row of(Preset p) {
            return new Row(p.name(), p.mechanism(), p.minimumTarget().toString(), p.summary(),
                    p.mechanism().options().stream().map(o -> "--" + o).toList());
        }
    }

    ListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (json) {
            terminal.json(Presets.ALL.stream().map(Row::of).toList());
        } else {
            int width = Presets.ALL.stream().mapToInt(p -> p.name().length()).max().orElse(0);
            for (Preset p : Presets.ALL) {
                terminal.result(String.format("%-" + width + "s  %-20s  %-6s  %s", p.name(), p.mechanism(),
                        p.minimumTarget(), p.summary()));
            }
        }
        return ExitCode.OK;
    }
}
