package dev.tilewright.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The groups of copies of one kind that a thread has not waited for; the last is still open. */
final class Groups {
    /** How many groups were waited for and are gone. */
    int gone;
    final List<Group> pending = new ArrayList<>();

    Groups copy() {
        Groups copy = new Groups();
        copy.gone = gone;
        pending.forEach(g -> copy.pending.add(g.copy()));
        return copy;
    }

    Group open(int cells) {
        if (pending.isEmpty()) {
            pending.add(new Group(cells));
        }
        return pending.getLast();
    }

    /** The number of the open group. */
    int openNumber(int cells) {
        open(cells);
        return gone + pending.size() - 1;
    }

    Group group(int number) {
        return pending.get(number - gone);
    }

    void commit(int cells) {
        open(cells);
        pending.add(new Group(cells));
    }

    /** The groups that a wait which leaves so many pending is for. */
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
