package dev.tilewright.cli.terminal;

import dev.tilewright.BadRequestException;
import dev.tilewright.Progress;
import dev.tilewright.io.FileProblem;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.commons.lang3.StringUtils;

/** Where the command writes: results to standard output, notes and progress to standard error. */
public final class Terminal {
    /** What progress counts is bytes from here on; smaller totals are of other things, and not told. */
    private static final long LEAST_BYTES = 1 << 16;

    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    private final boolean interactive;
    private int lastPercent = -1;
    private String lastWork = "";
    /** How long the bar is that stands where the next line is to begin; 0 where none does. */
    private int bar;
    private volatile boolean lostFile;

    public Terminal(InputStream in, PrintStream out, PrintStream err, boolean interactive) {
        this.in = in;
        this.out = out;
        this.err = err;
        this.interactive = interactive;
    }

    /** What is piped or typed in. */
    public InputStream in() {
        return in;
    }

    /** A line of the result; of what input had in it, a terminal sees nothing that would steer it. */
    public synchronized void result(String line) {
        takeBarAway();
        out.println(Visible.lines(line));
    }

    /** Text of the result as it is, such as a source. */
    public void text(String text) {
        out.print(text);
        out.flush();
    }

    /** The result as one JSON document. @param report a record, or a list of them */
    public void json(Object report) {
        out.println(Json.document(report));
    }

    /** A line that is not part of the result, or several; what would steer a terminal is written out. */
    public synchronized void note(String line) {
        takeBarAway();
        err.println("tilewright: " + Visible.lines(line));
    }

    /** What failed, where a CI server that shows it reads along; it looks for lines that begin so on both streams. */
    public void annotate(Failure failure) {
        if (GitHubAnnotations.wanted(System.getenv())) {
            err.println(GitHubAnnotations.error(failure));
        }
    }

    /** Why some of the result so far could not be written; empty where all was. */
    public Optional<String> lostOutput() {
        if (!out.checkError()) {
            return Optional.empty();
        }
        Optional<IOException> problem = out instanceof ResultStream stream ? stream.problem() : Optional.empty();
        return Optional.of(problem.map(FileProblem::reason).map(StringUtils::uncapitalize).orElse("it failed"));
    }

    /** Whether what reads the result has ended, as {@code head} does: nothing more of it is of use to anyone. */
    public boolean isReaderGone() {
        return out.checkError() && out instanceof ResultStream stream && stream.isReaderGone();
    }

    /**
     * Writes a report beside the result. Where that fails it is said, and the verb goes on: what it has found is not
     * lost with the file.
     */
    public void report(Path file, String text) {
        try {
            TextFile.write(file, text);
        } catch (BadRequestException e) {
            lost(e);
        }
    }

    /** A file beside the result could not be written: says so, and is no success. */
    public void lost(BadRequestException why) {
        lostFile = true;
        note(why.getMessage());
    }

    /** Whether a report could not be written. */
    public boolean lostFile() {
        return lostFile;
    }

    public PrintStream err() {
        return err;
    }

    /** Progress of long work: a bar that is drawn over on a terminal, one line at the start elsewhere. */
    public Progress progress() {
        return this::progress;
    }

    private synchronized void progress(String what, long done, long total) {
        int percent = total > 0 ? (int) Math.min(100, 100 * done / total) : 0;
        boolean other = !what.equals(lastWork);
        if (percent == lastPercent && !other) {
            return;
        }
        if (other && bar > 0) {
            err.println();
        }
        lastWork = what;
        lastPercent = percent;
        if (interactive) {
            int cells = percent / 5;
            String line = what + " [" + "#".repeat(cells) + ".".repeat(20 - cells) + "] " + percent + " %";
            err.print("\r" + line);
            bar = line.length();
            if (percent == 100) {
                err.println();
                bar = 0;
            }
        } else if (other) {
            note(what + (total >= LEAST_BYTES ? ", " + Units.bytes(total) : "") + " ...");
        }
    }

    /** So that a line does not begin behind it; it is drawn again with the next step. */
    private void takeBarAway() {
        if (bar > 0) {
            err.print("\r" + " ".repeat(bar) + "\r");
            err.flush();
            bar = 0;
            lastPercent = -1;
        }
    }
}
