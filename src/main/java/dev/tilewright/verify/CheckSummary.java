package dev.tilewright.verify;

import java.util.ArrayList;
import java.util.List;

/** The outcomes of many checks, in order: what {@code verify} prints and what a JUnit report lists. */
public final class CheckSummary {

    /** How one check ended. */
    public enum Outcome { PASSED, FAILED, SKIPPED }

    /**
     * One check.
     *
     * @param group what kind of check
     * @param family what it is counted with: one of few names
     * @param name what says the check alone
     * @param detail why it failed or was skipped; empty where it passed
     */
    public record Entry(String group, String family, String name, Outcome outcome, String detail, double seconds) {

        /** A family of its own. */
        public Entry(String group, String name, Outcome outcome, String detail, double seconds) {
            this(group, name, name, outcome, detail, seconds);
        }
    }

    private final List<Entry> entries = new ArrayList<>();

    public void add(Entry entry) {
        entries.add(entry);
    }

    /** All checks so far. */
    public List<Entry> entries() {
        return List.copyOf(entries);
    }

    public long count(Outcome outcome) {
        return entries.stream().filter(e -> e.outcome() == outcome).count();
    }

    /** How many of one group ended so. */
    public long count(String group, Outcome outcome) {
        return entries.stream().filter(e -> e.group().equals(group) && e.outcome() == outcome).count();
    }

    /** {@code cases N passed N failed K skipped J}. */
    public String lastLine() {
        return "cases " + entries.size() + " passed " + count(Outcome.PASSED) + " failed " + count(Outcome.FAILED)
                + " skipped " + count(Outcome.SKIPPED);
    }
}
