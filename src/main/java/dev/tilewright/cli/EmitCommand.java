package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.ptx.Target;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code emit}: a preset's CUDA source. */
@Command(name = "emit", description = "Print a preset's CUDA source.")
final class EmitCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    CommonOptions common;

    @Mixin
    PresetOptions presetOptions;

    @Parameters(index = "0", paramLabel = "PRESET", description = "one of those that 'tilewright list' shows")
    String preset;

    @Option(names = "--target", paramLabel = "TARGET",
            description = "refuse what this target does not have; the text itself is the same for all, default: the preset's least")
    String target;

    @Option(names = "--type", paramLabel = "TYPE", defaultValue = "f32", description = "element type, default ${DEFAULT-VALUE}")
    String type;

    @Option(names = {"-o", "--output"}, paramLabel = "FILE", description = "write there instead of to standard output")
    Path output;

    EmitCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Preset chosen = Presets.named(preset);
        CudaSource source = CudaEmitter.emit(
                chosen.build(Arguments.type(type), 2, presetOptions.values()).program());
        if (target != null) {
            Target wanted = Arguments.target(target);
            if (!wanted.supports(source.minimumTarget())) {
                throw new BadRequestException("preset '" + chosen.name() + "' needs " + source.minimumTarget()
                        + " or later, got --target " + wanted);
            }
        }
        if (output == null) {
            terminal.text(source.text());
        } else {
            TextFile.write(output, source.text());
        }
        return ExitCode.OK;
    }
}
