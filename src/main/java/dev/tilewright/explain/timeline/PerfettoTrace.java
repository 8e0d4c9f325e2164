package dev.tilewright.explain.timeline;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A schedule in the format that Perfetto and chrome://tracing open (the Trace Event Format): complete events on a track
 * for each role, and a flow to each wait from what ended it. Times there are microseconds.
 *
 * @param displayTimeUnit what the viewer counts in
 * @param traceEvents each an object of the format
 */
public record PerfettoTrace(String displayTimeUnit, List<Map<String, Object>> traceEvents) {
    private static final int PROCESS = 1;
    /** Of a microsecond. */
    private static final double NANOSECONDS = 1000;

    public PerfettoTrace {
        traceEvents = List.copyOf(traceEvents);
    }

    /** Of an order: row n begins at n and lasts 1, which is no time. */
    static PerfettoTrace of(Timeline timeline) {
        List<Map<String, Object>> events = tracks(timeline.kernel() + " (rows, not time)", timeline.roles());
        int flow = 0;
        for (TimelineRow row : timeline.rows()) {
            for (int role : row.roles()) {
                if (role < timeline.roles().size()) {
                    events.add(step(row, role, row.number(), 1));
                }
            }
            for (int number : row.waitsFor()) {
                TimelineRow cause = timeline.rows().stream().filter(r -> r.number() == number).findFirst().orElse(null);
                if (cause != null) {
                    flow++;
                    events.add(flow("s", flow, cause.roles().getFirst(), number + 0.5));
                    events.add(flow("f", flow, row.roles().getFirst(), row.number() + 0.5));
                }
            }
        }
        return new PerfettoTrace("ns", events);
    }

    /** The names of the process and of a track for each role. */
    static List<Map<String, Object>> tracks(String kernel, List<String> roles) {
        List<Map<String, Object>> events = new ArrayList<>();
        events.add(event("process_name", "M", 0, Map.of("args", Map.of("name", kernel))));
        for (int role = 0; role < roles.size(); role++) {
            events.add(event("thread_name", "M", role, Map.of("args", Map.of("name", roles.get(role)))));
        }
        return events;
    }

    /** A step on a role's track. */
    static Map<String, Object> step(TimelineRow row, int role, double at, double lasts) {
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("cat", row.action().toString());
        more.put("ts", at);
        more.put("dur", lasts);
        Map<String, Object> args = new LinkedHashMap<>();
        args.put("row", row.number());
        args.put("step", row.step());
        args.put("line", row.line());
        args.put("purpose", row.purpose());
        args.put("bytes", row.bytes());
        more.put("args", args);
        return event(row.cell(), "X", role, more);
    }

    /** A step in time. */
    static Map<String, Object> span(StepTime span) {
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("cat", span.action().toString());
        more.put("ts", span.from() / NANOSECONDS);
        more.put("dur", span.lasts() / NANOSECONDS);
        more.put("args", Map.of("step", span.step(), "line", span.line(), "purpose", span.purpose()));
        return event(span.action() + ": " + span.purpose(), "X", span.role(), more);
    }

    private static Map<String, Object> flow(String phase, int id, int role, double at) {
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("cat", "wait");
        more.put("id", id);
        more.put("ts", at);
        if (phase.equals("f")) {
            more.put("bp", "e");
        }
        return event("ends", phase, role, more);
    }

    private static Map<String, Object> event(String name, String phase, int role, Map<String, Object> more) {
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("name", name);
        event.put("ph", phase);
        event.put("pid", PROCESS);
        event.put("tid", role + 1);
        event.putAll(more);
        return event;
    }
}
