package dev.tilewright.cli;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetOption;
import dev.tilewright.layout.ElementType;
import java.util.Optional;
import picocli.CommandLine;

/** The help of {@code run}: picocli's, or for a preset the options that it has and what it sets. */
final class RunHelp {
    private final Terminal terminal;

    RunHelp(Terminal terminal) {
        this.terminal = terminal;
    }

    void print(Optional<Preset> preset) {
        if (preset.isEmpty()) {
            terminal.text(new CommandLine(new RunCommand(terminal)).setCommandName("tilewright run").getUsageMessage());
            return;
        }
        Preset p = preset.get();
        terminal.result("tilewright run " + p.name() + " --input X.npy --output Y.npy [options]");
        terminal.result("");
        terminal.result(p.name() + ": " + p.summary() + ", by " + p.mechanism() + " (" + p.minimumTarget() + " or later)");
        terminal.result("as it stands, for f32: " + p.build(ElementType.F32).program().purpose());
        terminal.result("");
        for (PresetOption option : p.mechanism().options()) {
            String value = p.choices().get(option);
            terminal.result(String.format("  --%-12s %s%s", option, option.help(), value == null ? "" : " (here: " + value + ")"));
        }
        terminal.result("  --scalar       what scale multiplies by or add adds");
        terminal.result("  --executor     auto, gpu or reference");
        terminal.result("  --check        also compare every byte with the reference and a direct computation");
    }
}
