package dev.tilewright.explain.timeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The guide's drawing of a schedule in time is of the table that a GPU machine logged; update by its property. */
class TimelineLogTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path PICTURE = ROOT.resolve("docs/pictures/timeline-gpu.svg");
    private static final Pattern CELL = Pattern.compile("([a-z]+) \\d+");

    @Test
    void thePictureIsOfTheLog() throws IOException {
        GpuTimeline timeline = logged();
        assertTrue(timeline.spans().size() > 40 && timeline.roles().size() == 5, timeline::toString);
        String drawing = timeline.drawing().toString();
        if (Boolean.getBoolean("tilewright.update")) {
            Files.writeString(PICTURE, drawing);
        }
        assertEquals(drawing, Files.readString(PICTURE), "run TimelineLogTest with -Dtilewright.update=true");
    }

    /** The first table of the log. */
    private static GpuTimeline logged() throws IOException {
        List<String> lines = Files.readAllLines(ROOT.resolve("native-tests/logs/timeline.log"));
        int head = 0;
        while (!lines.get(head).startsWith("from ")) {
            head++;
        }
        List<Integer> starts = new ArrayList<>();
        List<String> names = new ArrayList<>();
        Matcher column = Pattern.compile("\\S+( \\S+)*").matcher(lines.get(head));
        while (column.find()) {
            starts.add(column.start());
            names.add(column.group());
        }
        int roles = names.size() - 4;
        List<StepTime> spans = new ArrayList<>();
        for (String line : lines.subList(head + 1, lines.size())) {
            if (!line.matches("\\d+ +\\d+ .*")) {
                break;
            }
            String[] cells = new String[names.size()];
            for (int i = 0; i < cells.length; i++) {
                int end = i + 1 < cells.length ? Math.min(line.length(), starts.get(i + 1)) : line.length();
                cells[i] = line.substring(Math.min(end, starts.get(i)), end).strip();
            }
            for (int role = 0; role < roles; role++) {
                Matcher cell = CELL.matcher(cells[role + 2]);
                if (cell.matches()) {
                    spans.add(new StepTime(role, Integer.parseInt(cells[roles + 2]), 0,
                            StepAction.valueOf(cell.group(1).toUpperCase(Locale.ROOT)), cells[roles + 3],
                            Double.parseDouble(cells[0]), Double.parseDouble(cells[1])));
                }
            }
        }
        String[] title = lines.get(head - 2).split(": ", 2);
        return new GpuTimeline(title[0], title[1], "NVIDIA H100 80GB HBM3", names.subList(2, roles + 2), spans, 0);
    }
}
