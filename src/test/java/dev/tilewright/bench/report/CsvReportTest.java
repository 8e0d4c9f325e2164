package dev.tilewright.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.result.Ratio;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** Reports as comma-separated values, read by a reader of RFC 4180 of the test's own. */
class CsvReportTest {

    @Provide
    Arbitrary<Report> reports() {
        return RandomReports.reports();
    }

    @Property(tries = 200)
    void everyRowIsALineOfAllColumns(@ForAll("reports") Report report) {
        List<List<String>> lines = read(CsvReport.text(report));
        List<String> names = lines.getFirst();
        assertEquals(report.rows().size() + 1, lines.size());
        for (int i = 0; i < report.rows().size(); i++) {
            List<String> line = lines.get(i + 1);
            Row row = report.rows().get(i);
            assertEquals(names.size(), line.size());
            assertEquals(row.subject(), line.get(names.indexOf("subject")));
            assertEquals(row.note(), line.get(names.indexOf("note")));
            assertEquals(row.figure() == null ? "" : Double.toString(row.figure().median()),
                    line.get(names.indexOf("median")));
            row.parameters().forEach((name, value) -> assertEquals(value, line.get(names.indexOf("parameter "
                    + name))));
            assertEquals(row.schedule().toString(), line.get(names.indexOf("schedule")));
            row.means().forEach((name, value) -> assertEquals(value, line.get(names.indexOf("means " + name))));
            for (Ratio ratio : row.ratios()) {
                Ratio first = row.ratios().stream().filter(r -> r.of().equals(ratio.of())).findFirst().orElseThrow();
                assertEquals(Double.toString(first.value()), line.get(names.indexOf("of " + ratio.of())));
            }
            assertEquals(Long.toString(report.seed()), line.get(names.indexOf("seed")));
            assertEquals(Boolean.toString(report.complete()), line.get(names.lastIndexOf("complete")));
        }
    }

    @Test
    void eachLineSaysWhatItWasMeasuredOn() {
        String text = CsvReport.text(SampleReport.complete());
        List<String> names = read(text).getFirst();
        assertTrue(names.containsAll(List.of("gpu", "driver", "cuda", "multiprocessor MHz before", "throttling after",
                "java",
                "version", "revision", "seed", "of cuMemcpy", "demanded of cuMemcpy", "parameter size", "schedule",
                "means blocks")),
                names.toString());
        assertEquals("NVIDIA H200", read(text).get(1).get(names.indexOf("gpu")));
    }

    static List<List<String>> read(String text) {
        List<List<String>> lines = new ArrayList<>();
        List<String> line = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted) {
                if (c != '"') {
                    cell.append(c);
                } else if (i + 1 < text.length() && text.charAt(i + 1) == '"') {
                    cell.append('"');
                    i++;
                } else {
                    quoted = false;
                }
            } else if (c == '"') {
                quoted = true;
            } else if (c == ',' || c == '\r' && text.charAt(i + 1) == '\n') {
                line.add(cell.toString());
                cell.setLength(0);
                if (c == '\r') {
                    lines.add(line);
                    line = new ArrayList<>();
                    i++;
                }
            } else {
                cell.append(c);
            }
        }
        assertTrue(line.isEmpty() && cell.isEmpty() && !quoted, "the last line has no end");
        return lines;
    }
}
