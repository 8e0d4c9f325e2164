package dev.tilewright.gputest;

import dev.tilewright.gputest.MutantOutcome.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Mutants that leave hardware no choice: a phase that lacks an arrival or bytes never completes, a stage that is taken for
 * another one holds other bytes, and bytes that nobody waits for are not there yet, as {@link LargeCase} loads them from memory
 * and {@link SharedPoison} has taken away what an earlier launch left. {@link MutantSurvey} is how to tell for others.
 */
final class ReliableMutants {

    /** One mutant and what it does. */
    record Entry(String preset, String mutant, Kind kind) {
        @Override
        public String toString() {
            return preset + " " + mutant + " " + kind;
        }
    }

    static final List<Entry> ALL = new ArrayList<>();

    static {
        hang("bulk-copy", "more-arrivals@6", "without-arrival@15", "expect-more@15", "without-load@16", "load-less@16");
        hang("bulk-copy-token", "more-arrivals@6", "without-arrival@15", "expect-more@15", "without-load@16");
        hang("bulk-add", "more-arrivals@7", "expect-more@16", "without-load@17");
        hang("tensor-copy", "more-arrivals@3", "expect-more@13", "without-load@14");
        hang("tensor-copy-128b", "expect-more@13", "without-load@14");
        hang("tensor-scale", "more-arrivals@3", "expect-more@13", "without-expect@13");
        hang("tensor-rebind", "more-arrivals@26", "expect-more@35", "without-load@36");
        wrong("cp-async-pipeline", "without-wait@14", "shallower-wait@14", "next-stage@18", "next-stage@20");
        wrong("cp-async-pipeline-2d", "without-wait@16", "next-stage@20");
        wrong("cp-async-scale", "without-wait@14", "next-stage@20");
        wrong("cp-async-pipeline", "without-commit@12", "moved-earlier@14", "moved-earlier@19");
        // Without its wait a thread runs ahead of the phases: a barrier of its ring never completes.
        hang("bulk-copy", "without-wait@20");
        hang("bulk-add", "without-wait@20");
        hang("tensor-copy", "without-wait@18");
        hang("tensor-copy-128b", "without-wait@17");
        wrong("bulk-copy-token", "moved-later@21");
        wrong("bulk-add", "moved-later@20", "without-fence@27", "moved-earlier@27");
        wrong("tensor-scale", "moved-later@17");
        wrong("tensor-rebind", "moved-later@40");
    }

    private ReliableMutants() {
    }

    private static void hang(String preset, String... mutants) {
        Arrays.stream(mutants).forEach(m -> ALL.add(new Entry(preset, m, Kind.HANG)));
    }

    private static void wrong(String preset, String... mutants) {
        Arrays.stream(mutants).forEach(m -> ALL.add(new Entry(preset, m, Kind.WRONG_BYTES)));
    }

    static List<String> presets() {
        return ALL.stream().map(Entry::preset).distinct().toList();
    }

    static List<Entry> of(String preset) {
        return ALL.stream().filter(e -> e.preset().equals(preset)).toList();
    }
}
