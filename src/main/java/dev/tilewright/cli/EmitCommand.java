package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.program.TileProgram;
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
    private final PresetCatalog presets;

    @Mixin
    CommonOptions common;

    @Mixin
    final PresetOptions presetOptions;

    @Parameters(index = "0", paramLabel = "PRESET", description = "one of those that 'tilewright list' shows")
    String preset;

    @Option(names = "--target", paramLabel = "TARGET",
            description =
                    "refuse what this target does not have; the text itself is the same for all, default: the "
                            + "preset's least")
    String target;

    @Option(names = "--type", paramLabel = "TYPE", defaultValue = "f32",
            description = "element type, default ${DEFAULT-VALUE}")
    String type;

    @Written
    @Option(names = {"-o", "--output"}, paramLabel = "FILE", description = "write there instead of to standard output")
    Path output;

    EmitCommand(Terminal terminal, PresetCatalog presets) {
        this.terminal = terminal;
        this.presets = presets;
        this.presetOptions = new PresetOptions(presets);
    }

    @Override
    public Integer call() {
        Preset chosen = PresetNames.require(presets, preset);
        TileProgram program = chosen.build(Arguments.type(type), 2, presetOptions.values()).program();
        if (target != null) {
            require(Arguments.target(target), chosen, program);
        }
        CudaSource source = CudaEmitter.emit(program);
        if (output == null) {
            terminal.text(source.text());
        } else {
            TextFile.write(output, source.text());
        }
        return ExitCode.OK;
    }

    /** Refuses what a target does not have. */
    private static void require(Target target, Preset preset, TileProgram program) {
        if (!program.gate().admits(target)) {
            throw new BadRequestException("preset '" + preset.name() + "' needs " + program.minimumTarget()
                    + " or later, got --target " + target);
        }
        int most = target.sharedMemoryPerBlock().orElseThrow(() -> new BadRequestException("--target " + target
                + " names no compute capability that is known here"));
        if (program.shared().bytes() > most) {
            throw new BadRequestException("preset '" + preset.name() + "' with these options needs "
                    + program.shared().bytes() + " bytes of shared memory per block, and " + target + " has " + most
                    + ": choose a smaller tile or fewer stages");
        }
    }
}
