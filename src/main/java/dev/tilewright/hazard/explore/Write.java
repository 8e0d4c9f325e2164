package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.paged.Key;
import dev.tilewright.ptx.Scope;
import java.util.List;

/**
 * One write to a cell, or what it held at first.
 *
 * @param value the number of the bytes, see {@link Values}
 * @param writer the thread; -1 for what was there at first
 * @param scope of an access that has one, else null
 * @param notes what it hands on
 */
record Write(int value, int writer, Scope scope, List<Note> notes) {

    /**
     * What a releasing write or arrival hands on to the threads that acquire it.
     *
     * @param writer the thread that released
     */
    record Note(int writer, Scope scope, View view) {
        Note copy() {
            return new Note(writer, scope, view.copy());
        }

        void addTo(Key key) {
            key.add(writer * 8L + scope.ordinal());
            View.addTo(key, view);
        }
    }

    static Write first(int value) {
        return new Write(value, -1, null, List.of());
    }

    Write copy() {
        return notes.isEmpty() ? this : new Write(value, writer, scope, notes.stream().map(Note::copy).toList());
    }

    void addTo(Key key) {
        key.add(value);
        key.add(scope == null ? -1 : (writer + 1L) * 8 + scope.ordinal());
        key.add(notes.size());
        notes.forEach(n -> n.addTo(key));
    }
}
