package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.layout.ElementType;
import dev.tilewright.verify.PresetCheck;
import dev.tilewright.verify.SmallCase;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code check}: mistakes in the order of a preset's accesses, without a GPU. */
@Command(name = "check", description = "Look for synchronisation mistakes in a preset's kernel, on the CPU.",
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

    @Parameters(index = "0", arity = "0..1", paramLabel = "PRESET",
            description = "one of those that 'tilewright list' shows")
    String preset;

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

    @Option(names = "--type", paramLabel = "TYPE", defaultValue = "f32",
            description = "element type, default ${DEFAULT-VALUE}")
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
        List<Preset> chosen = chosen();
        ElementType element = Arguments.type(type);
        if (seeds < 0) {
            throw new BadRequestException("--seeds must be at least 0, got " + seeds);
        }
        CheckReport report = new CheckReport(json ? _ -> { } : terminal::result, mutants, bankConflicts);
        for (Preset p : chosen) {
            if (terminal.isReaderGone()) {
                break;
            }
            report.add(p.name(), new PresetCheck(SmallCase.all(p, presetOptions.values(), element)), seeds);
        }
        if (json) {
            terminal.json(report.document());
        } else {
            terminal.result(report.lastLine());
        }
        return report.exitCode();
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
            throw new BadRequestException("name a preset, or give --all: see 'tilewright list'");
        }
        return all ? presets.presets() : List.of(PresetNames.require(presets, preset));
    }
}
