package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.paged.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The groups of copies of one kind that a thread has not waited for; the last is still open. */
final class Groups {
    /** Copies that one thread waits for together. */
    static final class Group {
        int outstanding;
        int unread;
        /** Whether nothing has waited until the copies in it are done with shared memory. */
        boolean inFlight;
        /** What a wait for the copies teaches. */
        View done;
        /** What a wait until their sources were read teaches. */
        View read;

        Group(View empty) {
            done = empty.empty();
            read = empty.empty();
        }

        private Group() { }

        Group copy() {
            Group g = new Group();
            g.outstanding = outstanding;
            g.unread = unread;
            g.inFlight = inFlight;
            g.done = done.copy();
            g.read = read.copy();
            return g;
        }

        void addTo(Key key) {
            key.add(outstanding * 4L + unread * 1024L + (inFlight ? 1 : 0));
            View.addTo(key, done);
            View.addTo(key, read);
        }
    }

    /** How many groups were waited for and are gone. */
    int gone;
    final List<Group> pending = new ArrayList<>();

    Groups copy() {
        Groups copy = new Groups();
        copy.gone = gone;
        pending.forEach(g -> copy.pending.add(g.copy()));
        return copy;
    }

    Group open(View empty) {
        if (pending.isEmpty()) {
            pending.add(new Group(empty));
        }
        return pending.getLast();
    }

    /** The number of the open group. */
    int openNumber(View empty) {
        open(empty);
        return gone + pending.size() - 1;
    }

    Group group(int number) {
        return pending.get(number - gone);
    }

    void commit(View empty) {
        open(empty);
        pending.add(new Group(empty));
    }

    /** The groups that a wait is for which leaves this many pending. */
    List<Group> waitedFor(int left) {
        return pending.subList(0, Math.max(0, pending.size() - 1 - left));
    }

    void forEachView(Consumer<View> action) {
        for (Group g : pending) {
            action.accept(g.done);
            action.accept(g.read);
        }
    }

    void addTo(Key key) {
        key.add(pending.size());
        pending.forEach(g -> g.addTo(key));
    }
}
