package dev.tilewright.hazard.explore;

import java.util.Arrays;

/**
 * What is known of memory: by a thread, by a copy under way, by what a release hands on. For each cell the oldest write
 * that may still be seen, for ordinary accesses and for those of the asynchronous proxy, and the reads since the newest
 * write that are known to be over. For each mbarrier how many phases are known to be complete, and which waits for the
 * last of them are known to be over.
 */
final class View {
    final int[] generic;
    final int[] async;
    final Marks reads;
    final int[] phases;
    final Marks passed;

    /** @param words see {@link Marks} */
    View(int cells, int barriers, int words) {
        this(new int[cells], new int[cells], new Marks(cells, words), new int[barriers], new Marks(barriers, words));
    }

    private View(int[] generic, int[] async, Marks reads, int[] phases, Marks passed) {
        this.generic = generic;
        this.async = async;
        this.reads = reads;
        this.phases = phases;
        this.passed = passed;
    }

    View copy() {
        return new View(generic.clone(), async.clone(), reads.copy(), phases.clone(), passed.copy());
    }

    /** One of the same launch that knows nothing. */
    View empty() {
        return new View(generic.length, phases.length, reads.words);
    }

    static View copy(View view) {
        return view == null ? null : view.copy();
    }

    /** Learns all that the other knows. */
    void join(View other) {
        for (int c = 0; c < generic.length; c++) {
            generic[c] = Math.max(generic[c], other.generic[c]);
            async[c] = Math.max(async[c], other.async[c]);
        }
        reads.addAll(other.reads);
        for (int b = 0; b < phases.length; b++) {
            phases[b] = Math.max(phases[b], other.phases[b]);
        }
        passed.addAll(other.passed);
    }

    /** Whether there is nothing about memory in it that the other does not know. */
    boolean isWithin(View other) {
        for (int c = 0; c < generic.length; c++) {
            if (generic[c] > other.generic[c] || async[c] > other.async[c]) {
                return false;
            }
        }
        return reads.isWithin(other.reads);
    }

    void addTo(Key key) {
        key.add(generic);
        key.add(async);
        reads.addTo(key);
        key.add(phases);
        passed.addTo(key);
    }

    @Override
    public String toString() {
        return Arrays.toString(generic) + Arrays.toString(async) + reads + Arrays.toString(phases) + passed;
    }
}
