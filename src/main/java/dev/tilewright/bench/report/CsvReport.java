package dev.tilewright.bench.report;

import dev.tilewright.bench.result.Clocks;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Ratio;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.commons.text.StringEscapeUtils;

/**
 * A report as a table of comma-separated values (RFC 4180), one line for each row below one of names. Each parameter,
 * each of the means and each ratio that any row has is a column; what the whole run was measured on stands in every
 * line, so that files of several runs can be put together and taken apart again.
 */
public final class CsvReport {

    private CsvReport() { }

    /** The table. */
    public static String text(Report report) {
        Objects.requireNonNull(report, "report");
        Set<String> parameters = new LinkedHashSet<>();
        Set<String> means = new LinkedHashSet<>();
        Set<String> others = new LinkedHashSet<>();
        Set<String> demanded = new LinkedHashSet<>();
        for (Row row : report.rows()) {
            parameters.addAll(row.parameters().keySet());
            means.addAll(row.means().keySet());
            for (Ratio ratio : row.ratios()) {
                others.add(ratio.of());
                if (ratio.demanded() != null) {
                    demanded.add(ratio.of());
                }
            }
        }
        Map<String, Object> run = run(report);
        StringBuilder out = new StringBuilder();
        List<Object> names = new ArrayList<>(List.of("suite", "subject", "side"));
        parameters.forEach(name -> names.add("parameter " + name));
        names.add("schedule");
        means.forEach(name -> names.add("means " + name));
        names.addAll(List.of("bytes", "operations", "unit", "median", "least", "lower quartile", "upper quartile",
                "most",
                "samples", "verdict", "note"));
        others.forEach(other -> names.add("of " + other));
        demanded.forEach(other -> names.add("demanded of " + other));
        names.addAll(run.keySet());
        line(out, names);
        for (Row row : report.rows()) {
            List<Object> cells = new ArrayList<>(List.of(row.suite(), row.subject(), row.side()));
            parameters.forEach(name -> cells.add(row.parameters().getOrDefault(name, "")));
            cells.add(row.schedule());
            means.forEach(name -> cells.add(row.means().getOrDefault(name, "")));
            cells.addAll(List.of(row.bytes(), row.operations(), row.unit()));
            cells.addAll(figure(row.figure()));
            cells.addAll(List.of(row.verdict(), row.note()));
            others.forEach(other -> cells.add(row.ratios().stream().filter(r -> r.of().equals(other)).findFirst()
                    .<Object>map(Ratio::value).orElse("")));
            demanded.forEach(other -> cells.add(row.ratios().stream()
                    .filter(r -> r.of().equals(other) && r.demanded() != null).findFirst()
                    .<Object>map(Ratio::demanded).orElse("")));
            cells.addAll(run.values());
            line(out, cells);
        }
        return out.toString();
    }

    private static List<Object> figure(Spread figure) {
        return figure == null ? List.of("", "", "", "", "", 0) : List.of(figure.median(), figure.least(),
                figure.lowerQuartile(), figure.upperQuartile(), figure.most(), figure.samples());
    }

    /** What every line has. */
    private static Map<String, Object> run(Report report) {
        Machine machine = report.machine();
        Map<String, Object> run = new LinkedHashMap<>();
        run.put("gpu", machine.gpu());
        run.put("target", machine.target());
        run.put("multiprocessors", machine.multiprocessors());
        run.put("memory bytes", machine.memoryBytes());
        run.put("rated GB/s", machine.ratedGigabytesPerSecond());
        run.put("cache bytes", machine.cacheBytes());
        run.put("driver", machine.driver());
        run.put("cuda", machine.cuda());
        run.put("nvrtc", machine.nvrtc());
        clocks(run, "before", machine.before());
        clocks(run, "after", machine.after());
        run.put("processor", machine.processor());
        run.put("cores", machine.cores());
        run.put("system", machine.system());
        run.put("java", machine.java());
        run.put("version", machine.version());
        run.put("revision", machine.revision());
        run.put("seed", report.seed());
        run.put("started", report.started());
        run.put("command", report.command());
        run.put("complete", report.complete());
        return run;
    }

    private static void clocks(Map<String, Object> run, String when, Clocks clocks) {
        run.put("multiprocessor MHz " + when, clocks.multiprocessorMegahertz());
        run.put("memory MHz " + when, clocks.memoryMegahertz());
        run.put("throttling " + when, clocks.throttling());
        run.put("celsius " + when, clocks.celsius());
        run.put("watts " + when, clocks.watts());
    }

    private static void line(StringBuilder out, List<Object> cells) {
        out.append(cells.stream().map(cell -> StringEscapeUtils.escapeCsv(cell.toString()))
                .collect(Collectors.joining(",")))
                .append("\r\n");
    }
}
