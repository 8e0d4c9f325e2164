package dev.tilewright.bench.rival;

import dev.tilewright.gpu.host.HostEnvironment;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Programs of the machine that rivals are made with: where they are and what they say. */
final class Tools {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private Tools() { }

    /** nvcc: below {@code $CUDA_HOME} or {@code $CUDA_PATH}, on the {@code PATH}, or where toolkits are installed. */
    static Optional<Path> nvcc(HostEnvironment environment) {
        Stream<Path> homes = Stream.of("CUDA_HOME", "CUDA_PATH").flatMap(v -> environment.variable(v).stream())
                .flatMap(Tools::path).map(home -> home.resolve("bin").resolve("nvcc"));
        return Stream.of(homes, onPath(environment, "nvcc"), Stream.of(environment.system("usr/local/cuda/bin/nvcc")))
                .flatMap(found -> found).filter(Tools::isProgram).findFirst();
    }

    /** A program on the {@code PATH}. */
    static Stream<Path> onPath(HostEnvironment environment, String name) {
        return environment.variable("PATH").stream().flatMap(all -> Arrays.stream(all.split(File.pathSeparator)))
                .filter(folder -> !folder.isEmpty()).flatMap(Tools::path).filter(Path::isAbsolute)
                .map(folder -> folder.resolve(name)).filter(Tools::isProgram);
    }

    private static Stream<Path> path(String text) {
        try {
            return Stream.of(Path.of(text));
        } catch (InvalidPathException e) {
            return Stream.empty();
        }
    }

    private static boolean isProgram(Path file) {
        return Files.isRegularFile(file) && Files.isExecutable(file);
    }

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
