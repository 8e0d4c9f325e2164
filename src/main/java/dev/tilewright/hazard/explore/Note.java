package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.paged.Key;
import dev.tilewright.ptx.Scope;

/** What a releasing write or arrival hands on to the threads that acquire it. @param writer the thread that released */
record Note(int writer, Scope scope, View view) {
    Note copy() {
        return new Note(writer, scope, view.copy());
    }

    void addTo(Key key) {
        key.add(writer * 8L + scope.ordinal());
        View.addTo(key, view);
    }
}
