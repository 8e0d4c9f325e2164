package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Progress;
import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Settings;
import dev.tilewright.bench.report.JsonReport;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Presets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bench} without a GPU: its files, and what it compares. */
class BenchCommandTest {

    /** Few, so that what is measured here is little. */
    private static final PresetCatalog PRESETS = new PresetCatalog(Presets.CATALOG.presets().subList(0, 3));

    @TempDir
    Path folder;

    private Path file(String name) {
        return folder.resolve(name);
    }

    private PipedCommand bench(Object... words) {
        return PipedCommand.run(PRESETS, Stream.concat(Stream.of("bench"), Stream.of(words).map(Object::toString))
                .toArray(String[]::new));
    }

    @Test
    void aReportIsWrittenInEveryForm() throws IOException {
        PipedCommand run = bench("emit", "--json", file("r.json"), "--csv", file("r.csv"), "--html", file("r.html"),
                "--seed", 5, "--turns", 3, "--warm-up", 0);
        assertEquals(0, run.code(), run.err());
        Report report = JsonReport.read(file("r.json"));
        assertTrue(report.complete() && report.rows().size() == 3, report::toString);
        assertEquals(5, report.seed());
        assertEquals("bench emit --seed 5 --turns 3 --warm-up 0", report.command());
        assertEquals(report.rows().size() + 1, Files.readString(file("r.csv")).split("\r\n").length);
        String page = Files.readString(file("r.html"));
        assertTrue(page.contains("id=\"emit-microseconds-bars\"")
                && page.contains("building and emitting every preset"));
        assertFalse(page.contains("This run was interrupted"));
        // The page can be made anew elsewhere, from the document alone.
        PipedCommand again = bench("--read", file("r.json"), "--html", file("again.html"), "--csv", file("again.csv"));
        assertEquals(0, again.code(), again.err());
        assertEquals(page, Files.readString(file("again.html")));
        assertEquals(Files.readString(file("r.csv")), Files.readString(file("again.csv")));
        assertEquals(run.out(), again.out());
    }

    /** A report of these times in microseconds. */
    private Path report(String name, double... times) throws IOException {
        try (Bench bench = new Bench(Settings.DEFAULT, "bench", Progress.NONE, _ -> { })) {
            for (int i = 0; i < times.length; i++) {
                bench.add(Row.of("emit", "preset " + i, Row.OURS, Unit.MICROSECONDS, Spread.of(times[i]),
                        Verdict.NO_OUTPUT));
            }
            bench.run(List.of());
            return Files.writeString(file(name), JsonReport.text(bench.report()));
        }
    }

    @Test
    void oldAndNewAreCompared() throws IOException {
        report("old.json", 100, 200, 300);
        report("new.json", 100, 216, 290);
        PipedCommand same = bench("--compare", file("old.json"), file("old.json"), "--tolerance", 0);
        assertEquals(0, same.code(), same.out() + same.err());
        assertTrue(same.lines().getLast().matches("compared (\\d+) same \\1 better 0 worse 0 .* tolerance 0 %"),
                same.out());
        PipedCommand worse = bench("--compare", file("old.json"), file("new.json"));
        assertEquals(1, worse.code(), worse.out());
        assertTrue(worse.out().contains("1.080  WORSE"), worse.out());
        assertTrue(worse.lines().getLast().contains(" worse 1 "), worse.out());
        assertEquals(0, bench("--compare", file("old.json"), file("new.json"), "--tolerance", 10).code());
    }

    @Test
    void aSuiteAndASizeThatAreNamedTwiceAreMeasuredOnce() throws IOException {
        PipedCommand run = bench("emit", "emit", "reference", "--sizes", "1,1", "--turns", 1, "--warm-up", 0,
                "--json", file("r.json"));
        assertEquals(0, run.code(), run.err());
        List<Row> rows = JsonReport.read(file("r.json")).rows();
        assertEquals(rows.size(), rows.stream().map(Row::key).distinct().count(), rows.toString());
        assertEquals(3, rows.stream().filter(row -> row.suite().equals("emit")).count());
    }

    /** The help says it as text, which a constant has to be. */
    @Test
    void itWarmsUpAsLongAsTheDefaultSaysUnlessToldOtherwise() throws IOException {
        String help = bench("--help").out().replaceAll("\\s+", " ");
        assertTrue(help.contains("must stay stable, default %.0f;".formatted(Settings.DEFAULT.warmUpMillis())), help);
    }

    /** Who does not know them reads the help. */
    @Test
    void helpListsEverySuiteThatARefusalLists() {
        String listed = bench("nonsense").refusal().replaceAll("(?s).*'nonsense': ", "").strip();
        assertTrue(bench("--help").out().replaceAll("\\s+", " ").contains(listed.replace(", all", ", or all")), listed);
    }

    @Test
    void runsWithNothingInCommonAreNoPass() throws IOException {
        report("old.json", 100, 200, 300);
        Files.writeString(file("other.json"), Files.readString(file("old.json")).replace("\"emit\"", "\"launch\""));
        PipedCommand nothing = bench("--compare", file("old.json"), file("other.json"));
        assertEquals(1, nothing.code(), nothing.out());
        assertTrue(nothing.out()
                .contains("nothing was compared: the older run measured emit, and the newer one measured launch"
                + " alone"), nothing.out());
        assertTrue(nothing.err().contains("not compared: emit, which"), nothing.err());
        // All that both have is as it was, but the newer run was to measure more and has lost it.
        Files.writeString(file("both.json"), Files.readString(file("old.json"))
                .replace("\"emit\",\n    \"subject\" : \"preset 1\"", "\"launch\",\n    \"subject\" : \"preset 1\""));
        assertTrue(Files.readString(file("both.json")).contains("launch"), "a row of another suite");
        PipedCommand less = bench("--compare", file("both.json"), file("old.json"));
        assertEquals(0, less.code(), less.out());
        assertTrue(less.err().contains("not compared: launch, which"), less.err());
        Files.writeString(file("lost.json"), Files.readString(file("old.json")).replace("\"command\" : \"bench\"",
                "\"command\" : \"bench all\""));
        PipedCommand lost = bench("--compare", file("both.json"), file("lost.json"));
        assertEquals(1, lost.code(), lost.out());
        assertTrue(lost.out().contains("GONE"), lost.out());
    }

    @Test
    void whatCannotBeComparedIsRefused() throws IOException {
        report("good.json", 1);
        Files.writeString(file("bad.json"), "{\"format\": 2, \"rows\": []}");
        Files.writeString(file("newer.json"), Files.readString(file("good.json")).replace("\"format\" : 2",
                "\"format\" : 3"));
        assertTrue(bench("--compare", file("good.json"), file("none.json")).refusal()
                .endsWith("there is no such file"));
        assertTrue(bench("--compare", file("bad.json"), file("good.json")).refusal()
                .contains("is not a report of 'bench --json'"));
        assertTrue(bench("--compare", file("good.json"), file("newer.json")).refusal().contains("a report of form 3"));
        assertTrue(bench("--compare", file("good.json")).refusal().contains("--compare"));
        assertTrue(bench("--compare", file("good.json"), file("good.json"), "--tolerance", 100).refusal()
                .contains("--tolerance takes percent from 0 to less than 100"));
        assertTrue(bench("--compare", file("good.json"), file("good.json"), "--csv", file("x.csv")).refusal()
                .contains("measures and writes nothing"));
        assertTrue(bench("--compare", file("good.json"), file("good.json"), "--compare", file("good.json"),
                file("good.json"))
                .refusal().contains("--compare takes two files, the older and the newer one, got 4"));
        assertTrue(bench("copy", "--compare", file("good.json"), file("good.json")).refusal()
                .contains("measures and writes"));
        assertTrue(bench("emit", "--read", file("good.json")).refusal().contains("--read measures nothing"));
        assertTrue(bench("emit", "--html", file("good.json/no.html")).refusal()
                .contains("cannot be made: there is a file "));
        assertTrue(bench("emit", "--json", file("x"), "--csv", folder.resolve("y/../x")).refusal()
                .contains("--json and --csv name the same file"));
        assertTrue(bench("emit", "--html", "/proc/x").refusal().contains("no file can be made in /proc"));
        assertTrue(bench("emit", "--warm-up", -1).refusal()
                .contains("--warm-up takes milliseconds from 0 to 60000, got -1"));
        assertTrue(bench("emit", "--tolerance", 5).refusal().contains("--tolerance is for --compare"));
        assertTrue(bench("emit", "--no-rivals", "--rivals", folder).refusal()
                .contains("--no-rivals leaves out the rivals that --rivals names: give one of the two"));
        assertTrue(bench("nonsense").refusal().contains("there is no suite 'nonsense'"));
    }
}
