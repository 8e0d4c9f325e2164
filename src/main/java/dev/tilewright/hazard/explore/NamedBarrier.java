package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.paged.Key;

/** One of the 16 named barriers of a block. */
final class NamedBarrier {
    /** How many come in this phase; 0 where none has. */
    int threads;
    int come;
    /** Of those that came, how many said that something is true. */
    int trues;
    /** Phases that are complete. */
    int completed;
    /** What those that came knew. */
    View gathered;

    NamedBarrier(View empty) {
        gathered = empty;
    }

    NamedBarrier copy() {
        NamedBarrier b = new NamedBarrier(gathered.copy());
        b.threads = threads;
        b.come = come;
        b.trues = trues;
        b.completed = completed;
        return b;
    }

    void addTo(Key key) {
        key.add(threads * 4096L + come);
        key.add(trues * 4096L + completed);
        View.addTo(key, gathered);
    }
}
