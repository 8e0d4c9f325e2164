package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.paged.Key;
import dev.tilewright.hazard.explore.paged.Marks;
import dev.tilewright.hazard.explore.paged.Numbers;

/**
 * What is known of memory: by a thread, by a copy under way, by what a release hands on. For each cell the oldest write
 * that may still be seen, for ordinary accesses and for those of the asynchronous proxy, and the reads since the newest
 * write that are known to be over. For each mbarrier how many phases are known to be complete, and which waits for the
 * last of them are known to be over.
 */
final class View {
    final Numbers generic;
    final Numbers async;
    final Marks reads;
    final Numbers phases;
    final Marks passed;
    private final int cells;
    private final int barriers;

    /** @param words see {@link Marks} */
    View(int cells, int barriers, int words) {
        this(new Numbers(cells), new Numbers(cells), new Marks(cells, words), new Numbers(barriers),
                new Marks(barriers, words), cells, barriers);
    }

    private View(Numbers generic, Numbers async, Marks reads, Numbers phases, Marks passed, int cells, int barriers) {
        this.generic = generic;
        this.async = async;
        this.reads = reads;
        this.phases = phases;
        this.passed = passed;
        this.cells = cells;
        this.barriers = barriers;
    }

    View copy() {
        return new View(generic.copy(), async.copy(), reads.copy(), phases.copy(), passed.copy(), cells, barriers);
    }

    /** One of the same launch that knows nothing. */
    View empty() {
        return new View(cells, barriers, reads.words());
    }

    static View copy(View view) {
        return view == null ? null : view.copy();
    }

    /** Learns all that the other knows. */
    void join(View other) {
        generic.raiseAll(other.generic);
        async.raiseAll(other.async);
        reads.addAll(other.reads);
        phases.raiseAll(other.phases);
        passed.addAll(other.passed);
    }

    /** Whether there is nothing about memory in it that the other does not know. */
    boolean isWithin(View other) {
        return generic.isWithin(other.generic) && async.isWithin(other.async) && reads.isWithin(other.reads);
    }

    /** About how many bytes it takes that no other has. */
    long bytes() {
        return generic.bytes() + async.bytes() + reads.bytes() + phases.bytes() + passed.bytes();
    }

    /** Adds what a view says, or that there is none. */
    static void addTo(Key key, View view) {
        key.add(view == null ? -7 : 1);
        if (view != null) {
            view.generic.addTo(key);
            view.async.addTo(key);
            view.reads.addTo(key);
            view.phases.addTo(key);
            view.passed.addTo(key);
        }
    }
}
