package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.program.Launch;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.verify.KernelCheck;
import dev.tilewright.verify.SmallCase;
import dev.tilewright.verify.TileLaunch;
import java.util.HashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** A kernel in small launches that the CPU can follow step by step: of a preset, or of the user's own kernel. */
final class SmallLaunch extends BuiltKernel {
    @Option(names = "--memory", paramLabel = "METHOD",
            description = "a static method of --program's class that takes an Arena and gives a List<MemorySegment>: "
                    + "what the buffers of its Launch hold; default zeros, as many as its arguments say")
    String memory;

    SmallLaunch(Terminal terminal, PresetCatalog presets) {
        super(terminal, presets);
    }

    @Override
    boolean isOwn() {
        boolean isOwn = super.isOwn();
        if (memory != null && !isOwn) {
            throw new BadRequestException("--memory belongs to --program, and there is none");
        }
        return isOwn;
    }

    KernelCheck check() {
        if (!isOwn() && tilePreset().isEmpty()) {
            return of(preset());
        }
        return tile().filter(_ -> memory == null).map(kernel -> Arguments.read(() -> TileLaunch.small(kernel,
                small(kernel), Arguments.target(USUAL_TARGET)).check())).orElseGet(() -> of(own()));
    }

    /** Extents that are said, or that a preset's launches do not exceed. */
    private Map<String, Long> small(TileKernel kernel) {
        Map<String, Long> extents = new HashMap<>(isOwn() ? Map.of() : tilePreset().orElseThrow().most());
        extents.putAll(extents(kernel));
        return extents;
    }

    /** Of a preset, with the options that are on the command line. */
    KernelCheck of(Preset preset) {
        return KernelCheck.of(SmallCase.all(preset, schedule(), type()));
    }

    /** Of a tile kernel as it stands. */
    KernelCheck of(TilePreset preset) {
        return TileLaunch.small(preset.kernel(), preset.most(), Arguments.target(USUAL_TARGET)).check();
    }

    private KernelCheck of(UserProgram program) {
        return switch (program.given()) {
            case ElementwiseKernel kernel when memory == null -> KernelCheck.of(kernel);
            case Launch launch -> memory == null ? KernelCheck.of(launch)
                    : KernelCheck.of(launch, arena -> program.memory(memory, launch, arena));
            case TileKernel _ -> throw new BadRequestException("--memory is what a Launch's buffers hold, and "
                    + "--program " + program.name() + " gives a TileKernel, which runs on arrays of random numbers");
            case ElementwiseKernel _ -> throw new BadRequestException("--memory is what a Launch's buffers hold, and "
                    + "--program " + program.name() + " gives an ElementwiseKernel, which runs on "
                    + "arrays of random numbers");
            default -> throw new BadRequestException("--program " + program.name() + " gives a program, and what runs"
                    + " here is a launch of it, its grid and arguments: name a member that gives a Launch");
        };
    }
}
