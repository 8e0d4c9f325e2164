package dev.tilewright.explain.timeline;

import dev.tilewright.explain.picture.PicturePage;
import dev.tilewright.explain.picture.Svg;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The schedule of a launch's first cluster, as the reference ran it: which role did which step after which, and what
 * each wait waited for. It is an order and knows no time.
 *
 * @param source what the order of the rows is, in a line
 * @param blocks of the launch, all of which ran
 * @param shownBlocks of the first cluster
 * @param roles the threads of each column: they perform the same steps, and meet other threads in the same order
 * @param shown the thread that each column shows, by its number, the threads of earlier blocks counted first
 * @param rows in the order in which the first thread of each role performed them
 * @param fault why the kernel does not run to its end; empty where it does
 * @param leftOut what is not here
 */
public record Timeline(String kernel, String purpose, String source, int blocks, int shownBlocks, List<String> roles,
        List<Integer> shown, List<TimelineRow> rows, String fault, LeftOut leftOut) {
    /**
     * What the bounds of a timeline keep out.
     *
     * @param roles that have no column
     * @param rows that have not been asked for
     * @param steps that roles with columns performed after the last that is kept
     */
    public record LeftOut(int roles, int rows, long steps) {
        static final LeftOut NOTHING = new LeftOut(0, 0, 0);
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
        return new Columns(program, seen).timeline(launch.blocks(), fault);
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
        for (TimelineRow row : rows) {
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
        return ScheduleDrawing.of(this, "Schedule of " + kernel);
    }

    /** The drawing and the table as a page. */
    public PicturePage page() {
        return new PicturePage("Schedule of " + kernel, List.of(new PicturePage.Words(List.of(lines().get(0),
                lines().get(1))), new PicturePage.Beside(new PicturePage.Drawing("", drawing()),
                new PicturePage.Listing("As a table", lines().subList(2, lines().size())))));
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
}
