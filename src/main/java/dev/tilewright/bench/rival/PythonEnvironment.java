package dev.tilewright.bench.rival;

import dev.tilewright.gpu.host.Programs;
import dev.tilewright.io.host.HostEnvironment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The Python that PyTorch and Triton are looked for in: {@code $TILEWRIGHT_PYTHON}, else {@code python3} on the
 * {@code PATH}. {@link CuBlasLt} may be in a package of NVIDIA's that it has.
 */
record PythonEnvironment(Optional<Path> python) {
    private static final String FOLDERS =
            "import glob, nvidia; print(':'.join(f for d in nvidia.__path__ for f in glob.glob(d + '/*/lib')))";

    static PythonEnvironment of(HostEnvironment environment) {
        return new PythonEnvironment(environment.variable("TILEWRIGHT_PYTHON").map(Path::of)
                .or(() -> Programs.onPath(environment, "python3").findFirst()));
    }

    /** Where its packages keep NVIDIA's libraries, as a loader's path; empty if it has none. */
    Optional<String> libraryPath() {
        return python.flatMap(program -> Tools.output(List.of(program.toString(), "-c", FOLDERS)))
                .filter(path -> !path.isBlank());
    }
}
