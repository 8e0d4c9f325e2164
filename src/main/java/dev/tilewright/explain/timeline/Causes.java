package dev.tilewright.explain.timeline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The events that end waits, by what the waits are for. */
final class Causes {
    /** Something that is waited for: a phase of an mbarrier, a meeting of a named barrier, a word of memory. */
    record Awaited(String kind, int owner, long place, long phase) { }

    private final Map<Awaited, List<TimelineEvent>> causes = new HashMap<>();

    static Awaited phase(int owner, int address, long phase) {
        return new Awaited("mbarrier", owner, address, phase);
    }

    void add(Awaited what, TimelineEvent by) {
        causes.computeIfAbsent(what, _ -> new ArrayList<>()).add(by);
    }

    /** From now on this event alone ends waits for it. */
    void replace(Awaited what, TimelineEvent by) {
        causes.put(what, List.of(by));
    }

    /** Forgets them. @return what was there, or null */
    List<TimelineEvent> remove(Awaited what) {
        return causes.remove(what);
    }

    List<TimelineEvent> of(Awaited what) {
        return causes.getOrDefault(what, List.of());
    }

    /** Adds an event that a phase of an mbarrier counts. */
    void counts(TimelineEvent event, int owner, int address, long phase) {
        // No thread waits for what is two phases back.
        remove(phase(owner, address, phase - 2));
        add(phase(owner, address, phase), event);
    }
}
