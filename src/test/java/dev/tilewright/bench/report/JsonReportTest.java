package dev.tilewright.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.builder.Schedule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reports as JSON, and what is no report. */
class JsonReportTest {

    @Provide
    Arbitrary<Report> reports() {
        return RandomReports.reports();
    }

    @Property(tries = 200)
    void whatIsWrittenIsReadBack(@ForAll("reports") Report report) {
        String text = JsonReport.text(report);
        Report again = JsonReport.parse(text, "it");
        assertEquals(report, again);
        assertEquals(text, JsonReport.text(again));
    }

    @Test
    void aScheduleIsItsText() {
        Row row = SampleReport.complete().of("copy").get(1).by(Schedule.parse("stages=4 tile=8x512B, 1 tile a block"));
        String text = JsonReport.text(SampleReport.report(true, List.of(row)));
        assertTrue(text.contains("\"schedule\" : \"stages=4 tile=8x512B, 1 tile a block\","), text);
    }

    @Test
    void anInterruptedRunSaysSo() {
        String text = JsonReport.text(SampleReport.interrupted());
        assertTrue(text.contains("\"format\" : 2,") && text.contains("\"complete\" : false"), text.substring(0, 200));
        assertEquals(SampleReport.interrupted(), JsonReport.parse(text, "it"));
    }

    @Test
    void whatANewerVersionAddsIsPassedOver() {
        String text = JsonReport.text(SampleReport.complete());
        assertEquals(SampleReport.complete(), JsonReport.parse(text.replaceFirst("\\{", "{\"added\" : [1, {}],"),
                "it"));
    }

    @Test
    void whatIsNoReportIsRefusedWithTheReason(@TempDir Path folder) throws IOException {
        String good = JsonReport.text(SampleReport.complete());
        refused("", "it is not a report of 'bench --json'");
        refused("[1, 2", "it is not a report");
        refused("{\"a\": 1}", "it has no number 'format'");
        refused("{\"format\": \"1\"}", "it has no number 'format'");
        refused("{\"format\": 2}", "it is not a report of 'bench --json': it has no 'started'");
        refused(good.replace("\"format\" : 2,", "\"format\" : 3,"),
                "a report of form 3, and this version reads form 2");
        refused(good.replace("\"format\" : 2,", "\"format\" : 1,"),
                "a report of form 1, and this version reads form 2");
        refused(good.replace("\"format\" : 2,", "\"format\" : 99999999999,"), "a report of form 99999999999");
        refused(good.replaceFirst("\"median\" : [0-9.]+", "\"median\" : -1"), "the order is not kept");
        refused(good.replaceFirst("\"median\" : [0-9.E]+,", ""), ": rows[0].figure has no 'median'");
        refused(good.replaceFirst("\"median\" : [0-9.E]+", "\"median\" : \"x\""),
                ": rows[0].figure.median cannot be 'x'");
        refused(good.replaceFirst("\"GB/s\"", "\"furlongs\""), ": rows[0].unit cannot be 'furlongs'");
        refused(good.replaceFirst("\"schedule\" : \"none\"", "\"schedule\" : \"stages 4\""),
                ": rows[0].schedule cannot be 'stages 4'");
        refused(good.replaceFirst("\"schedule\" : \"none\",", ""), ": rows[0] has no 'schedule'");
        refused(good.replaceFirst("\"means\" : \\{", "\"means\" : null, \"other\" : {"), ": rows[0] has no 'means'");
        refused(good.replaceFirst("\"machine\" : \\{", "\"machine\" : null, \"other\" : {"), ": it has no 'machine'");
        refused(good.replaceFirst("\"rows\" : \\[", "\"rows\" : [ null,"), ": nothing is in the place of a part of it");
        refused(good.replaceFirst("\"rows\" : \\[", "\"rows\" : [ 5,"),
                ": rows[0] is not of the type that it has in reports");
        refused(good.replaceFirst("\"VERIFIED\"", "null"), "] has no 'verdict'");
        refused(good.substring(0, good.length() / 2), ": it ends too early, line ");
        refused(good.replaceFirst(":", ";"), ": it is not as JSON is written, line 2");
        refused(good + good, ": something follows it, line ");
        refused("[".repeat(100_000), ": it is nested too deeply");
        BadRequestException missing =
                assertThrows(BadRequestException.class, () -> JsonReport.read(folder.resolve("none.json")));
        assertTrue(missing.getMessage().endsWith("none.json: there is no such file"), missing.getMessage());
        Path file = Files.writeString(folder.resolve("good.json"), good);
        assertEquals(SampleReport.complete(), JsonReport.read(file));
        Path bytes = Files.write(folder.resolve("bytes.json"), new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertThrows(BadRequestException.class, () -> JsonReport.read(bytes));
    }

    private static void refused(String text, String reason) {
        BadRequestException e = assertThrows(BadRequestException.class, () -> JsonReport.parse(text, "it"), reason);
        assertTrue(e.getMessage().contains(reason), e.getMessage());
        assertFalse(e.getMessage().matches("(?s).*(\\n|`|Feature|java|jackson|dev\\.tile|report.*report of 'bench).*"),
                e.getMessage());
    }
}
