package dev.tilewright.bench.rival;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tilewright.process.LineProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A process that is given questions, one a line, and answers each by lines of JSON. It is started by the first
 * question, ended where an answer takes too long, and started anew by the next question after that or after a crash;
 * after {@link #MOST_FAILURES} of these in a row it is not asked any more. Used by one thread.
 */
final class AskedProcess implements AutoCloseable {
    static final int MOST_FAILURES = 3;
    private static final Duration FAREWELL = Duration.ofSeconds(10);

    private final String what;
    private final ProcessBuilder builder;
    private LineProcess running;
    private int failures;
    private String last = "";

    /** @param what its name in messages, such as {@code the C++ rivals} */
    AskedProcess(String what, ProcessBuilder builder) {
        this.what = what;
        this.builder = builder;
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
        running.write(question + "\n");
        List<JsonNode> lines = new ArrayList<>();
        long until = System.nanoTime() + limit.toNanos();
        while (true) {
            LineProcess.Line next = running.readLine(Duration.ofNanos(until - System.nanoTime()));
            if (next.ended()) {
                throw new RivalException(RivalException.Kind.FAILED, what + " stopped at '" + question + "' "
                        + running.farewell());
            }
            if (next.text().isEmpty()) {
                throw new RivalException(RivalException.Kind.FAILED, what + " had not answered '" + question
                        + "' after " + limit.toMillis() / 1e3 + " s and were ended");
            }
            JsonNode answer = Answers.line(next.text().get(), question);
            if (Answers.isLast(answer, question)) {
                return lines;
            }
            lines.add(answer);
        }
    }

    private void start() {
        if (running != null && !running.isPresent()) {
            end();
        }
        if (running == null) {
            try {
                running = new LineProcess(builder);
            } catch (IOException e) {
                throw new RivalException(RivalException.Kind.FAILED, what + " cannot be started: " + e.getMessage());
            }
        }
    }

    private void end() {
        if (running != null) {
            running.close();
            running = null;
        }
    }

    @Override
    public void close() {
        if (running == null) {
            return;
        }
        try {
            running.end();
            running.await(FAREWELL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end();
    }
}
