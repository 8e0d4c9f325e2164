package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.option.OutputFile;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.explain.Explanation;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.LoweredKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code explain}: a kernel in words. */
@Command(name = "explain", description = "Describe a preset or your own kernel in words: shared memory, bytes in "
        + "flight, what each wait guarantees, and for each target registers, spills, blocks per multiprocessor and "
        + "compiler remarks.", footer = {"", "Registers, spills and remarks come from NVRTC; without it, each target "
        + "says so, and the exit code is 0."})
public final class ExplainCommand extends JsonVerb {
    private Nvrtc nvrtc;

    @Mixin
    final SmallLaunch kernel;

    @Option(names = "--target", paramLabel = "TARGET", description = "compile for this target only; default: every "
            + "target of Tilewright's own tests that has the kernel's instructions")
    String target;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "text", description = "text; html: one file with"
            + " its steps beside the emitted kernel, its passes, layouts and the order of one tile; svg: that order, or"
            + " the layout that --layout names; default ${DEFAULT-VALUE}")
    Format format;

    @Option(names = "--layout", paramLabel = "TILE", description = "with --format svg: draw which thread holds which"
            + " element of this tile, such as %%0, in which register")
    String layout;

    @Mixin
    final OutputFile output = new OutputFile();

    /** What is printed. */
    enum Format { TEXT, SVG, HTML }

    ExplainCommand(Terminal terminal, PresetCatalog presets) {
        super(terminal);
        this.kernel = new SmallLaunch(terminal, presets);
    }

    @Override
    public Integer call() {
        if (json && format != Format.TEXT) {
            throw new BadRequestException("give --json or --format, not both: got --json and --format " + format);
        }
        if (layout != null && format != Format.SVG) {
            throw new BadRequestException("--layout names what --format svg draws, and there is no --format svg");
        }
        Optional<LoweredKernel> tile = kernel.lowered(target);
        TileProgram program = tile.map(LoweredKernel::program).orElseGet(kernel::program);
        if (format == Format.SVG) {
            output.text(terminal, (layout != null ? ExplainPage.layout(kernel.title(), tile, layout)
                    : ExplainPage.order(kernel.title(), kernel.check())).toString());
            return ExitCode.OK;
        }
        Explanation explanation = Explanation.of(program, tile.map(t -> List.of(t.target()))
                .orElseGet(() -> targets(program)), this::nvrtc);
        List<String> lines = new ArrayList<>(tile.map(LoweredKernel::lines).orElse(List.of()));
        kernel.usualType().ifPresent(lines::addFirst);
        lines.addAll(explanation.lines());
        if (format == Format.HTML) {
            output.text(terminal, ExplainPage.of(explanation, tile, program, kernel.check()).toString());
        } else {
            output.report(terminal, json, ExplainDocument.of(explanation, tile), lines);
        }
        return ExitCode.OK;
    }

    /** Found once for all targets. */
    private Nvrtc nvrtc() {
        if (nvrtc == null) {
            nvrtc = Nvrtc.find(terminal.progress());
        }
        return nvrtc;
    }

    private List<Target> targets(TileProgram program) {
        return target == null ? Target.KNOWN.stream().filter(t -> program.gate().admits(t)).toList()
                : List.of(kernel.target(target, program));
    }
}
