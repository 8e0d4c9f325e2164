package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A kernel was started, or captured for a graph; the duration is the host's. Loaded only once somebody records. */
@Name("dev.tilewright.Launch")
@Label("Kernel Launch")
@Description("A kernel was started, or captured for a graph; the duration is the host's.")
@Category({"Tilewright", "GPU"})
@StackTrace(false)
final class LaunchEvent extends Watched {
    @Label("Kernel")
    String kernel;
    @Label("Blocks")
    String grid;
    @Label("Threads of a Block")
    String block;
    @Label("Stream")
    String stream;
    @Label("GPU")
    int gpu;
    @Label("Captured")
    boolean captured;

    LaunchEvent(String kernel, String grid, String block, String stream, int gpu, boolean captured) {
        this.kernel = kernel;
        this.grid = grid;
        this.block = block;
        this.stream = stream;
        this.gpu = gpu;
        this.captured = captured;
        begin();
    }
}
