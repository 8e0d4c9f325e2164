package dev.tilewright.hazard.async;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Copies of one thread that are waited for in groups: those of the open group, and the closed groups, oldest first. */
public final class CopyGroups {
    /**
     * A wait that lets some groups be pending.
     *
     * @param read whether it waits only until sources have been read
     * @param event its number
     * @param time the thread's own
     */
    public record GroupWait(int step, int pending, boolean read, long event, int time) { }

    private final List<CopyCompletion> open = new ArrayList<>();
    private final ArrayDeque<List<CopyCompletion>> closed = new ArrayDeque<>();
    private GroupWait lastWait;
    private CopyCompletion openAtLastWait;

    void add(CopyCompletion copy) {
        open.add(copy);
    }

    /** The last copy of the open group; null for none. */
    public CopyCompletion lastOpen() {
        return open.isEmpty() ? null : open.getLast();
    }

    public boolean isOpen(CopyCompletion copy) {
        return open.contains(copy);
    }

    /** Closes the open group. @param event the number of the present event */
    public void commit(int step, long event) {
        open.forEach(copy -> copy.commit(step, event));
        closed.add(List.copyOf(open));
        open.clear();
    }

    /**
     * The copies that a wait covers: those of all closed groups but the newest.
     *
     * @param wait the thread's last from now on
     */
    public List<CopyCompletion> covered(GroupWait wait) {
        lastWait = wait;
        openAtLastWait = lastOpen();
        List<CopyCompletion> covered = new ArrayList<>();
        Iterator<List<CopyCompletion>> groups = closed.iterator();
        for (int over = closed.size() - wait.pending; over > 0; over--) {
            covered.addAll(groups.next());
        }
        return covered;
    }

    /** Forgets all closed groups but the newest. @param pending how many of them are kept */
    public void keepNewest(int pending) {
        while (closed.size() > pending) {
            closed.remove();
        }
    }

    /** The last copy that was in no closed group when the thread waited last; null for none. */
    public CopyCompletion openAtLastWait() {
        return openAtLastWait;
    }

    /** The thread's last wait; null for none. */
    public GroupWait lastWait() {
        return lastWait;
    }

    /** Copies of all groups that are kept, oldest first. */
    public List<CopyCompletion> all() {
        List<CopyCompletion> all = new ArrayList<>();
        closed.forEach(all::addAll);
        all.addAll(open);
        return all;
    }

    public void clear() {
        closed.clear();
        open.clear();
    }
}
