package dev.tilewright.hazard;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a check found.
 *
 * @param blocks that were checked
 * @param ofBlocks that the launch has
 * @param checkedBytes bytes that the checked accesses touched, added up
 * @param complete whether the run came to its end: a fault and a deadlock end it, and there may be more to find
 */
public record HazardReport(String kernel, int blocks, int ofBlocks, long checkedBytes, boolean complete,
        List<Finding> findings) {
    public HazardReport {
        findings = List.copyOf(findings);
    }

    public boolean isClean() {
        return findings.isEmpty();
    }

    /** The codes of the findings, each once. */
    public Set<HazardCode> codes() {
        Set<HazardCode> codes = EnumSet.noneOf(HazardCode.class);
        findings.forEach(f -> codes.add(f.code()));
        return codes;
    }

    /** The message of each finding, and last, where the run ended early, a line that says so. */
    public List<String> lines() {
        Stream<String> ending = complete ? Stream.of() : Stream.of("the run ends there: there may be more to find");
        return Stream.concat(findings.stream().map(Finding::message), ending).toList();
    }

    /** One line that sums the findings up, and then {@link #lines}. */
    @Override
    public String toString() {
        String count = isClean() ? "no hazards" : findings.size() == 1 ? "1 hazard" : findings.size() + " hazards";
        String checked = (blocks == ofBlocks ? "" : "the first ") + blocks + (blocks == 1 ? " block" : " blocks")
                + (blocks == ofBlocks ? "" : " of " + ofBlocks);
        String summary = "kernel '" + kernel + "': " + count + " in " + checked + ", " + checkedBytes
                + " bytes touched";
        return String.join("\n", Stream.concat(Stream.of(summary), lines().stream()).toList());
    }
}
