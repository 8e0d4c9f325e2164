package dev.tilewright.cli.bench;

import dev.tilewright.bench.report.CsvReport;
import dev.tilewright.bench.report.HtmlReport;
import dev.tilewright.bench.report.JsonReport;
import dev.tilewright.bench.result.Report;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.TextFile;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files that {@code bench} was asked to write. What would keep one from being written is found before anything is
 * measured; each is written as a whole, and once, by whichever comes first of the end and an interruption.
 */
final class ReportFiles {
    private final Path json;
    private final Path csv;
    private final Path html;
    private final HtmlReport page;
    private final Terminal terminal;
    private boolean written;

    /**
     * @param json where to write the JSON document; null for none
     * @param csv where to write the table of values; null for none
     * @param html where to write the page; null for none
     * @param about what suites measure, by their names
     * @throws dev.tilewright.BadRequestException if one cannot be written there
     * @throws dev.tilewright.MissingRequirementException if there is to be a page, and no charting library is there
     */
    ReportFiles(Path json, Path csv, Path html, Map<String, String> about, Terminal terminal) {
        this.json = json;
        this.csv = csv;
        this.html = html;
        this.terminal = terminal;
        paths().forEach(TextFile::requirePlace);
        page = html == null ? null : new HtmlReport(about);
    }

    /** Writes them, unless they have been. */
    synchronized void write(Report report) {
        if (written) {
            return;
        }
        written = true;
        if (json != null) {
            terminal.report(json, JsonReport.text(report));
        }
        if (csv != null) {
            terminal.report(csv, CsvReport.text(report));
        }
        if (html != null) {
            terminal.report(html, page.text(report));
        }
        if (!report.complete() && (json != null || csv != null || html != null)) {
            terminal.note("interrupted: what was measured is in " + paths().map(Path::toString)
                    .collect(Collectors.joining(", ")));
        }
    }

    private Stream<Path> paths() {
        return Stream.of(json, csv, html).filter(path -> path != null);
    }
}
