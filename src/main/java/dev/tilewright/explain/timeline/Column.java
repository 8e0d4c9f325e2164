package dev.tilewright.explain.timeline;

import dev.tilewright.explain.timeline.ThreadTraces.Who;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Threads that a schedule shows together: those of one role, or of a warpgroup whose leader does all that the others
 * do. The leader is shown.
 */
final class Column {
    private final Who leader;
    private final ThreadTrace shown;
    private final List<Who> members = new ArrayList<>();
    /** How many threads each role has here. */
    private final Map<ThreadTrace.Role, Integer> sizes = new HashMap<>();
    /** Of each role: which of the leader's events with others its own are, in their order. */
    private final Map<ThreadTrace.Role, int[]> places = new HashMap<>();

    private Column(Who leader, ThreadTrace shown) {
        this.leader = leader;
        this.shown = shown;
    }

    /** Threads of one role. */
    static Column of(ThreadTrace.Role role, List<Who> members, Map<Who, ThreadTrace> traces) {
        Column column = new Column(members.getFirst(), traces.get(members.getFirst()));
        column.add(role, members, IntStream.range(0, role.withOthers().size()).toArray());
        return column;
    }

    /** A warpgroup's roles as one column, if one of them does all that the others do; else null. */
    static Column ofWarpgroup(Map<ThreadTrace.Role, List<Who>> roles, Map<Who, ThreadTrace> traces) {
        ThreadTrace.Role all = roles.keySet().stream().max(Comparator.comparingInt((ThreadTrace.Role r) ->
                r.steps().size())
                .thenComparingInt(r -> r.withOthers().size())).orElseThrow();
        Who leader = roles.get(all).getFirst();
        Column column = new Column(leader, traces.get(leader));
        for (Map.Entry<ThreadTrace.Role, List<Who>> role : roles.entrySet()) {
            int[] within = within(role.getKey(), all);
            if (within == null || !all.steps().containsAll(role.getKey().steps())) {
                return null;
            }
            column.add(role.getKey(), role.getValue(), within);
        }
        return column;
    }

    /** Where events follow each other among all; null where they do not. */
    private static int[] within(ThreadTrace.Role role, ThreadTrace.Role all) {
        int[] places = new int[role.withOthers().size()];
        int at = 0;
        for (int i = 0; i < places.length; i++) {
            while (at < all.withOthers().size() && !all.withOthers().get(at).equals(role.withOthers().get(i))) {
                at++;
            }
            if (at == all.withOthers().size()) {
                return null;
            }
            places[i] = at++;
        }
        return places;
    }

    private void add(ThreadTrace.Role role, List<Who> threads, int[] within) {
        members.addAll(threads);
        sizes.merge(role, threads.size(), Integer::sum);
        places.put(role, within);
    }

    /** Takes the threads of a warpgroup that does the same. @return whether it does */
    boolean takes(Column other) {
        if (!sizes.equals(other.sizes)) {
            return false;
        }
        members.addAll(other.members);
        return true;
    }

    Who leader() {
        return leader;
    }

    /** In the order of their numbers. */
    List<Who> members() {
        TreeSet<Who> sorted = new TreeSet<>(ThreadTraces.ORDER);
        sorted.addAll(members);
        return List.copyOf(sorted);
    }

    ThreadTrace shown() {
        return shown;
    }

    /** How many of the column's threads perform a step; 0 for all of them. */
    int performing(int step) {
        int all = 0;
        int performing = 0;
        for (Map.Entry<ThreadTrace.Role, Integer> role : sizes.entrySet()) {
            all += role.getValue();
            performing += role.getKey().steps().contains(step) ? role.getValue() : 0;
        }
        return performing == all ? 0 : members.size() / all * performing;
    }

    /** The event that stands for the one that threads of a role do with others as number {@code index}; or null. */
    TimelineEvent standsFor(ThreadTrace.Role role, int index) {
        int[] within = places.get(role);
        return within == null || index >= within.length ? null : shown.withOthers().get(within[index]);
    }
}
