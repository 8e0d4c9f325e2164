package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.explain.Explanation;
import dev.tilewright.gpu.Nvrtc;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code explain}: a kernel in words. */
@Command(name = "explain", description = "A preset, or a kernel of your own, in words: shared memory, bytes in flight,"
        + " what each wait guarantees, and on each target registers, spills, blocks per multiprocessor and what the"
        + " compiler remarks.", footer = {"", "Registers, spills and remarks are NVRTC's; where there is none, each"
        + " target says so, and the exit code is 0."})
final class ExplainCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final PresetCatalog presets;
    private Nvrtc nvrtc;

    @Mixin
    CommonOptions common;

    @Mixin
    final PresetOptions presetOptions;

    @Mixin
    UserProgramOptions own;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PRESET",
            description = "one of those that 'tilewright list' shows")
    String preset;

    @Option(names = "--target", paramLabel = "TARGET", description = "compile for this one alone; default: every one"
            + " that has the kernel's instructions, of those that Tilewright's own tests compile for")
    String target;

    @Option(names = "--type", paramLabel = "TYPE", description = "element type of a preset, default f32")
    String type;

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    ExplainCommand(Terminal terminal, PresetCatalog presets) {
        this.terminal = terminal;
        this.presets = presets;
        this.presetOptions = new PresetOptions(presets);
    }

    @Override
    public Integer call() {
        TileProgram program = own.isGiven(preset, type, presetOptions) ? own.load(terminal).program()
                : PresetNames.require(presets, preset).build(Arguments.presetType(type), 2, presetOptions.values())
                .program();
        Explanation explanation = Explanation.of(program, targets(program), this::nvrtc);
        if (json) {
            terminal.json(ExplainDocument.of(explanation));
        } else {
            explanation.lines().forEach(terminal::result);
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
        if (target == null) {
            return Target.KNOWN.stream().filter(t -> program.gate().admits(t)).toList();
        }
        Target one = Arguments.target(target);
        if (!program.gate().admits(one)) {
            throw new BadRequestException((preset == null ? own.program : "preset '" + preset + "'") + " needs "
                    + program.minimumTarget() + " or later, got --target " + one);
        }
        return List.of(one);
    }
}
