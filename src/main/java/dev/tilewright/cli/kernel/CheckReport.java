package dev.tilewright.cli.kernel;

import dev.tilewright.Counted;
import dev.tilewright.cli.option.RunLimits;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.explore.Explorer;
import dev.tilewright.hazard.mutant.MutantVerdict;
import dev.tilewright.reference.banks.BankConflicts;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import dev.tilewright.verify.KernelCheck;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What {@code check} says: lines as they come, one document at the end, and the sums. */
final class CheckReport {
    private final Consumer<String> lines;
    private final boolean withMutants;
    private final boolean withBanks;
    private final int bound;
    private final boolean isPreset;
    private final Supplier<Optional<String>> smaller;
    private final List<CheckDocument.CheckedPreset> presets = new ArrayList<>();
    private final Map<MutantVerdict, Integer> verdicts = new EnumMap<>(MutantVerdict.class);
    private int clean;
    private boolean found;
    private boolean analysed = true;

    /**
     * @param lines is given every line but the last
     * @param bound states that are looked at of every order; 0 where orders are not asked for
     * @param isPreset whether it is a preset whose orders are asked for
     * @param smaller options that make its launch small enough for that
     */
    CheckReport(Consumer<String> lines, boolean withMutants, boolean withBanks, int bound, boolean isPreset,
            Supplier<Optional<String>> smaller) {
        this.bound = bound;
        this.isPreset = isPreset;
        this.smaller = smaller;
        this.lines = lines;
        this.withBanks = withBanks;
        this.withMutants = withMutants;
    }

    /**
     * Checks a kernel. @param name what it is called. @param seeds see {@link dev.tilewright.hazard.mutant.MutantRun}
     */
    void add(String name, KernelCheck check, int seeds) {
        add(name, check, seeds, withMutants);
    }

    /** Checks a kernel as it stands. */
    void addUnbroken(String name, KernelCheck check) {
        add(name, check, 0, false);
    }

    private void add(String name, KernelCheck check, int seeds, boolean isBroken) {
        if (bound > 0 && Explorer.unknown(check.program()).isEmpty()) {
            Exhaustive.requireSmall(name, check, isPreset, smaller);
        }
        List<HazardReport> reports;
        try {
            reports = check.reports();
        } catch (ReferenceStoppedException e) {
            found = true;
            String why = RunLimits.explain(e);
            lines.accept(name + ": the check did not come to its end");
            lines.accept("  " + why);
            presets.add(new CheckDocument.CheckedPreset(name, false, List.of(), null, null, null, why));
            return;
        }
        boolean isAnalysed = reports.stream().allMatch(HazardReport::isAnalysed);
        boolean isClean = isAnalysed && reports.stream().allMatch(HazardReport::isClean);
        found |= !reports.stream().allMatch(HazardReport::isClean);
        analysed &= isAnalysed;
        clean += isClean ? 1 : 0;
        for (HazardReport report : reports) {
            lines.accept(name + ": " + (!report.isClean() ? report.findings().size() + " found"
                    : report.isAnalysed() ? "clean" : "clean as far as analysed") + " in "
                    + Counted.of(report.blocks(), "block") + " of " + Counted.of(check.program().threads(), "thread")
                    + ", "
                    + Counted.of(report.checkedBytes(), "byte") + " touched");
            report.lines().forEach(line -> lines.accept("  " + line));
        }
        BankDocument banks = null;
        // A kernel with a mistake may not run to its end.
        if (withBanks && isClean) {
            BankConflicts counted = check.bankConflicts();
            counted.lines().forEach(line -> lines.accept("  " + line));
            banks = BankDocument.of(counted, CudaEmitter.emit(check.program()));
        }
        Exhaustive exhaustive = null;
        if (bound > 0) {
            exhaustive = Exhaustive.of(name, check, bound);
            exhaustive.lines().forEach(line -> lines.accept("  " + line));
            found |= exhaustive.order() != null;
            analysed &= exhaustive.notExplored() == null;
        }
        List<CheckDocument.Mutant> mutants = new ArrayList<>();
        // Mutants of what is wrong already would be found for that.
        if (isBroken && isClean) {
            CudaSource source = CudaEmitter.emit(check.program());
            check.mutants(seeds, result -> {
                verdicts.merge(result.verdict(), 1, Integer::sum);
                mutants.add(CheckDocument.Mutant.of(result, source));
                lines.accept("  %-8s %s: %s".formatted(result.verdict(), result.mutant(), result.reason()));
            });
        }
        presets.add(new CheckDocument.CheckedPreset(name, isClean,
                reports.stream().map(CheckDocument.Launch::of).toList(), isBroken ? mutants : null, banks,
                exhaustive, null));
    }

    private int count(MutantVerdict verdict) {
        return verdicts.getOrDefault(verdict, 0);
    }

    /** How it went: something found, or else something that could not be analysed, or all is well. */
    int exitCode() {
        if (found || count(MutantVerdict.MISSED) > 0) {
            return ExitCode.FOUND;
        }
        return analysed ? ExitCode.OK : ExitCode.MISSING;
    }

    /** The sums. What is harmless is no mistake, and counts as no mutant. */
    String lastLine() {
        return "presets " + presets.size() + " clean " + clean + " mutants "
                + (count(MutantVerdict.FOUND) + count(MutantVerdict.MISSED)) + " found " + count(MutantVerdict.FOUND)
                + " missed " + count(MutantVerdict.MISSED);
    }

    CheckDocument document() {
        return new CheckDocument(presets, clean, count(MutantVerdict.FOUND) + count(MutantVerdict.MISSED),
                count(MutantVerdict.FOUND), count(MutantVerdict.MISSED), count(MutantVerdict.HARMLESS));
    }
}
