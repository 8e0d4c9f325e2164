package dev.tilewright.gpu.host;

import dev.tilewright.io.host.HostEnvironment;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;

/** Where programs of the machine are. */
public final class Programs {

    private Programs() { }

    /** nvcc: below {@code $CUDA_HOME} or {@code $CUDA_PATH}, on the {@code PATH}, or where toolkits are installed. */
    public static Optional<Path> nvcc(HostEnvironment environment) {
        Stream<Path> homes = Stream.of("CUDA_HOME", "CUDA_PATH").flatMap(v -> environment.variable(v).stream())
                .flatMap(Programs::path).map(home -> home.resolve("bin").resolve("nvcc"));
        return Stream.of(homes, onPath(environment, "nvcc"), Stream.of(environment.system("usr/local/cuda/bin/nvcc")))
                .flatMap(found -> found).filter(Programs::isProgram).findFirst();
    }

    /** A program on the {@code PATH}. */
    public static Stream<Path> onPath(HostEnvironment environment, String name) {
        return environment.variable("PATH").stream().flatMap(all -> Arrays.stream(all.split(File.pathSeparator)))
                .filter(folder -> !folder.isEmpty()).flatMap(Programs::path).filter(Path::isAbsolute)
                .map(folder -> folder.resolve(name)).filter(Programs::isProgram);
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
}
