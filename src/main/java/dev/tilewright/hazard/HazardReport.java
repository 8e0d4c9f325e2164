package dev.tilewright.hazard;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The findings of a check.
 *
 * @param blocks that were checked
 * @param ofBlocks that the launch has
 * @param checkedBytes bytes that the checked accesses touched, added up
 * @param complete whether the run came to its end: a fault and a deadlock end it, and so does a step that is not
 *     analysed; there may be more to find
 * @param notAnalysed the steps that the check could not follow, such as instructions that only sm_100 and later have
 */
public record HazardReport(String kernel, int blocks, int ofBlocks, long checkedBytes, boolean complete,
        List<Finding> findings, List<NotAnalysed> notAnalysed) {
    public HazardReport {
        NotNull.all("kernel, findings, notAnalysed", kernel, findings, notAnalysed);
        findings = List.copyOf(findings);
        notAnalysed = List.copyOf(notAnalysed);
    }

    /** A report of a run that could be followed throughout. */
    public HazardReport(String kernel, int blocks, int ofBlocks, long checkedBytes, boolean complete,
            List<Finding> findings) {
        this(kernel, blocks, ofBlocks, checkedBytes, complete, findings, List.of());
    }

    /** Whether nothing was found; where {@link #isAnalysed} does not hold, of what could be followed. */
    public boolean isClean() {
        return findings.isEmpty();
    }

    /** Whether every step that was come to could be followed. */
    public boolean isAnalysed() {
        return notAnalysed.isEmpty();
    }

    /** The codes of the findings, each once. */
    public Set<HazardCode> codes() {
        Set<HazardCode> codes = EnumSet.noneOf(HazardCode.class);
        findings.forEach(f -> codes.add(f.code()));
        return codes;
    }

    /**
     * The message of each finding, the steps that were not analysed, and last, where the run ended early, a line that
     * says so.
     */
    public List<String> lines() {
        Stream<String> ending = complete ? Stream.of() : Stream.of("the run ends there: there may be more to find");
        return Stream.of(findings.stream().map(Finding::message), notAnalysed.stream().map(NotAnalysed::toString),
                ending)
                .flatMap(lines -> lines).toList();
    }

    /** One line that sums the findings up, and then {@link #lines}. */
    @Override
    public String toString() {
        String count = isClean() ? isAnalysed() ? "no hazards" : "no hazards as far as analysed"
                : Counted.of(findings.size(), "hazard");
        String checked = (blocks == ofBlocks ? "" : "the first ") + Counted.of(blocks, "block")
                + (blocks == ofBlocks ? "" : " of " + ofBlocks);
        String summary = "kernel '" + kernel + "': " + count + " in " + checked + ", " + checkedBytes
                + " bytes touched";
        return String.join("\n", Stream.concat(Stream.of(summary), lines().stream()).toList());
    }
}
