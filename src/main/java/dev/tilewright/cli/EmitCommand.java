package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
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

/** {@code emit}: a kernel's CUDA source. */
@Command(name = "emit", description = "Print the CUDA source of a preset, or of a kernel of your own.")
final class EmitCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final PresetCatalog presets;

    @Mixin
    CommonOptions common;

    @Mixin
    final PresetOptions presetOptions;

    @Mixin
    UserProgramOptions own;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PRESET", description = "one of those that 'tilewright list' shows")
    String preset;

    @Option(names = "--target", paramLabel = "TARGET",
            description =
                    "refuse what this target does not have; the text itself is the same for all, default: the "
                            + "preset's least")
    String target;

    @Option(names = "--type", paramLabel = "TYPE", description = "element type of a preset, default f32")
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
        TileProgram program = program();
        if (target != null) {
            require(Arguments.target(target), program);
        }
        CudaSource source = CudaEmitter.emit(program);
        if (output == null) {
            terminal.text(source.text());
        } else {
            TextFile.write(output, source.text());
        }
        return ExitCode.OK;
    }

    private TileProgram program() {
        if (own.isGiven(preset, type, presetOptions)) {
            return own.load(terminal).program();
        }
        return PresetNames.require(presets, preset).build(Arguments.presetType(type), 2, presetOptions.values()).program();
    }

    private String name() {
        return preset == null ? own.program : "preset '" + preset + "'";
    }

    /** Refuses what a target does not have. */
    private void require(Target target, TileProgram program) {
        if (!program.gate().admits(target)) {
            throw new BadRequestException(name() + " needs " + program.minimumTarget()
                    + " or later, got --target " + target);
        }
        int most = target.sharedMemoryPerBlock().orElseThrow(() -> new BadRequestException("--target " + target
                + " names no compute capability that is known here"));
        if (program.shared().bytes() > most) {
            throw new BadRequestException(name() + (preset == null ? "" : " with these options") + " needs "
                    + program.shared().bytes() + " bytes of shared memory per block, and " + target + " has " + most
                    + ": choose a smaller tile or fewer stages");
        }
    }
}
