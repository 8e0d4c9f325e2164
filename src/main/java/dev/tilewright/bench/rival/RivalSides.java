package dev.tilewright.bench.rival;

import dev.tilewright.NotNull;
import dev.tilewright.Progress;
import java.nio.file.Path;

/**
 * Everyone who is measured beside us.
 *
 * @param cpp CUDA C++
 * @param python PyTorch and Triton
 */
public record RivalSides(RivalProcess cpp, PythonRivals python) implements AutoCloseable {

    public RivalSides {
        NotNull.all("cpp, python", cpp, python);
    }

    /** The rivals on this machine; the C++ side is compiled at its first use. @param gpu ordinal */
    public static RivalSides ofThisMachine(Progress progress, int gpu) {
        return new RivalSides(RivalProcess.compiled(progress, gpu), new PythonRivals(gpu));
    }

    /**
     * Those of this machine, with a C++ side that was compiled before.
     *
     * @param folder see {@link RivalProcess}
     * @param gpu ordinal of that on which they measure
     */
    public static RivalSides in(Path folder, int gpu) {
        return new RivalSides(new RivalProcess(folder, gpu), new PythonRivals(gpu));
    }

    /** No rivals. @param why in one sentence */
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
