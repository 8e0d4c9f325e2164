package dev.tilewright.cli;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.hazard.Finding;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.mutant.MutantResult;
import dev.tilewright.hazard.mutant.MutantVerdict;
import dev.tilewright.verify.PresetCheck;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What {@code check} says: lines as they come, one document at the end, and the sums. */
final class CheckReport {
    private final Consumer<String> lines;
    private final boolean withMutants;
    private final List<Map<String, Object>> presets = new ArrayList<>();
    private final Map<MutantVerdict, Integer> verdicts = new EnumMap<>(MutantVerdict.class);
    private int clean;

    /** @param lines hears every line but the last */
    CheckReport(Consumer<String> lines, boolean withMutants) {
        this.lines = lines;
        this.withMutants = withMutants;
    }

    /** Checks a preset. @param seeds see {@link dev.tilewright.hazard.mutant.MutantRun} */
    void add(String preset, PresetCheck check, int seeds) {
        List<HazardReport> reports = check.reports();
        boolean isClean = reports.stream().allMatch(HazardReport::isClean);
        clean += isClean ? 1 : 0;
        for (HazardReport report : reports) {
            lines.accept(preset + ": " + (report.isClean() ? "clean" : report.findings().size() + " found") + " in "
                    + report.blocks() + " blocks of " + check.program().threads() + " threads, "
                    + report.checkedBytes() + " bytes touched");
            report.lines().forEach(line -> lines.accept("  " + line));
        }
        List<Map<String, Object>> mutants = new ArrayList<>();
        // Mutants of what is wrong already would be found for that.
        if (withMutants && isClean) {
            CudaSource source = CudaEmitter.emit(check.program());
            check.mutants(seeds, result -> {
                verdicts.merge(result.verdict(), 1, Integer::sum);
                mutants.add(fields(result, source));
                lines.accept("  %-8s %s: %s".formatted(result.verdict(), result.mutant(), result.reason()));
            });
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("preset", preset);
        document.put("clean", isClean);
        document.put("launches", reports.stream().map(CheckReport::fields).toList());
        if (withMutants) {
            document.put("mutants", mutants);
        }
        presets.add(document);
    }

    private static Map<String, Object> fields(HazardReport report) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("complete", report.complete());
        fields.put("blocks", report.blocks());
        fields.put("checkedBytes", report.checkedBytes());
        fields.put("findings", report.findings().stream().map(CheckReport::fields).toList());
        return fields;
    }

    private static Map<String, Object> fields(Finding f) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("code", f.code().toString());
        fields.put("step", f.step());
        fields.put("purpose", f.purpose());
        fields.put("line", f.line());
        fields.put("otherStep", f.otherStep());
        fields.put("block", f.block());
        f.place().ifPresent(p -> fields.put("bytes", p.toString()));
        fields.put("wanted", f.wanted());
        fields.put("fix", f.fix());
        fields.put("message", f.message());
        return fields;
    }

    private static Map<String, Object> fields(MutantResult result, CudaSource source) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("mutant", result.mutant().name());
        fields.put("edit", result.mutant().edit());
        fields.put("step", result.mutant().step());
        fields.put("line", source.lineOf(result.mutant().step()));
        fields.put("verdict", result.verdict().toString());
        fields.put("codes", result.report().codes().stream().map(Object::toString).toList());
        fields.put("reason", result.reason());
        return fields;
    }

    private int count(MutantVerdict verdict) {
        return verdicts.getOrDefault(verdict, 0);
    }

    /** Whether every preset is clean and no mutant was missed. */
    boolean isWell() {
        return clean == presets.size() && count(MutantVerdict.MISSED) == 0;
    }

    /** The sums. What is harmless is no mistake, and counts as no mutant. */
    String lastLine() {
        return "presets " + presets.size() + " clean " + clean + " mutants " + (count(MutantVerdict.FOUND) + count(MutantVerdict.MISSED))
                + " found " + count(MutantVerdict.FOUND) + " missed " + count(MutantVerdict.MISSED);
    }

    Map<String, Object> document() {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("presets", presets);
        document.put("clean", clean);
        document.put("mutants", count(MutantVerdict.FOUND) + count(MutantVerdict.MISSED));
        document.put("found", count(MutantVerdict.FOUND));
        document.put("missed", count(MutantVerdict.MISSED));
        document.put("harmless", count(MutantVerdict.HARMLESS));
        return document;
    }
}
