package dev.tilewright.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/** What the page is made of; {@link HtmlPageTest} looks at it. */
class HtmlReportTest {
    private static final HtmlReport HTML = new HtmlReport(Map.of("copy", "copies, against cuMemcpy & <others>"));

    @Provide
    Arbitrary<Report> reports() {
        return RandomReports.reports();
    }

    @Property(tries = 60)
    void anyReportIsAPage(@ForAll("reports") Report report) throws JsonProcessingException {
        String page = HTML.text(report);
        assertFalse(page.contains("<script>alert"), "text of a row is a script");
        JsonNode charts = charts(page);
        Set<String> ids = new HashSet<>();
        for (JsonNode chart : charts) {
            assertTrue(ids.add(chart.get("id").asText()), chart.get("id").asText());
            for (JsonNode y : chart.findValues("y")) {
                assertTrue(y.isObject() || y.isNumber(), chart::toPrettyString);
            }
            for (JsonNode value : chart.findValues("value")) {
                assertTrue(value.isNumber(), chart::toPrettyString);
            }
        }
        assertEquals(charts.size(), page.split("<figure id=").length - 1);
    }

    private static JsonNode charts(String page) throws JsonProcessingException {
        String start = "<script type=\"application/json\" id=\"charts\">";
        int at = page.indexOf(start) + start.length();
        return new ObjectMapper().readTree(page.substring(at, page.indexOf("</script>", at)));
    }

    @Test
    void aPageAsksForNothingAndSaysWhereItsPartsComeFrom() {
        String page = HTML.text(SampleReport.complete());
        String ours = page.replace(ChartLibrary.load().script(), "");
        assertTrue(page.length() - ours.length() > 500_000, "the charting library is not in the page");
        assertFalse(ours.replace("http://www.w3.org/2000/svg", "").replace("path://", "").contains("://"),
                "the page names an address");
        assertTrue(page.contains("www.apache.org/licenses/LICENSE-2.0"), "the library's licence is not in the page");
        assertTrue(ours.contains("Charts drawn by Apache ECharts 5.5.0"), "the library is not named");
        assertTrue(ours.contains("copies, against cuMemcpy &amp; &lt;others&gt;"), "what the suite measures");
        assertTrue(ours.contains("needs sm_90, and this GPU is sm_80: &lt;run&gt; it on a Hopper GPU &amp; later"),
                "the reason");
        assertTrue(page.length() < 1_500_000, "the page has " + page.length() + " characters");
    }

    @Test
    void aPageOfAnInterruptedRunSaysSo() {
        assertTrue(HTML.text(SampleReport.interrupted()).contains("This run was interrupted"));
        assertFalse(HTML.text(SampleReport.complete()).contains("This run was interrupted"));
        String empty = HTML.text(SampleReport.report(false, List.of()));
        assertTrue(empty.contains("This run was interrupted") && !empty.contains("<figure"), "a page of nothing");
    }

    /** The row, what is demanded of it and the head of the page say it. */
    @Test
    void whatHadNotSettledIsMarked() {
        Row row = SampleReport.complete().rows().stream().filter(r -> r.figure() != null && !r.ratios().isEmpty())
                .findFirst().orElseThrow();
        String of = row.ratios().getFirst().of();
        Row restless = row.demanding(of, row.ratios().getFirst().value() + 1e-7)
                .notingToo(Row.NOT_SETTLED + " after 3.6 s of warm-up");
        String page = HTML.text(SampleReport.report(true, List.of(restless)));
        assertTrue(page.contains("Measured before their times had settled"), "notice");
        assertTrue(page.contains(">not settled</td>"), "demand");
        String settled = HTML.text(SampleReport.report(true, List.of(row.demanding(of, 1e9))));
        assertFalse(settled.contains("not settled"), "what had settled is marked");
    }

    @Test
    void whatIsWrongIsInNoChart() {
        Report report = SampleReport.complete();
        String id = "copy-gigabytes-per-second-bars";
        List<Chart> charts = SuiteCharts.of("copy", report.of("copy"), report.machine());
        BarChart bars = (BarChart) charts.stream().filter(c -> c.id().equals(id)).findFirst().orElseThrow();
        assertTrue(report.rows().stream().anyMatch(r -> r.verdict() == Verdict.WRONG && r.subject()
                .equals("multicast-copy")));
        assertFalse(bars.table().toString().contains("multicast"), bars.table().toString());
        assertEquals(18, bars.bars().size());
        assertEquals(List.of("cuMemcpy", "memory's rating"), bars.levels().stream().map(Level::name).toList());
        LineChart lines = (LineChart) charts.getFirst();
        assertEquals(10, lines.series().size());
        assertEquals(Role.BASELINE, lines.series().getLast().role());
        assertEquals(8, lines.series().getFirst().points().size());
    }

    private static Row product(String type, String side, double figure) {
        return Row.of("compute", "product of " + type, side, Unit.TERAFLOPS, SampleReport.around(figure),
                Verdict.VERIFIED)
                .with("shape", type.equals("bf16") ? "8x8x8" : "4x4x4");
    }

    @Test
    void barsStandBelowTheWorkThatTheyAreOf() {
        Report report = SampleReport.report(true, List.of(product("bf16", "cuBLAS", 600).by("algorithm", "the first"),
                product("bf16", "cuBLAS", 700).by("algorithm", "the fastest"),
                product("bf16", "PyTorch", 650).with("type", "bf16"),
                product("bf16", Row.OURS, 740).with("numbers", "whole"),
                product("bf16", Row.OURS, 720).with("numbers", "random"),
                product("f32", "PyTorch", 50).with("type", "f32"),
                product("f32", Row.OURS, 40).with("numbers", "random")));
        BarChart bars = (BarChart) SuiteCharts.of("compute", report.of("compute"), report.machine()).getFirst();
        assertEquals(List.of("product of bf16: tilewright, numbers whole",
                "product of bf16: tilewright, numbers random", "product of bf16: cuBLAS", "product of bf16: PyTorch",
                "product of f32: tilewright", "product of f32: PyTorch"), bars.bars().stream()
                .map(bar -> bar.group() + ": " + bar.name()).toList());
        assertEquals(700, bars.bars().get(2).value());
    }

    @Test
    void rivalsThatTakeNoSizeAreInTheBars() {
        Report report = SampleReport.report(true, List.of(
                Row.of("compute", "softmax", Row.OURS, Unit.GIGABYTES_PER_SECOND, SampleReport.around(4000),
                Verdict.VERIFIED)
                        .with("size", 1 << 30).by("threads", 128),
                Row.of("compute", "softmax", "Triton", Unit.GIGABYTES_PER_SECOND, SampleReport.around(3900),
                Verdict.VERIFIED)
                        .with("shape", "65536x4096")));
        BarChart bars = (BarChart) SuiteCharts.of("compute", report.of("compute"), report.machine()).getFirst();
        assertEquals(List.of("tilewright", "Triton"), bars.bars().stream().map(BarChart.Bar::name).toList());
    }

    @Test
    void aHeatMapHasTheBestOfEachCell() {
        Report report = SampleReport.complete();
        HeatMap map = (HeatMap) SuiteCharts.of("sweep", report.of("sweep"), report.machine()).getFirst();
        assertEquals(List.of("1", "2", "4", "8"), map.xs());
        assertEquals(List.of("32x32", "64x32", "64x64", "128x64", "128x128", "256x128"), map.ys());
        assertEquals(23, map.cells().size());
        HeatMap.Cell best = map.cells().stream().max((a, b) -> Double.compare(a.value(), b.value())).orElseThrow();
        assertEquals(new HeatMap.Cell(2, 3, 4180, "schedule stages=4 tile=128x64, 132 blocks"), best);
        assertEquals("", map.table().rows().get(5).get(4));
    }

    @Test
    void aRowSaysHowLongItsWorkTook() {
        Row row = SampleReport.complete().of("compute").getFirst();
        assertEquals(2.0 * (1L << 30) / row.figure().median() / 1e12, RooflineChart.seconds(row), 1e-12);
        Row rate = Row.of("a", "b", "c", Unit.GIGABYTES_PER_SECOND, SampleReport.around(2), Verdict.VERIFIED)
                .moving(8_000_000_000L);
        assertEquals(4, RooflineChart.seconds(rate), 1e-9);
        assertEquals(List.of(1071, 67), ArithmeticPeaks.of(SampleReport.complete().machine()).stream()
                .map(level -> (int) Math.round(level.value() / 1e12)).toList());
    }

    @Test
    void withoutTheChartingLibraryItIsNamed() throws Exception {
        try (URLClassLoader nothing = new URLClassLoader(new URL[0], null)) {
            MissingRequirementException e =
                    assertThrows(MissingRequirementException.class, () -> ChartLibrary.load(nothing));
            assertTrue(e.getMessage().endsWith("add org.webjars:echarts:5.5.0"), e.getMessage());
        }
    }

    @Test
    void figuresHaveEnoughDigits() {
        assertEquals(List.of("0", "0.5", "4215", "12.35", "1,234", "12,346", "1.000e+12", "-", "2.500e-05"),
                List.of(Figures.number(0), Figures.number(0.5), Figures.number(4215).replace(",", ""),
                Figures.number(12.3456),
                        Figures.number(1234.4), Figures.number(12345.6), Figures.number(1e12),
                        Figures.number(Double.NaN),
                        Figures.number(2.5e-5)));
        assertEquals(List.of("17 B", "1 KiB", "1.5 MiB", "16 GiB"), List.of(Figures.bytes(17), Figures.bytes(1024),
                Figures.bytes(3 << 19), Figures.bytes(1L << 34)));
    }
}
