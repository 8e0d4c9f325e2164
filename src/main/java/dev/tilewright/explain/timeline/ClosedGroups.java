package dev.tilewright.explain.timeline;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The groups of copies and products that threads have closed, oldest first. */
final class ClosedGroups {
    enum Kind { CP_ASYNC, BULK, WGMMA }

    private record Of(ThreadTraces.Who who, Kind kind) { }

    private final Map<Of, List<TimelineEvent>> commits = new HashMap<>();

    void close(ThreadTraces.Who who, Kind kind, TimelineEvent commit) {
        commits.computeIfAbsent(new Of(who, kind), _ -> new ArrayList<>()).add(commit);
    }

    /** The commit of the youngest group that a wait for all but {@code pending} groups waits for. */
    Optional<TimelineEvent> awaited(ThreadTraces.Who who, Kind kind, int pending) {
        List<TimelineEvent> closed = commits.getOrDefault(new Of(who, kind), List.of());
        int newest = closed.size() - 1 - pending;
        return newest < 0 ? Optional.empty() : Optional.of(closed.get(newest));
    }
}
