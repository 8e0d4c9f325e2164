package dev.tilewright.cli.bench;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.Settings;
import dev.tilewright.bench.Suite;
import dev.tilewright.bench.report.TextReport;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.cli.terminal.Terminal;
import java.util.List;

/**
 * A run of suites whose rows are shown as they come and whose report is written however it ends: at the end, when
 * something stops it, and when the process is told to end (Ctrl-C, {@code kill}), with what was measured until then.
 */
final class BenchRun {
    private final Terminal terminal;
    private final ReportFiles files;
    private final TextReport text;
    private boolean interrupted;
    private int shown;

    BenchRun(Terminal terminal, ReportFiles files) {
        this.terminal = terminal;
        this.files = files;
        this.text = new TextReport(terminal::result);
    }

    /**
     * Measures. @param command the words that make the report anew @return the report, which is complete and written
     */
    Report of(List<Suite> suites, Settings settings, String command) {
        try (Bench bench = new Bench(settings, command, terminal.progress(), this::show)) {
            Thread atEnd = new Thread(() -> interrupt(bench));
            Runtime.getRuntime().addShutdownHook(atEnd);
            try {
                bench.run(suites);
            } finally {
                files.write(bench.report());
                forget(atEnd);
            }
            Report report = bench.report();
            text.summary(report);
            return report;
        }
    }

    private synchronized void show(Row row) {
        if (!interrupted) {
            text.row(row);
            shown++;
        }
    }

    /** In the thread that the virtual machine ends with, while the measuring one goes on. */
    private synchronized void interrupt(Bench bench) {
        interrupted = true;
        Report report = bench.report();
        files.write(report);
        // What was measured a moment ago, and what has had some of its turns.
        report.rows().stream().skip(shown).forEach(text::row);
        text.summary(report);
    }

    private static void forget(Thread atEnd) {
        try {
            Runtime.getRuntime().removeShutdownHook(atEnd);
        } catch (IllegalStateException e) {
            // The process is ending: it runs, and finds the files written.
        }
    }
}
