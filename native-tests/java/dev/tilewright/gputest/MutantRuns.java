package dev.tilewright.gputest;

import dev.tilewright.gputest.MutantOutcome.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Runs mutants on the GPU in other processes ({@link MutantWorker}): one process runs until a mutant has lost its
 * context, the next goes on behind that one. A process that says nothing for too long is ended, and its mutant hangs.
 */
final class MutantRuns {
    private static final String END = "END";
    private final String preset;
    private final int launches;
    private final boolean stopAtFirst;
    private final Duration patience;

    /**
     * @param launches how many launches of each mutant are looked at
     * @param stopAtFirst whether the first with wrong bytes is the last
     * @param patience how long a process may say nothing
     */
    MutantRuns(String preset, int launches, boolean stopAtFirst, Duration patience) {
        this.preset = preset;
        this.launches = launches;
        this.stopAtFirst = stopAtFirst;
        this.patience = patience;
    }

    /**
     * Runs the mutants in order.
     *
     * @param until when to stop; what has not been run by then is left out
     * @throws IllegalStateException if a process ends before it has started its first mutant, with what it printed
     */
    void run(List<String> mutants, Instant until, Consumer<MutantOutcome> each) throws InterruptedException {
        List<String> left = new ArrayList<>(mutants);
        while (!left.isEmpty() && Instant.now().isBefore(until)) {
            runSome(left, until, each);
        }
    }

    /** One process. It takes at least one mutant off the list, or the time is up. */
    private void runSome(List<String> left, Instant until, Consumer<MutantOutcome> each) throws InterruptedException {
        Process process = start(left);
        try {
            BlockingQueue<String> lines = lines(process);
            List<String> other = new ArrayList<>();
            String running = null;
            boolean progress = false;
            String line = next(lines, until);
            for (; line != null && !line.equals(END); line = next(lines, until)) {
                if (line.startsWith(MutantWorker.START)) {
                    running = line.substring(MutantWorker.START.length());
                } else if (line.startsWith(MutantWorker.RESULT)) {
                    each.accept(MutantOutcome.parse(line.substring(MutantWorker.RESULT.length())));
                    left.remove(running);
                    running = null;
                    progress = true;
                } else {
                    other.add(line);
                }
            }
            boolean silent = line == null;
            if (silent && !Instant.now().isBefore(until)) {
                return;
            }
            if (running != null) {
                left.remove(running);
                each.accept(new MutantOutcome(preset, running, silent ? Kind.HANG : Kind.FAULT, 0, 0, 1, silent
                        ? "the process was ended after " + patience.toSeconds() + " s without a word"
                        : "the process ended: " + String.join(" | ", other)));
            } else if (!progress) {
                throw new IllegalStateException("the process for " + preset
                        + (silent ? " says nothing: " : " ended before its first mutant: ")
                        + String.join(" | ", other));
            }
        } finally {
            process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }

    /** The next line, {@link #END}, or null when the process has been silent for too long or the time is up. */
    private String next(BlockingQueue<String> lines, Instant until) throws InterruptedException {
        Duration time = min(patience, Duration.between(Instant.now(), until));
        return lines.poll(Math.max(1, time.toMillis()), TimeUnit.MILLISECONDS);
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private Process start(List<String> mutants) {
        List<String> command =
                new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                "-Dtilewright.root=" + System.getProperty("tilewright.root", "."), "-cp",
                System.getProperty("java.class.path"), MutantWorker.class.getName(), preset, Integer.toString(launches),
                Boolean.toString(stopAtFirst)));
        command.addAll(mutants);
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new UncheckedIOException("no process can be started", e);
        }
    }

    private static BlockingQueue<String> lines(Process process) {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread.ofVirtual().start(() -> {
            try (BufferedReader reader = process.inputReader()) {
                reader.lines().forEach(lines::add);
            } catch (IOException | UncheckedIOException e) {
                lines.add("reading stopped: " + e.getMessage());
            }
            lines.add(END);
        });
        return lines;
    }
}
