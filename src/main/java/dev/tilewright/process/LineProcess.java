package dev.tilewright.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A process that reads lines and writes lines. Its output is read as it comes; of its standard error, where that is not
 * part of the output, the end is kept for messages. One thread at a time may write to it and read its lines.
 */
public final class LineProcess implements AutoCloseable {
    /** How much of what it has said on its standard error is kept. */
    private static final int KEPT_ERRORS = 4000;
    /** Characters of a line, at most: what is longer is cut, so that no process can fill this one's memory. */
    private static final int LONGEST_LINE = 1 << 20;
    private static final Duration FAREWELL = Duration.ofSeconds(10);
    /** What it has started may hold its standard error open. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);
    private static final Optional<String> END = Optional.empty();

    private final Process process;
    private final Writer told;
    private final BlockingQueue<Optional<String>> said = new LinkedBlockingQueue<>();
    private final StringBuilder errors = new StringBuilder();
    private final Thread errorReader;
    private boolean ended;

    /** A line, if one came in time. @param text of the line @param ended whether no more lines will come */
    public record Line(Optional<String> text, boolean ended) { }

    /** Starts it. @throws IOException if it cannot be started */
    public LineProcess(ProcessBuilder builder) throws IOException {
        process = builder.start();
        told = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        Thread.ofPlatform().daemon().name("lines-of-" + process.pid())
                .start(() -> read(process.getInputStream(), false));
        errorReader = Thread.ofPlatform().daemon().name("errors-of-" + process.pid())
                .start(() -> read(process.getErrorStream(), true));
    }

    private void read(InputStream stream, boolean isError) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            StringBuilder line = new StringBuilder();
            for (int next = reader.read(); next >= 0; next = reader.read()) {
                if (next == '\n' || line.length() == LONGEST_LINE) {
                    take(line.toString(), isError);
                    line.setLength(0);
                }
                if (next != '\n' && next != '\r') {
                    line.append((char) next);
                }
            }
            if (!line.isEmpty()) {
                take(line.toString(), isError);
            }
        } catch (IOException e) {
            // It is gone: what it said until then counts.
        }
        if (!isError) {
            said.add(END);
        }
    }

    private void take(String line, boolean isError) {
        if (!isError) {
            said.add(Optional.of(line));
            return;
        }
        synchronized (errors) {
            errors.append(line).append('\n');
            if (errors.length() > KEPT_ERRORS) {
                errors.delete(0, errors.length() - KEPT_ERRORS);
            }
        }
    }

    /** Writes whole lines to its input. Does nothing if it has ended: {@link #readLine} says so. */
    public void write(String lines) {
        try {
            told.write(lines);
            told.flush();
        } catch (IOException e) {
            // It has ended: its last words are in the queue.
        }
    }

    /** Closes its input. */
    public void end() {
        try {
            told.close();
        } catch (IOException e) {
            // It has ended already.
        }
    }

    /** Reads its next line, if one comes within a time. */
    public Line readLine(Duration within) throws InterruptedException {
        if (ended) {
            return new Line(Optional.empty(), true);
        }
        Optional<String> next = said.poll(Math.max(0, within.toNanos()), TimeUnit.NANOSECONDS);
        ended = next == END;
        return new Line(next == null ? Optional.empty() : next, ended);
    }

    /** Reads its output until it ends. @return whether it has ended within that time */
    public boolean readAll(Duration within, Consumer<String> each) throws InterruptedException {
        long until = System.nanoTime() + within.toNanos();
        while (!ended && System.nanoTime() < until) {
            readLine(Duration.ofNanos(until - System.nanoTime())).text().ifPresent(each);
        }
        return ended;
    }

    /** Its exit code, after waiting for its end a little; empty if it goes on. */
    public OptionalInt exitCode() throws InterruptedException {
        return process.waitFor(FAREWELL.toMillis(), TimeUnit.MILLISECONDS) ? OptionalInt.of(process.exitValue())
                : OptionalInt.empty();
    }

    /** Whether it runs, or there are lines that were not read yet. */
    public boolean isPresent() {
        return process.isAlive() || !said.isEmpty();
    }

    /** How long processors have worked for it, of all its threads together; nothing where it has ended. */
    public Duration computed() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** How it ended, for a message: {@code with exit code 1: its last words}, after waiting for that a little. */
    public String farewell() throws InterruptedException {
        boolean gone = process.waitFor(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
        errorReader.join(LAST_WORDS);
        String last;
        synchronized (errors) {
            String[] lines = errors.toString().strip().split("\n");
            last = lines[lines.length - 1].strip();
        }
        return (gone ? "with exit code " + process.exitValue() : "without ending")
                + (last.isEmpty() ? "" : ": " + last);
    }

    /** Whether a signal that others have been sent, too, has ended it, after waiting for its end a little. */
    public boolean isInterrupted() throws InterruptedException {
        return exitCode().stream().anyMatch(Interrupts::isExitCode);
    }

    /** Waits until it has ended by itself, for a while. */
    public void await(Duration most) throws InterruptedException {
        process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends it, with all that it has started. */
    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
