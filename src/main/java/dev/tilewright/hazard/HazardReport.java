package dev.tilewright.hazard;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * What a check found.
 *
 * @param blocks that were checked
 * @param ofBlocks that the launch has
 * @param checkedBytes bytes that the checked accesses touched, added up
 * @param complete whether the run came to its end: a fault and a deadlock end it, and there may be more to be found behind them
 */
public record HazardReport(String kernel, int blocks, int ofBlocks, long checkedBytes, boolean complete, List<Finding> findings) {
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

    /** All findings, one a line, after one line that sums them up. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("kernel '" + kernel + "': "
                + (isClean() ? "no hazards" : findings.size() == 1 ? "1 hazard" : findings.size() + " hazards")
                + " in " + (blocks == ofBlocks ? "" : "the first ") + blocks + (blocks == 1 ? " block" : " blocks")
                + (blocks == ofBlocks ? "" : " of " + ofBlocks) + ", " + checkedBytes + " bytes touched");
        findings.forEach(f -> text.append('\n').append(f.message()));
        if (!complete) {
            text.append("\nThe run ends there: there may be more behind it.");
        }
        return text.toString();
    }
}
