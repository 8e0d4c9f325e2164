package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.verify.KernelCheck;
import dev.tilewright.verify.SmallCase;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code check}: mistakes in the order of a kernel's accesses, without a GPU. */
@Command(name = "check", description = "Look for synchronisation mistakes in a preset's kernel, or in one of your own, on the CPU.",
        footer = {"",
                "With --mutants, every edit that a person could make by mistake is made, one at a time, and the check "
                        + "must"
                + " find it. An edit is harmless, and counts as neither found nor missed, if every access is still "
                + "ordered and the"
                + " bytes stay the same in every order tried.",
            "", "What only newer GPUs than sm_90 have is not analysed: the check ends there and names the form, and where nothing"
                    + " was found before, the exit code is 3.",
            "", "The last line: presets N clean N mutants M found F missed K, where M is F + K."})
final class CheckCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final PresetCatalog presets;

    @Mixin
    CommonOptions common;

    @Mixin
    final PresetOptions presetOptions;

    @Mixin
    UserProgramOptions own;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PRESET",
            description = "one of those that 'tilewright list' shows")
    String preset;

    @Option(names = "--memory", paramLabel = "METHOD",
            description = "a static method of --program's class that takes an Arena and gives a List<MemorySegment>: what"
                    + " the buffers of its Launch hold; default zeros, as many as its arguments say")
    String memory;

    @Option(names = "--all", description = "check every preset as it stands")
    boolean all;

    @Option(names = "--mutants",
            description = "also check that the check finds every mistake that can be made by one edit")
    boolean mutants;

    @Option(names = "--bank-conflicts",
            description = "also count bank conflicts: for each step accesses of warps to shared memory, the wavefronts they "
                    + "take, and without conflicts would")
    boolean bankConflicts;

    @Option(names = "--seeds", paramLabel = "N", defaultValue = "6",
            description =
                    "orders in which the bytes of a mutant are looked at before it is called harmless, default "
                            + "${DEFAULT-VALUE}")
    int seeds;

    @Option(names = "--type", paramLabel = "TYPE", description = "element type of presets, default f32")
    String type;

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    CheckCommand(Terminal terminal, PresetCatalog presets) {
        this.terminal = terminal;
        this.presets = presets;
        this.presetOptions = new PresetOptions(presets);
    }

    @Override
    public Integer call() {
        if (seeds < 0) {
            throw new BadRequestException("--seeds must be at least 0, got " + seeds);
        }
        CheckReport report = new CheckReport(json ? _ -> { } : terminal::result, mutants, bankConflicts);
        if (isOwn()) {
            report.add(own.program, check(own.load(terminal)), seeds);
        } else {
            addPresets(report);
        }
        if (json) {
            terminal.json(report.document());
        } else {
            terminal.result(report.lastLine());
        }
        return report.exitCode();
    }

    private boolean isOwn() {
        if (all && own.program != null) {
            throw new BadRequestException("give --all or --program, not both: --all checks every preset");
        }
        boolean isOwn = own.isGiven(preset, type, presetOptions);
        if (memory != null && !isOwn) {
            throw new BadRequestException("--memory belongs to --program, and there is none");
        }
        return isOwn;
    }

    private KernelCheck check(UserProgram program) {
        return switch (program.given()) {
            case TileKernel kernel when memory == null -> KernelCheck.of(kernel);
            case Launch launch -> memory == null ? KernelCheck.of(launch)
                    : KernelCheck.of(launch, arena -> program.memory(memory, arena));
            case TileKernel _ -> throw new BadRequestException("--memory is what a Launch's buffers hold, and --program "
                    + program.name() + " gives a TileKernel, which is checked on arrays of random numbers");
            default -> throw new BadRequestException("--program " + program.name() + " gives a program, and what is checked"
                    + " is a launch of it, its grid and arguments: name a member that gives a Launch");
        };
    }

    private void addPresets(CheckReport report) {
        List<Preset> chosen = chosen();
        ElementType element = Arguments.presetType(type);
        for (Preset p : chosen) {
            if (terminal.isReaderGone()) {
                break;
            }
            report.add(p.name(), KernelCheck.of(SmallCase.all(p, presetOptions.values(), element)), seeds);
        }
    }

    private List<Preset> chosen() {
        if (all && preset != null) {
            throw new BadRequestException("name a preset or give --all, not both: got '" + preset + "' and --all");
        }
        if (all && !presetOptions.values().isEmpty()) {
            throw new BadRequestException("--all checks every preset as it stands: name one preset to change its --"
                    + presetOptions.values().keySet().iterator().next());
        }
        if (!all && preset == null) {
            throw new BadRequestException("name a preset (see 'tilewright list'), a kernel of your own (--class-path PATH"
                    + " --program CLASS#MEMBER), or give --all");
        }
        return all ? presets.presets() : List.of(PresetNames.require(presets, preset));
    }
}
