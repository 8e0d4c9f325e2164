package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.option.RunLimits;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.explore.Explorer;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code check}: mistakes in the order of a kernel's accesses, without a GPU. */
@Command(name = "check", description = "Find synchronisation mistakes in a preset or in your own kernel, on the "
        + "CPU.", footer = {"",
                "With --mutants, each synchronisation step is removed or changed, one at a time, and the check must "
                        + "find it. An edit is harmless, and counts as neither found nor missed, if every access is "
                        + "still ordered and the bytes stay the same in every order tried. With --all, tile kernels "
                        + "are checked without mutants, which take minutes for a product: name one kernel to break it.",
            "", "Instructions of GPUs newer than sm_90 are not analysed: the check stops there and names the "
                    + "instruction; if it has found nothing before, the exit code is 3.",
            "", "With --exhaustive, the check tries every order of threads' steps, asynchronous copies (also by tensor "
                    + "maps) and barriers, and everything that reads may see. Not explored: "
                    + "" + Explorer.NOT_KNOWN + ". The check names the instruction; if it has found nothing, the exit "
                    + "code is 3.",
            "", "The last line: presets N clean N mutants M found F missed K, where M is F + K."})
public final class CheckCommand extends JsonVerb {
    private static final int USUAL_BOUND = 20000;

    private final PresetCatalog presets;

    @Mixin
    final SmallLaunch kernel;

    @Mixin
    final RunLimits limits = new RunLimits();

    @Option(names = "--all", description = "check every preset as it stands")
    boolean all;

    @Option(names = "--mutants",
            description = "also break the kernel by one edit at a time, and see that the check finds each mistake")
    boolean mutants;

    @Option(names = "--bank-conflicts",
            description = "also count bank conflicts: for each step, the accesses of warps to shared memory, their "
                    + "wavefronts, and the wavefronts without conflicts")
    boolean bankConflicts;

    @Option(names = "--seeds", paramLabel = "N", defaultValue = "6",
            description = "how many orders must give the right bytes before a mutant counts as harmless, default "
                            + "${DEFAULT-VALUE}")
    int seeds;

    @Option(names = "--exhaustive", description = "also try every order of a small launch, of at most "
            + Explorer.MOST_THREADS + " threads; says that all orders give the same bytes, or shows one that does not "
                    + "as a table")
    boolean exhaustive;

    @Option(names = "--bound", paramLabel = "N",
            description = "how many states --exhaustive may visit, default " + USUAL_BOUND)
    Integer bound;

    CheckCommand(Terminal terminal, PresetCatalog presets) {
        super(terminal);
        this.presets = presets;
        this.kernel = new SmallLaunch(terminal, presets);
    }

    @Override
    public Integer call() {
        if (seeds < 0) {
            throw new BadRequestException("--seeds must be at least 0, got " + seeds);
        }
        if (bound != null && !exhaustive) {
            throw new BadRequestException("--bound is the most states of --exhaustive, and there is no --exhaustive");
        }
        if (bound != null && bound < 1) {
            throw new BadRequestException("--bound must be at least 1, got " + bound);
        }
        if (exhaustive && all) {
            throw new BadRequestException("--exhaustive tries every order of one kernel, and --all names all of them: "
                    + "name one");
        }
        CheckReport report = new CheckReport(json ? _ -> { } : terminal::result, mutants, bankConflicts,
                !exhaustive ? 0 : bound == null ? USUAL_BOUND : bound, kernel.preset != null,
                () -> kernel.smaller(Explorer.MOST_THREADS));
        HazardOptions options = limits.options(terminal);
        if (all) {
            addAll(report, options);
        } else if (kernel.preset == null && kernel.program == null) {
            throw new BadRequestException("name a preset (see 'tilewright list'), a kernel of your own (--class-path "
                    + "PATH --program CLASS#MEMBER), or give --all");
        } else {
            report.add(kernel.name(), kernel.check().with(options), seeds);
        }
        print(report.document(), List.of(report.lastLine()));
        return report.exitCode();
    }

    private void addAll(CheckReport report, HazardOptions options) {
        if (kernel.program != null) {
            throw new BadRequestException("give --all or --program, not both: --all checks every preset");
        }
        if (kernel.preset != null) {
            throw new BadRequestException("name a preset or give --all, not both: got '" + kernel.preset
                    + "' and --all");
        }
        kernel.optionOfPresets().ifPresent(option -> {
            throw new BadRequestException("--all checks every preset as it stands: name one preset to change its --"
                    + option);
        });
        kernel.isOwn();
        for (Preset preset : presets.presets()) {
            if (terminal.isReaderGone()) {
                break;
            }
            report.add(preset.name(), kernel.of(preset).with(options), seeds);
        }
        for (TilePreset preset : TilePresets.ALL) {
            if (terminal.isReaderGone()) {
                break;
            }
            report.addUnbroken(preset.name(), kernel.of(preset).with(options));
        }
    }
}
