package dev.tilewright.explain.timeline;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.explain.timeline.ThreadTraces.Who;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts the threads of a run into columns, and their events into rows. */
final class Columns {
    /** A table with more columns is none that people read. */
    private static final int MOST = 6;

    private final TileProgram program;
    private final Map<Who, ThreadTrace.Role> roles = new HashMap<>();
    private final List<Column> columns;
    private final Map<Who, Integer> columnOf = new HashMap<>();
    private final Map<TimelineEvent, Integer> rowOf = new LinkedHashMap<>();

    Columns(TileProgram program, TimelineObserver seen) {
        this.program = program;
        Map<Who, ThreadTrace> traces = seen.traces();
        // A role is compared with each other one: one object for all that are equal makes that quick.
        Map<ThreadTrace.Role, ThreadTrace.Role> known = new HashMap<>();
        traces.forEach((who, trace) -> roles.put(who, known.computeIfAbsent(trace.role(), role -> role)));
        List<Column> all = new ArrayList<>();
        Map<Who, Map<ThreadTrace.Role, List<Who>>> warpgroups = new TreeMap<>(ThreadTraces.ORDER);
        Map<ThreadTrace.Role, List<Who>> others = new LinkedHashMap<>();
        for (Who who : traces.keySet()) {
            Who first = seen.warpgroup(who);
            Map<ThreadTrace.Role, List<Who>> group = first == null ? others
                    : warpgroups.computeIfAbsent(first, _ -> new LinkedHashMap<>());
            group.computeIfAbsent(roles.get(who), _ -> new ArrayList<>()).add(who);
        }
        for (Map<ThreadTrace.Role, List<Who>> group : warpgroups.values()) {
            Column column = Column.ofWarpgroup(group, traces);
            if (column == null) {
                group.forEach((role, threads) -> others.computeIfAbsent(role, _ -> new ArrayList<>()).addAll(threads));
            } else if (all.stream().noneMatch(same -> same.takes(column))) {
                all.add(column);
            }
        }
        others.forEach((role, threads) -> all.add(Column.of(role, threads, traces)));
        all.sort(Comparator.comparing(column -> column.members().getFirst(), ThreadTraces.ORDER));
        columns = tellingFirst(all);
        for (int i = 0; i < columns.size(); i++) {
            int number = i;
            columns.get(i).members().forEach(who -> columnOf.put(who, number));
        }
    }

    /** Where there are too many, those first that perform most steps which no other column has. */
    private static List<Column> tellingFirst(List<Column> columns) {
        if (columns.size() <= MOST) {
            return columns;
        }
        Set<Integer> seen = new HashSet<>();
        Set<Column> chosen = new HashSet<>();
        while (chosen.size() < MOST) {
            Column best = columns.stream().filter(column -> !chosen.contains(column)).max(Comparator
                    .comparingLong((Column c) -> c.shown().steps().stream().filter(s -> !seen.contains(s)).count())
                    .thenComparingInt(column -> -columns.indexOf(column))).orElseThrow();
            chosen.add(best);
            seen.addAll(best.shown().steps());
        }
        return Stream.concat(columns.stream().filter(chosen::contains),
                columns.stream().filter(column -> !chosen.contains(column))).toList();
    }

    Timeline timeline(int blocks, String fault) {
        int shown = Math.min(MOST, columns.size());
        Map<Long, List<TimelineEvent>> byMeeting = new TreeMap<>();
        long later = 0;
        for (Column column : columns.subList(0, shown)) {
            column.shown().events().forEach(e -> byMeeting.computeIfAbsent(e.meeting, _ -> new ArrayList<>()).add(e));
            later += column.shown().leftOut();
        }
        int number = 0;
        for (List<TimelineEvent> events : byMeeting.values()) {
            number++;
            for (TimelineEvent event : events) {
                rowOf.put(event, number);
            }
        }
        CudaSource source = CudaEmitter.emit(program);
        StepNumbers steps = new StepNumbers(program);
        List<TimelineRow> rows = byMeeting.values().stream().map(events -> row(events, source, steps)).toList();
        String order = "the first " + (program.clusterBlocks() == 1 ? "block" : "cluster, of "
                + program.clusterBlocks() + " blocks,") + " of " + blocks
                + ", in the order in which the reference ran it: order and dependence, no time";
        return new Timeline(program.name(), program.purpose(), order, blocks, program.clusterBlocks(),
                columns.stream().limit(shown).map(this::name).toList(),
                columns.stream().limit(shown).map(Column::leader)
                        .map(who -> who.block() * program.threads() + who.thread()).toList(), rows, fault,
                new Timeline.LeftOut(columns.size() - shown, 0, later));
    }

    private TimelineRow row(List<TimelineEvent> events, CudaSource source, StepNumbers steps) {
        TimelineEvent first = events.getFirst();
        List<Integer> waitsFor = first.causes.stream().map(this::row).filter(row -> row > 0).distinct().sorted()
                .toList();
        List<String> elsewhere = first.causes.stream().filter(cause -> row(cause) == 0)
                .map(cause -> "step " + cause.step + " of block " + cause.block + ", thread " + cause.thread)
                .distinct().limit(TimelineRow.MOST_ELSEWHERE).toList();
        List<Integer> at = events.stream().map(e -> columnOf.get(new Who(e.block, e.thread))).toList();
        return new TimelineRow(rowOf.get(first), at, first.action, first.place, first.memory, first.bytes, first.turns,
                events.size() > 1 ? 0 : columns.get(at.getFirst()).performing(first.step), waitsFor, elsewhere,
                first.step, source.lineOf(first.step), steps.step(first.step).purpose());
    }

    /** The row of the event that a thread's column shows for it; 0 for none. */
    private int row(TimelineEvent event) {
        Who who = new Who(event.block, event.thread);
        Integer column = columnOf.get(who);
        if (event.index < 0 || column == null) {
            return 0;
        }
        TimelineEvent shown = columns.get(column).standsFor(roles.get(who), event.index);
        return shown == null ? 0 : rowOf.getOrDefault(shown, 0);
    }

    /** {@code thread 0}, {@code threads 32-159 of each block}. */
    private String name(Column column) {
        Map<Integer, List<Integer>> threads = new TreeMap<>();
        column.members().forEach(who -> threads.computeIfAbsent(who.block(), _ -> new ArrayList<>()).add(who.thread()));
        if (program.clusterBlocks() == 1) {
            return ranges(threads.values().iterator().next());
        }
        List<String> names = threads.values().stream().map(Columns::ranges).distinct().toList();
        return names.size() > 1 ? threads.entrySet().stream().map(e -> "block " + e.getKey() + " "
                + ranges(e.getValue())).collect(Collectors.joining("; "))
                : names.getFirst() + (threads.size() == program.clusterBlocks() ? " of each block" : " of block "
                + threads.keySet().stream().map(Object::toString).collect(Collectors.joining(",")));
    }

    private static String ranges(List<Integer> threads) {
        List<String> ranges = new ArrayList<>();
        for (int i = 0; i < threads.size();) {
            int from = i;
            while (++i < threads.size() && threads.get(i) == threads.get(i - 1) + 1) {
                // The range goes on.
            }
            ranges.add(threads.get(from) + (i - from == 1 ? "" : "-" + threads.get(i - 1)));
        }
        int shown = Math.min(3, ranges.size());
        return (threads.size() == 1 ? "thread " : "threads ") + String.join(",", ranges.subList(0, shown))
                + (shown < ranges.size() ? ",..." : "");
    }
}
