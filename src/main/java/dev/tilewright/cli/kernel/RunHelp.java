package dev.tilewright.cli.kernel;

import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Schedule;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine;

/** The help of {@code run}: picocli's, or for a preset the options that its builder has and what each of them is. */
record RunHelp(Terminal terminal, PresetCatalog presets) {
    /** What a default that depends on the array is told for. */
    private static final ElementType TYPE = ElementType.F32;
    private static final int RANK = 2;

    private static final List<String> OF_TILES = List.of("--schedule", "--extents", "--scalar", "--executor",
            "--check", "--json");

    void print(Optional<Preset> preset) {
        CommandLine command = new CommandLine(new RunCommand(terminal, presets)).setCommandName("tilewright run");
        if (preset.isEmpty()) {
            terminal.text(command.getUsageMessage());
            return;
        }
        Preset p = preset.get();
        terminal.result("tilewright run " + p.name() + " --input X.npy --output Y.npy [options]");
        terminal.result("");
        terminal.result(p.name() + ": " + p.summary() + ", by " + p.mechanism().instruction() + " (" + p.minimumTarget()
                + " or later)");
        terminal.result("as it stands, for matrices of " + TYPE + ": "
                + p.build(TYPE, RANK, Schedule.DEFAULT).program().purpose());
        terminal.result("");
        Schedule settings = p.settings(TYPE, RANK, Schedule.DEFAULT);
        for (Option<?, ?> option : p.mechanism().options()) {
            line(option.toString(), option.help() + ": " + option.range() + p.schedule().get(option.name())
                    .map(chosen -> " (here: " + chosen + ")")
                    .orElseGet(() -> " (default: " + settings.get(option.name()).orElseThrow() + ")"));
        }
        terminal.result("");
        Set<String> ofPresets = presets.mechanisms().stream().flatMap(m -> m.options().stream()).map(Option::toString)
                .collect(Collectors.toSet());
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!ofPresets.contains(option.longestName())) {
                line(option.longestName(), String.join(" ", option.description()));
            }
        }
    }

    /** Of a tile kernel: what it reads and writes, and the options that presets which move one array do not have. */
    void print(TilePreset preset) {
        TileKernel kernel = preset.kernel();
        terminal.result("tilewright run " + preset.name() + " --input NAME=X.npy --output Y.npy [options]");
        terminal.result("");
        terminal.result(preset.name() + ": " + preset.summary() + ", a tile kernel (" + preset.minimumTarget()
                + " or later)");
        kernel.tensors().forEach(tensor -> terminal.result("  " + tensor));
        kernel.scalars().forEach(scalar -> terminal.result("  scalar " + scalar.name() + ": " + scalar.type()));
        terminal.result("");
        line("--type", "element type: " + String.join(", ", preset.types().stream().map(ValueType::toString).toList())
                + " (default: the first input's)");
        CommandLine command = new CommandLine(new RunCommand(terminal, presets));
        for (String option : OF_TILES) {
            String[] lines = command.getCommandSpec().findOption(option).description();
            line(option, lines[0]);
            Arrays.stream(lines).skip(1).forEach(more -> line("", more));
        }
    }

    private void line(String option, String text) {
        terminal.result(String.format("  %-17s %s", option, text));
    }
}
