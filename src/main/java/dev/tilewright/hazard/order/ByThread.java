package dev.tilewright.hazard.order;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * A value for each thread of a cluster that has appeared, in the order of appearance. It is looked up at nearly every
 * event, so it is found by the thread's slot.
 */
public final class ByThread<T> extends AbstractMap<ThreadClock, T> {
    private final Function<ThreadClock, T> maker;
    private final List<Map.Entry<ThreadClock, T>> inOrder = new ArrayList<>(4);
    private Object[] bySlot = new Object[0];

    /** @param maker makes what a thread starts with */
    public ByThread(Function<ThreadClock, T> maker) {
        this.maker = maker;
    }

    /** The value of a thread; made when the thread appears for the first time. */
    public T of(ThreadClock thread) {
        int slot = thread.slot();
        T there = slot < bySlot.length ? at(slot) : null;
        return there == null ? make(thread) : there;
    }

    private T make(ThreadClock thread) {
        T made = maker.apply(thread);
        if (thread.slot() >= bySlot.length) {
            bySlot = Arrays.copyOf(bySlot, Math.max(2 * bySlot.length, thread.slot() + 1));
        }
        bySlot[thread.slot()] = made;
        inOrder.add(Map.entry(thread, made));
        return made;
    }

    @SuppressWarnings("unchecked")
    private T at(int slot) {
        return (T) bySlot[slot];
    }

    /** What a thread has; null where it has not come up. */
    @Override
    public T get(Object thread) {
        return thread instanceof ThreadClock t && t.slot() < bySlot.length ? at(t.slot()) : null;
    }

    @Override
    public boolean containsKey(Object thread) {
        return get(thread) != null;
    }

    @Override
    public Set<Map.Entry<ThreadClock, T>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Map.Entry<ThreadClock, T>> iterator() {
                return inOrder.iterator();
            }

            @Override
            public int size() {
                return inOrder.size();
            }
        };
    }
}
