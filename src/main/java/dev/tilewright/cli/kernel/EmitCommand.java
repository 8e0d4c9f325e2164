package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.OutputFile;
import dev.tilewright.cli.option.Verb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.LoweredKernel;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code emit}: a kernel's CUDA source. */
@Command(name = "emit", description = "Print the CUDA source of a preset or of your own kernel.")
public final class EmitCommand extends Verb {
    @Mixin
    final BuiltKernel kernel;

    @Option(names = "--target", paramLabel = "TARGET",
            description = "refuse what this target does not have; the source is the same for all targets; default: the "
                    + "preset's lowest target")
    String target;

    @Mixin
    final OutputFile output = new OutputFile();

    EmitCommand(Terminal terminal, PresetCatalog presets) {
        super(terminal);
        this.kernel = new BuiltKernel(terminal, presets);
    }

    @Override
    public Integer call() {
        TileProgram program = kernel.lowered(target).map(LoweredKernel::program).orElseGet(kernel::program);
        if (target != null) {
            requireSharedMemory(kernel.target(target, program), program);
        }
        CudaSource source = CudaEmitter.emit(program);
        output.text(terminal, source.text());
        return ExitCode.OK;
    }

    private void requireSharedMemory(Target target, TileProgram program) {
        int most = target.sharedMemoryPerBlock().orElseThrow();
        if (program.shared().bytes() > most) {
            throw new BadRequestException(kernel.title() + (kernel.preset == null ? "" : " with these options")
                    + " needs " + Counted.of(program.shared().bytes(), "byte") + " of shared memory per block, and "
                    + target + " has " + most + ": choose a smaller tile or fewer stages");
        }
    }
}
