package dev.tilewright.bench.rival;

import dev.tilewright.Progress;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Everyone who is measured beside us.
 *
 * @param cpp CUDA C++ and cuBLAS
 * @param python PyTorch and Triton
 */
public record RivalSides(RivalProcess cpp, PythonRivals python) implements AutoCloseable {

    public RivalSides {
        Objects.requireNonNull(cpp, "cpp");
        Objects.requireNonNull(python, "python");
    }

    /** Those of this machine; the C++ side is compiled when it is first asked. */
    public static RivalSides ofThisMachine(Progress progress) {
        return new RivalSides(RivalProcess.compiled(progress), new PythonRivals());
    }

    /** Those of this machine, with a C++ side that was compiled before. @param folder see {@link RivalProcess} */
    public static RivalSides in(Path folder) {
        return new RivalSides(new RivalProcess(folder), new PythonRivals());
    }

    /** Nobody. @param why in one sentence */
    public static RivalSides none(String why) {
        return new RivalSides(RivalProcess.none(why), PythonRivals.none(why));
    }

    @Override
    public void close() {
        try {
            cpp.close();
        } finally {
            python.close();
        }
    }
}
