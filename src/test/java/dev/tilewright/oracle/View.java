package dev.tilewright.oracle;

import java.util.Arrays;

/**
 * What is known of memory: by a thread, by a copy under way, by what a release hands on. For each cell the oldest write
 * that may still be seen, for ordinary accesses and for those of the asynchronous proxy, and the reads since the newest
 * write that are known to be over, a bit for each reader.
 */
final class View {
    final int[] generic;
    final int[] async;
    final int[] reads;

    View(int cells) {
        this(new int[cells], new int[cells], new int[cells]);
    }

    private View(int[] generic, int[] async, int[] reads) {
        this.generic = generic;
        this.async = async;
        this.reads = reads;
    }

    View copy() {
        return new View(generic.clone(), async.clone(), reads.clone());
    }

    static View copy(View view) {
        return view == null ? null : view.copy();
    }

    /** Learns all that the other knows. */
    void join(View other) {
        for (int c = 0; c < generic.length; c++) {
            generic[c] = Math.max(generic[c], other.generic[c]);
            async[c] = Math.max(async[c], other.async[c]);
            reads[c] |= other.reads[c];
        }
    }

    /** Whether there is nothing in it that the other does not know. */
    boolean isWithin(View other) {
        for (int c = 0; c < generic.length; c++) {
            if (generic[c] > other.generic[c] || async[c] > other.async[c] || (reads[c] & ~other.reads[c]) != 0) {
                return false;
            }
        }
        return true;
    }

    void addTo(Key key) {
        key.add(generic);
        key.add(async);
        key.add(reads);
    }

    @Override
    public String toString() {
        return Arrays.toString(generic) + Arrays.toString(async) + Arrays.toString(reads);
    }
}
