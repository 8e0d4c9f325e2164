package dev.tilewright.cli;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
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
    private final PresetCatalog presets;

    @Mixin
    CommonOptions common;

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    ListCommand(Terminal terminal, PresetCatalog presets) {
        this.terminal = terminal;
        this.presets = presets;
    }

    @Override
    public Integer call() {
        if (json) {
            terminal.json(presets.presets().stream().map(ListCommand::fields).toList());
        } else {
            int width = presets.presets().stream().mapToInt(p -> p.name().length()).max().orElse(0);
            for (Preset p : presets.presets()) {
                terminal.result(String.format("%-" + width + "s  %-20s  %-6s  %s", p.name(),
                        p.mechanism().instruction(), p.minimumTarget(), p.summary()));
            }
        }
        return ExitCode.OK;
    }

    private static Map<String, Object> fields(Preset preset) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", preset.name());
        fields.put("mechanism", preset.mechanism().instruction());
        fields.put("minimumTarget", preset.minimumTarget().toString());
        fields.put("summary", preset.summary());
        fields.put("options", preset.mechanism().options().stream().map(Object::toString).toList());
        return fields;
    }
}
