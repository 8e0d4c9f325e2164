package dev.tilewright.verify;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The outcomes of many checks: what {@code verify} prints and what a JUnit report lists. Checks are counted by group
 * and family, and only failures are kept, so that a million checks take no more memory than a hundred.
 */
public final class CheckSummary {
    /** Failures that are kept; of more, there is only the number. */
    public static final int MOST_FAILURES = 1000;

    /** How one check ended. */
    public enum Outcome { PASSED, FAILED, SKIPPED }

    /**
     * One check.
     *
     * @param group what kind of check
     * @param family what it is counted with: one of few names, the same in every run
     * @param name what says the check alone
     * @param detail why it failed or was skipped; empty where it passed
     * @param reproduction the command that makes it again; empty if there is none
     * @param file the file that it is about, below the project's folder; empty if there is none
     */
    public record Entry(String group, String family, String name, Outcome outcome, String detail, double seconds,
            String reproduction, String file) {

        /** A family of its own. */
        public Entry(String group, String name, Outcome outcome, String detail, double seconds) {
            this(group, name, name, outcome, detail, seconds, "", "");
        }

        /** Of a case. */
        public static Entry of(String group, VerifyCase one, Outcome outcome, String detail, double seconds) {
            return new Entry(group, one.family(), one.line().toString(), outcome, detail, seconds,
                    CaseFile.command(one.line().toString()), one.file());
        }
    }

    /**
     * Checks that are counted together.
     *
     * @param seconds that they took together
     * @param reason why the first skipped check was skipped
     */
    public record Family(String name, long passed, long failed, long skipped, double seconds, String reason) {

        private Family plus(Outcome outcome, long count, double more, String why) {
            return new Family(name, passed + (outcome == Outcome.PASSED ? count : 0),
                    failed + (outcome == Outcome.FAILED ? count : 0),
                    skipped + (outcome == Outcome.SKIPPED ? count : 0), seconds + more,
                    reason.isEmpty() && outcome == Outcome.SKIPPED ? why : reason);
        }

        long count(Outcome outcome) {
            return switch (outcome) {
                case PASSED -> passed;
                case FAILED -> failed;
                case SKIPPED -> skipped;
            };
        }
    }

    private final Map<String, Map<String, Family>> groups = new LinkedHashMap<>();
    private final List<Entry> failures = new ArrayList<>();

    /** Counts a check. */
    public void add(Entry entry) {
        count(entry.group(), entry.family(), entry.outcome(), 1, entry.seconds(), entry.detail());
        if (entry.outcome() == Outcome.FAILED && failures.size() < MOST_FAILURES) {
            failures.add(entry);
        }
    }

    /** Gives the failures so far other commands that make them again. @param command of a failure */
    public void reproduceBy(Function<Entry, String> command) {
        failures.replaceAll(e -> new Entry(e.group, e.family, e.name, e.outcome, e.detail, e.seconds, command.apply(e),
                e.file));
    }

    /** Counts checks that ended alike, and of which there is nothing else to say. */
    public void add(String group, String family, Outcome outcome, long count, double seconds) {
        count(group, family, outcome, count, seconds, "");
    }

    /** Counts checks that were not made, and for which there is one reason. */
    public void skip(String group, String family, long count, String reason) {
        count(group, family, Outcome.SKIPPED, count, 0, reason);
    }

    private void count(String group, String family, Outcome outcome, long count, double seconds, String reason) {
        groups.computeIfAbsent(group, _ -> new TreeMap<>()).merge(family,
                new Family(family, 0, 0, 0, 0, "").plus(outcome, count, seconds, reason),
                (old, _) -> old.plus(outcome, count, seconds, reason));
    }

    /** The first failures, in the order in which they came. */
    public List<Entry> failures() {
        return List.copyOf(failures);
    }

    /** The groups, in the order in which they came. */
    public List<String> groups() {
        return List.copyOf(groups.keySet());
    }

    /** The families of a group, by name. */
    public List<Family> families(String group) {
        return List.copyOf(groups.getOrDefault(group, Map.of()).values());
    }

    /** How many checks there were. */
    public long count() {
        return sum(family -> family.passed + family.failed + family.skipped);
    }

    /** How many ended so. */
    public long count(Outcome outcome) {
        return sum(family -> family.count(outcome));
    }

    private long sum(ToLongFunction<Family> what) {
        return groups.values().stream().flatMap(families -> families.values().stream()).mapToLong(what).sum();
    }

    /** How many of one group ended so. */
    public long count(String group, Outcome outcome) {
        return families(group).stream().mapToLong(family -> family.count(outcome)).sum();
    }

    /** {@code cases N passed N failed K skipped J}. */
    public String lastLine() {
        return "cases " + count() + " passed " + count(Outcome.PASSED) + " failed " + count(Outcome.FAILED)
                + " skipped " + count(Outcome.SKIPPED);
    }
}
