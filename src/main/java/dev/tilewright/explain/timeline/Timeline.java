package dev.tilewright.explain.timeline;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.explain.picture.PicturePage;
import dev.tilewright.explain.picture.Svg;
import dev.tilewright.explain.timeline.TimelineObserver.Who;
import dev.tilewright.program.Launch;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The schedule of a launch's first cluster, as the reference ran it: which role did which step after which, and what
 * each wait waited for. It is an order and knows no time.
 *
 * @param source what the order of the rows is, in a line
 * @param blocks of the launch, all of which ran
 * @param shownBlocks of the first cluster
 * @param roles the threads of each column: those that perform the same steps, and those with others in the same order
 * @param shown the thread that each column shows, by its number, the threads of earlier blocks counted first
 * @param rows in the order in which the first thread of each role performed them
 * @param fault why the kernel does not run to its end; empty where it does
 * @param leftOut what is not here
 */
public record Timeline(String kernel, String purpose, String source, int blocks, int shownBlocks, List<String> roles,
        List<Integer> shown, List<Row> rows, String fault, LeftOut leftOut) {
    /** A table with more columns is none that people read. */
    private static final int MOST_ROLES = 6;

    /**
     * What the bounds of a timeline keep out.
     *
     * @param roles that have no column
     * @param rows that have not been asked for
     * @param steps that roles with columns performed after the last that is kept
     */
    public record LeftOut(int roles, int rows, long steps) {
    }

    public Timeline {
        roles = List.copyOf(roles);
        shown = List.copyOf(shown);
        rows = List.copyOf(rows);
    }

    /**
     * Runs a launch on the reference.
     *
     * @param memory what the launch's buffers hold; the results are in it afterwards
     */
    public static Timeline of(Launch launch, List<MemorySegment> memory) {
        return of(launch, memory, ReferenceOptions.DEFAULT, Throwable::getMessage);
    }

    /**
     * Runs a launch on the reference within limits.
     *
     * @param options of the run, which is sequential
     * @param stopped what is said of a run that the limits end
     */
    public static Timeline of(Launch launch, List<MemorySegment> memory, ReferenceOptions options,
            Function<ReferenceStoppedException, String> stopped) {
        TileProgram program = launch.resolved().program();
        TimelineObserver seen = new TimelineObserver(program);
        String fault = "";
        try {
            Reference.run(launch, memory, options.sequential(), seen);
        } catch (ReferenceException e) {
            fault = e.getMessage();
        } catch (ReferenceStoppedException e) {
            fault = stopped.apply(e);
        }
        return new Columns(program, seen.traces()).timeline(launch.blocks(), fault);
    }

    /** Its first rows. */
    public Timeline first(int most) {
        return rows.size() <= most ? this : new Timeline(kernel, purpose, source, blocks, shownBlocks, roles,
                shown, rows.subList(0, most), fault, new LeftOut(leftOut.roles, leftOut.rows + rows.size() - most,
                        leftOut.steps));
    }

    /** For people: one column a role, one line a row. */
    public List<String> lines() {
        List<List<String>> table = new ArrayList<>();
        List<String> head = new ArrayList<>(List.of("row"));
        head.addAll(roles);
        head.addAll(List.of("step", "purpose"));
        table.add(head);
        for (Row row : rows) {
            List<String> line = new ArrayList<>(List.of(Integer.toString(row.number())));
            for (int role = 0; role < roles.size(); role++) {
                line.add(row.roles().contains(role) ? row.cell() : "");
            }
            line.addAll(List.of(Integer.toString(row.step()), row.purpose()));
            table.add(line);
        }
        List<String> lines = new ArrayList<>(List.of(kernel + ": " + purpose, source));
        lines.addAll(columns(table));
        if (!fault.isEmpty()) {
            lines.add("stopped: " + fault);
        }
        if (!omission().isEmpty()) {
            lines.add(omission());
        }
        return lines;
    }

    /** A table's lines, its cells below each other; the last column is as long as it is. */
    static List<String> columns(List<List<String>> table) {
        List<String> lines = new ArrayList<>();
        int[] widths = new int[table.getFirst().size() - 1];
        table.forEach(line -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        });
        for (List<String> line : table) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                text.append(line.get(i)).append(" ".repeat(widths[i] - line.get(i).length() + 2));
            }
            lines.add(text.append(line.getLast()).toString());
        }
        return lines;
    }

    /** Drawn, with an arrow to each wait from what ended it. */
    public Svg drawing() {
        return ScheduleDrawing.of(this);
    }

    /** The drawing and the table as a page. */
    public PicturePage page() {
        return new PicturePage("Schedule of " + kernel, List.of(new PicturePage.Words(List.of(lines().get(0),
                lines().get(1))), new PicturePage.Drawing("", drawing()),
                new PicturePage.Listing("As a table", lines().subList(2, lines().size()))));
    }

    /** What has to come before the last store of the first tile, drawn. */
    public Svg graph() {
        return OrderGraph.of(this);
    }

    /** For Perfetto: the order of the rows instead of time. */
    public PerfettoTrace trace() {
        return PerfettoTrace.of(this);
    }

    /** What is left out, in a sentence; empty for nothing. */
    String omission() {
        List<String> parts = new ArrayList<>();
        if (leftOut.rows > 0) {
            parts.add(leftOut.rows + " of " + (rows.size() + leftOut.rows) + " rows");
        }
        if (leftOut.roles > 0) {
            parts.add(leftOut.roles + " more roles");
        }
        if (leftOut.steps > 0) {
            parts.add(leftOut.steps + " later steps of these roles");
        }
        return parts.isEmpty() ? "" : "left out: " + String.join(", ", parts);
    }

    /** Puts the threads of a run into columns, and their events into rows. */
    private static final class Columns {
        private final TileProgram program;
        private final Map<Who, Trace> traces;
        private final List<List<Who>> members = new ArrayList<>();
        private final Map<Who, Integer> roleOf = new LinkedHashMap<>();
        private final Map<Event, Integer> rowOf = new LinkedHashMap<>();

        Columns(TileProgram program, Map<Who, Trace> traces) {
            this.program = program;
            this.traces = traces;
            Map<Trace.Role, List<Who>> byRole = new LinkedHashMap<>();
            traces.forEach((who, trace) -> byRole.computeIfAbsent(trace.role(), _ -> new ArrayList<>()).add(who));
            tellingFirst(new ArrayList<>(byRole.values())).forEach(all -> {
                all.forEach(who -> roleOf.put(who, members.size()));
                members.add(all);
            });
        }

        /** Where there are more roles than columns, those first that perform most steps which no other column has. */
        private List<List<Who>> tellingFirst(List<List<Who>> roles) {
            if (roles.size() <= MOST_ROLES) {
                return roles;
            }
            Set<Integer> seen = new HashSet<>();
            Set<List<Who>> chosen = new HashSet<>();
            while (chosen.size() < MOST_ROLES) {
                List<Who> best = roles.stream().filter(role -> !chosen.contains(role)).max(Comparator
                        .comparingLong((List<Who> role) -> steps(role).stream().filter(s -> !seen.contains(s)).count())
                        .thenComparingInt(role -> -roles.indexOf(role))).orElseThrow();
                chosen.add(best);
                seen.addAll(steps(best));
            }
            return Stream.concat(roles.stream().filter(chosen::contains),
                    roles.stream().filter(role -> !chosen.contains(role))).toList();
        }

        private Set<Integer> steps(List<Who> role) {
            return traces.get(role.getFirst()).role().steps();
        }

        private Trace shown(int role) {
            return traces.get(members.get(role).getFirst());
        }

        Timeline timeline(int blocks, String fault) {
            int columns = Math.min(MOST_ROLES, members.size());
            Map<Long, List<Event>> byMeeting = new TreeMap<>();
            long later = 0;
            for (int role = 0; role < columns; role++) {
                shown(role).events().forEach(e -> byMeeting.computeIfAbsent(e.meeting, _ -> new ArrayList<>()).add(e));
                later += shown(role).leftOut();
            }
            int number = 0;
            for (List<Event> events : byMeeting.values()) {
                number++;
                for (Event event : events) {
                    rowOf.put(event, number);
                }
            }
            CudaSource source = CudaEmitter.emit(program);
            StepNumbers steps = new StepNumbers(program);
            List<Row> rows = byMeeting.values().stream().map(events -> row(events, source, steps)).toList();
            String order = "the first " + (program.clusterBlocks() == 1 ? "block" : "cluster, of "
                    + program.clusterBlocks() + " blocks,") + " of " + blocks
                    + ", in the order in which the reference ran it: order and dependence, no time";
            return new Timeline(program.name(), program.purpose(), order, blocks, program.clusterBlocks(),
                    members.stream().limit(columns).map(this::name).toList(),
                    members.stream().limit(columns).map(List::getFirst)
                            .map(who -> who.block() * program.threads() + who.thread()).toList(), rows, fault,
                    new LeftOut(members.size() - columns, 0, later));
        }

        private Row row(List<Event> events, CudaSource source, StepNumbers steps) {
            Event first = events.getFirst();
            List<Integer> waitsFor = first.causes.stream().map(this::row).filter(row -> row > 0).distinct().sorted()
                    .toList();
            List<String> elsewhere = first.causes.stream().filter(cause -> row(cause) == 0)
                    .map(cause -> "step " + cause.step + " of block " + cause.block + ", thread " + cause.thread)
                    .distinct().limit(Row.MOST_ELSEWHERE).toList();
            return new Row(rowOf.get(first), events.stream().map(e -> roleOf.get(new Who(e.block, e.thread))).toList(),
                    first.deed, first.place, first.memory, first.bytes, first.turns, waitsFor, elsewhere, first.step,
                    source.lineOf(first.step), steps.step(first.step).purpose());
        }

        /** The row of the step that a thread's role shows in the thread's place; 0 for none. */
        private int row(Event event) {
            Integer role = roleOf.get(new Who(event.block, event.thread));
            return event.index < 0 || role == null ? 0
                    : rowOf.getOrDefault(shown(role).withOthers().get(event.index), 0);
        }

        /** {@code thread 0}, {@code threads 32-159 of each block}. */
        private String name(List<Who> role) {
            Map<Integer, List<Integer>> threads = new TreeMap<>();
            role.forEach(who -> threads.computeIfAbsent(who.block(), _ -> new ArrayList<>()).add(who.thread()));
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
}
