package dev.tilewright.bench.rival;

import dev.tilewright.process.LineProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.StringJoiner;

/** What programs of the machine say that rivals are made with. */
final class Tools {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private Tools() { }

    /** What a command says on its standard output; empty where it cannot be run, fails, or takes longer than 20 s. */
    static Optional<String> output(List<String> command) {
        StringJoiner text = new StringJoiner("\n");
        try (LineProcess process = new LineProcess(new ProcessBuilder(command))) {
            process.end();
            return process.readAll(LIMIT, text::add) && process.exitCode().equals(OptionalInt.of(0))
                    ? Optional.of(text.toString().strip()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
