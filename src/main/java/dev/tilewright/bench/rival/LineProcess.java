package dev.tilewright.bench.rival;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A process that is given questions, one a line, and answers each by lines of JSON. It is started by the first
 * question, ended where an answer takes too long, and started anew by the next question after that or after a crash;
 * after {@link #MOST_FAILURES} of these in a row it is not asked any more. Used by one thread.
 */
final class LineProcess implements AutoCloseable {
    static final int MOST_FAILURES = 3;
    /** How much of what it has said on its standard error is kept for a message. */
    private static final int KEPT_ERRORS = 4000;
    private static final Duration FAREWELL = Duration.ofSeconds(10);
    private static final String END = "\0";

    private final String what;
    private final ProcessBuilder builder;
    private Running running;
    private int failures;
    private String last = "";

    /** @param what its name in messages, such as {@code the C++ rivals} */
    LineProcess(String what, ProcessBuilder builder) {
        this.what = what;
        this.builder = builder.redirectErrorStream(false);
    }

    /** A process and the threads that read what it says. */
    private static final class Running {
        final Process process;
        final Writer questions;
        final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
        private final StringBuilder errors = new StringBuilder();
        private final Thread errorReader;

        Running(Process process) {
            this.process = process;
            this.questions = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
            Thread.ofPlatform().daemon().name("rival-answers").start(() -> read(process.getInputStream(), false));
            this.errorReader = Thread.ofPlatform().daemon().name("rival-errors")
                    .start(() -> read(process.getErrorStream(), true));
        }

        private void read(InputStream stream, boolean isError) {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (isError) {
                        keep(line);
                    } else {
                        answers.add(line);
                    }
                }
            } catch (IOException e) {
                // It is gone: what it said until then counts.
            }
            if (!isError) {
                answers.add(END);
            }
        }

        private synchronized void keep(String line) {
            errors.append(line).append('\n');
            if (errors.length() > KEPT_ERRORS) {
                errors.delete(0, errors.length() - KEPT_ERRORS);
            }
        }

        /** The last line of its standard error; empty if there is none. */
        String lastError() throws InterruptedException {
            errorReader.join(1000);
            synchronized (this) {
                String[] lines = errors.toString().strip().split("\n");
                return lines[lines.length - 1].strip();
            }
        }
    }

    /**
     * Asks one question.
     *
     * @param limit of the whole answer
     * @return the lines of the answer but the last
     * @throws RivalException if there is no answer
     */
    List<JsonNode> ask(String question, Duration limit) {
        if (question.indexOf('\n') >= 0) {
            throw new IllegalArgumentException("a question is one line: " + question);
        }
        if (failures >= MOST_FAILURES) {
            throw new RivalException(RivalException.Kind.FAILED, what + " failed " + failures + " times in a row"
                    + " and are asked no more; the last time: " + last);
        }
        try {
            List<JsonNode> answer = answer(question, limit);
            failures = 0;
            return answer;
        } catch (RivalException e) {
            if (e.kind() == RivalException.Kind.FAILED) {
                failures++;
                last = e.getMessage();
                end();
            } else {
                failures = 0;
            }
            throw e;
        } catch (InterruptedException e) {
            end();
            Thread.currentThread().interrupt();
            throw new RivalException(RivalException.Kind.FAILED, "'" + question + "' was interrupted");
        }
    }

    private List<JsonNode> answer(String question, Duration limit) throws InterruptedException {
        start();
        try {
            running.questions.write(question + "\n");
            running.questions.flush();
        } catch (IOException e) {
            // It has ended: its last words are in the queue.
        }
        List<JsonNode> lines = new ArrayList<>();
        long until = System.nanoTime() + limit.toNanos();
        while (true) {
            String line = running.answers.poll(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new RivalException(RivalException.Kind.FAILED, what + " had not answered '" + question
                        + "' after " + limit.toMillis() / 1e3 + " s and were ended");
            }
            if (line.equals(END)) {
                throw ended(question);
            }
            JsonNode answer = Answers.line(line, question);
            if (Answers.isLast(answer, question)) {
                return lines;
            }
            lines.add(answer);
        }
    }

    private RivalException ended(String question) throws InterruptedException {
        boolean gone = running.process.waitFor(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
        String code = !gone ? "without ending" : "with exit code " + running.process.exitValue();
        String error = running.lastError();
        return new RivalException(RivalException.Kind.FAILED, what + " stopped at '" + question + "' " + code
                + (error.isEmpty() ? "" : ": " + error));
    }

    private void start() {
        if (running != null && !running.process.isAlive() && running.answers.isEmpty()) {
            end();
        }
        if (running == null) {
            try {
                running = new Running(builder.start());
            } catch (IOException e) {
                throw new RivalException(RivalException.Kind.FAILED, what + " cannot be started: " + e.getMessage());
            }
        }
    }

    /** Ends it with all that it has started. */
    private void end() {
        if (running != null) {
            running.process.descendants().forEach(ProcessHandle::destroyForcibly);
            running.process.destroyForcibly();
            running = null;
        }
    }

    @Override
    public void close() {
        if (running == null) {
            return;
        }
        try {
            running.questions.close();
            running.process.waitFor(FAREWELL.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException e) {
            // Ended below.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end();
    }
}
