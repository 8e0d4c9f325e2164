package dev.tilewright.explain.timeline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The events of one thread in their order. What it does by itself between two events with others is one event a step,
 * however often it does it.
 */
final class ThreadTrace {
    private final int most;
    private final List<TimelineEvent> events = new ArrayList<>();
    private final List<TimelineEvent> withOthers = new ArrayList<>();
    /** By their steps, since the last event with others. */
    private final Map<Integer, TimelineEvent> alone = new HashMap<>();
    private final Set<Integer> steps = new HashSet<>();
    private long leftOut;

    /** @param most events that are kept */
    ThreadTrace(int most) {
        this.most = most;
    }

    /** The last event; null for none. */
    TimelineEvent last() {
        return events.isEmpty() ? null : events.getLast();
    }

    /** Something that the thread does with others, or that others may wait for. */
    void add(TimelineEvent event) {
        alone.clear();
        if (keep(event)) {
            event.index = withOthers.size();
            withOthers.add(event);
        }
    }

    /** Something that the thread does by itself. @return the event that it is part of now */
    TimelineEvent addAlone(TimelineEvent event) {
        TimelineEvent known = alone.putIfAbsent(event.step, event);
        if (known == null) {
            keep(event);
            return event;
        }
        known.turns++;
        return known;
    }

    private boolean keep(TimelineEvent event) {
        if (events.size() == most) {
            leftOut++;
            return false;
        }
        events.add(event);
        steps.add(event.step);
        return true;
    }

    List<TimelineEvent> events() {
        return events;
    }

    /** The events that involve other threads. */
    List<TimelineEvent> withOthers() {
        return withOthers;
    }

    /** Events that were not kept. */
    long leftOut() {
        return leftOut;
    }

    Set<Integer> steps() {
        return steps;
    }

    /** Equal for threads of one role: they perform the same steps, and those with others in the same order. */
    record Role(Set<Integer> steps, List<TimelineEvent.Key> withOthers) { }

    Role role() {
        return new Role(steps, withOthers.stream().map(TimelineEvent::key).toList());
    }
}
