package dev.tilewright.bench.rival;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What programs of the machine say that rivals are made with. */
final class Tools {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private Tools() { }

    /** What a command says on its standard output; empty where it cannot be run, fails, or takes longer than 20 s. */
    static Optional<String> output(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            try {
                process.getOutputStream().close();
                CompletableFuture<byte[]> text = CompletableFuture.supplyAsync(() -> bytes(process));
                if (process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS) && process.exitValue() == 0) {
                    return Optional.of(new String(text.get(1, TimeUnit.SECONDS), StandardCharsets.UTF_8).strip());
                }
            } catch (ExecutionException | TimeoutException e) {
                return Optional.empty();
            } finally {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }

    private static byte[] bytes(Process process) {
        try {
            return process.getInputStream().readAllBytes();
        } catch (IOException e) {
            return new byte[0];
        }
    }
}
