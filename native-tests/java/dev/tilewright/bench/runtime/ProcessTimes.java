package dev.tilewright.bench.runtime;

import dev.tilewright.MissingRequirementException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How long a process took, as the one that started it sees it, in milliseconds.
 *
 * @param checked until it said {@code checked}
 * @param whole until it had ended
 */
record ProcessTimes(double checked, double whole) {

    /** Starts a process and waits for its end. Throws where it says nothing, or ends with another code than 0. */
    static ProcessTimes of(List<String> command) {
        return of(command, Map.of());
    }

    /** Starts a process with further environment variables and waits for its end. */
    static ProcessTimes of(List<String> command, Map<String, String> environment) {
        long begin = System.nanoTime();
        try {
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().putAll(environment);
            Process process = builder.start();
            long checked = 0;
            StringBuilder others = new StringBuilder();
            try (BufferedReader output = new BufferedReader(
                    new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = output.readLine(); line != null; line = output.readLine()) {
                    if (line.equals("checked")) {
                        checked = System.nanoTime();
                    } else {
                        others.append('\n').append(line);
                    }
                }
            }
            int code = process.waitFor();
            long end = System.nanoTime();
            if (code != 0 || checked == 0) {
                throw new MissingRequirementException("a process that moves one tile failed with exit code " + code
                        + ":" + others.toString().lines().limit(4).collect(Collectors.joining(" ")) + " ("
                        + command.getFirst() + ")");
            }
            return new ProcessTimes((checked - begin) / 1e6, (end - begin) / 1e6);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
