package dev.tilewright.gputest;

import dev.tilewright.gputest.MutantOutcome.Kind;
import dev.tilewright.hazard.mutant.Mutant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Mutants that leave hardware no choice: a phase that lacks an arrival or bytes never completes, a stage that is taken
 * for another one holds other bytes, and bytes that no thread waits for are not there yet, as {@link LargeCase} loads
 * them from memory and {@link SharedPoison} has taken away what an earlier launch left. {@link MutantSurvey} is how to
 * tell for others.
 */
final class ReliableMutants {

    /**
     * One mutant and what it does.
     *
     * @param edit the first part of its name
     * @param step the purpose of the edited step, which stays as it is where steps before it come and go
     * @param which of the mutants of that edit and that purpose, from 0 on
     */
    record Entry(String preset, String edit, String step, int which, Kind kind) {

        /** The mutant. @throws IllegalStateException if the program has none like it */
        Mutant among(List<Mutant> mutants) {
            return mutants.stream().filter(m -> m.name().startsWith(edit + "@")
                    && m.edit().contains("step " + m.step() + ", '" + step + "'")).skip(which).findFirst()
                    .orElseThrow(() -> new IllegalStateException("no mutant of " + preset + " is " + edit
                            + " of '" + step
                            + "'" + (which == 0 ? "" : ", number " + which)));
        }

        @Override
        public String toString() {
            return preset + " " + edit + " of '" + step + "' " + kind;
        }
    }

    private static final String INIT = "a phase takes one arrival, the loading thread's, and the bytes it announces";
    private static final String ANNOUNCE = "announce its bytes";
    private static final String BULK_LOAD = "start the copy";
    private static final String TENSOR_LOAD = "start the copy; the barrier also counts bytes outside the tensor";
    private static final String LANDED = "all bytes of the stage have landed";
    private static final String GROUP_LANDED = "this thread's share of the oldest stage has landed";
    private static final String GROUP_CLOSED = "close this turn's group, even if empty, so that groups count turns";
    private static final String LOAD_TILE = "Starts loading a tile into a stage; every thread runs this.";

    static final List<Entry> ALL = new ArrayList<>();

    static {
        hang("bulk-copy", INIT, "more-arrivals");
        hang("bulk-copy", ANNOUNCE, "without-arrival", "expect-more");
        hang("bulk-copy", BULK_LOAD, "without-load", "load-less");
        hang("bulk-copy-token",
                "a phase takes the loading thread's arrival and bytes, and one arrival of each waiting thread",
                "more-arrivals");
        hang("bulk-copy-token", ANNOUNCE, "without-arrival", "expect-more");
        hang("bulk-copy-token", BULK_LOAD, "without-load");
        hang("bulk-add", INIT, "more-arrivals");
        hang("bulk-add", ANNOUNCE, "expect-more");
        hang("bulk-add", BULK_LOAD, "without-load");
        hang("tensor-copy", INIT, "more-arrivals");
        for (String preset : List.of("tensor-copy", "tensor-copy-128b")) {
            hang(preset, ANNOUNCE, "expect-more");
            hang(preset, TENSOR_LOAD, "without-load");
        }
        hang("tensor-scale", INIT, "more-arrivals");
        hang("tensor-scale", ANNOUNCE, "expect-more", "without-expect");
        hang("tensor-rebind", INIT, "more-arrivals");
        hang("tensor-rebind", ANNOUNCE, "expect-more");
        hang("tensor-rebind", "start the copy; the barrier also counts bytes outside the slab", "without-load");
        for (String preset : List.of("cp-async-pipeline", "cp-async-pipeline-2d", "cp-async-scale")) {
            wrong(preset, GROUP_LANDED, "without-wait");
        }
        wrong("cp-async-pipeline", GROUP_LANDED, "shallower-wait", "moved-earlier");
        wrong("cp-async-pipeline", LOAD_TILE, "next-stage");
        wrong("cp-async-pipeline-2d", LOAD_TILE, "next-stage");
        wrong("cp-async-pipeline", "the stage that has landed", "next-stage");
        wrong("cp-async-scale", "the stage that has landed", "next-stage");
        wrong("cp-async-pipeline", GROUP_CLOSED, "without-commit");
        add(new Entry("cp-async-pipeline", "moved-earlier", GROUP_CLOSED, 1, Kind.WRONG_BYTES));
        // Without its wait a thread runs ahead of the phases: a barrier of its ring never completes.
        for (String preset : List.of("bulk-copy", "bulk-add", "tensor-copy", "tensor-copy-128b")) {
            hang(preset, LANDED, "without-wait");
        }
        wrong("bulk-copy-token", "all threads have arrived and all bytes have landed", "moved-later");
        for (String preset : List.of("bulk-add", "tensor-scale", "tensor-rebind")) {
            wrong(preset, LANDED, "moved-later");
        }
        wrong("bulk-add", "the copy engine sees what this thread wrote", "without-fence", "moved-earlier");
    }

    private ReliableMutants() {
    }

    private static void add(Entry entry) {
        ALL.add(entry);
    }

    private static void hang(String preset, String step, String... edits) {
        Arrays.stream(edits).forEach(edit -> add(new Entry(preset, edit, step, 0, Kind.HANG)));
    }

    private static void wrong(String preset, String step, String... edits) {
        Arrays.stream(edits).forEach(edit -> add(new Entry(preset, edit, step, 0, Kind.WRONG_BYTES)));
    }

    static List<String> presets() {
        return ALL.stream().map(Entry::preset).distinct().toList();
    }

    static List<Entry> of(String preset) {
        return ALL.stream().filter(e -> e.preset().equals(preset)).toList();
    }
}
