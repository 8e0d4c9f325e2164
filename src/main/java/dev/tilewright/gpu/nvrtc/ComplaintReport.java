package dev.tilewright.gpu.nvrtc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Turns a compiler's log into complaints, each with the numbered lines that it is about. Two forms are known: the
 * front end's {@code copy.cu(12): error: text} counts lines of the source, the assembler's
 * {@code ptxas application ptx input, line 23; error : text} counts lines of the PTX that was made from it.
 */
public final class ComplaintReport {

    /** Lines shown before and after the one complained of. */
    private static final int AROUND = 2;

    private static final int MOST_PLACES = 10;

    private static final Pattern FRONT_END =
            Pattern.compile("(?<file>.+)\\((?<line>\\d{1,9})\\): (?:catastrophic error|internal error|error)\\b.*");
    private static final Pattern ASSEMBLER = Pattern.compile("ptxas .*, line (?<line>\\d{1,9}); *(?:error|fatal) *:.*");

    private final String file;
    private final List<String> source;
    private final List<String> ptx;

    /** A text and a line of it, from 1. */
    private record Place(List<String> text, int line) { }

    /**
     * @param file the source's name in complaints
     * @param ptx what the assembler was given; may be empty
     */
    public ComplaintReport(String file, String source, String ptx) {
        this.file = file;
        this.source = source.lines().toList();
        this.ptx = ptx.lines().toList();
    }

    /** The complaints of a log, each place's lines once; the log itself if none of it is understood. */
    public String of(String log) {
        Map<Place, List<String>> complaints = new LinkedHashMap<>();
        log.lines().forEach(line -> {
            Place place = placeOf(line);
            if (place != null) {
                complaints.computeIfAbsent(place, p -> new ArrayList<>()).add(line);
            }
        });
        if (complaints.isEmpty()) {
            return log.strip();
        }
        String shown = complaints.entrySet().stream().limit(MOST_PLACES)
                .map(e -> String.join("\n", e.getValue()) + "\n" + excerpt(e.getKey()))
                .collect(Collectors.joining("\n"));
        int more = complaints.size() - MOST_PLACES;
        return more <= 0 ? shown : shown + "\n... and complaints about " + more + " more lines";
    }

    private Place placeOf(String logLine) {
        Matcher front = FRONT_END.matcher(logLine);
        if (front.matches() && front.group("file").equals(file)) {
            return new Place(source, Integer.parseInt(front.group("line")));
        }
        Matcher assembler = ASSEMBLER.matcher(logLine);
        return assembler.matches() ? new Place(ptx, Integer.parseInt(assembler.group("line"))) : null;
    }

    private static String excerpt(Place place) {
        StringBuilder out = new StringBuilder();
        int first = Math.max(1, place.line - AROUND);
        int last = Math.min(place.text.size(), place.line + AROUND);
        for (int line = first; line <= last; line++) {
            String text = place.text.get(line - 1);
            out.append(line == place.line ? "  > " : "    ").append(String.format("%4d | ", line)).append(text)
                    .append('\n');
        }
        return out.toString();
    }
}
