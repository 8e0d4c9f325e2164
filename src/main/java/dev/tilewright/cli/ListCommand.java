package dev.tilewright.cli;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import java.util.LinkedHashMap;
import java.util.Map;
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

    ListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (json) {
            terminal.json(Presets.ALL.stream().map(ListCommand::fields).toList());
        } else {
            int width = Presets.ALL.stream().mapToInt(p -> p.name().length()).max().orElse(0);
            for (Preset p : Presets.ALL) {
                terminal.result(String.format("%-" + width + "s  %-20s  %-6s  %s", p.name(), p.mechanism(),
                        p.minimumTarget(), p.summary()));
            }
        }
        return ExitCode.OK;
    }

    private static Map<String, Object> fields(Preset preset) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", preset.name());
        fields.put("mechanism", preset.mechanism().toString());
        fields.put("minimumTarget", preset.minimumTarget().toString());
        fields.put("summary", preset.summary());
        fields.put("options", preset.mechanism().options().stream().map(o -> "--" + o).toList());
        return fields;
    }
}
