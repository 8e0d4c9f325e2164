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
@Command(name = "check", description = "Look for synchronisation mistakes in a preset's kernel, or in one of your own, "
        + "on the CPU.", footer = {"",
                "With --mutants, every edit that a person could make by mistake is made, one at a time, and the check "
                        + "must"
                + " find it. An edit is harmless, and counts as neither found nor missed, if every access is still "
                + "ordered and the bytes stay the same in every order tried. With --all, tile kernels are checked as "
                + "they stand, since a product has minutes of mutants: name one to break it.",
            "", "What only newer GPUs than sm_90 have is not analysed: the check ends there and names the form, and "
            + "where nothing was found before, the exit code is 3.",
            "", "With --exhaustive, every order is tried of threads' steps, asynchronous copies (also by tensor maps) "
            + "and barriers, and of what reads may see. Not explored are: " + Explorer.NOT_KNOWN + ". The check names "
            + "the form, and where nothing was found the exit code is 3.",
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
            description = "also check that the check finds every mistake that can be made by one edit")
    boolean mutants;

    @Option(names = "--bank-conflicts",
            description = "also count bank conflicts: for each step accesses of warps to shared memory, the wavefronts "
                    + "they take, and without conflicts would")
    boolean bankConflicts;

    @Option(names = "--seeds", paramLabel = "N", defaultValue = "6",
            description = "orders in which the bytes of a mutant are looked at before it is called harmless, default "
                            + "${DEFAULT-VALUE}")
    int seeds;

    @Option(names = "--exhaustive", description = "also try every order of a small launch, of at most "
            + Explorer.MOST_THREADS + " threads: that all give the same bytes, or one that does not, as a table")
    boolean exhaustive;

    @Option(names = "--bound", paramLabel = "N",
            description = "the most states of --exhaustive, default " + USUAL_BOUND)
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
