package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A graph was started; the duration is the host's. Loaded only once somebody records. */
@Name("dev.tilewright.GraphLaunch")
@Label("Graph Launch")
@Description("A graph was started; the duration is the host's.")
@Category({"Tilewright", "GPU"})
@StackTrace(false)
final class GraphLaunchEvent extends Watched {
    @Label("Nodes")
    int nodes;
    @Label("Stream")
    String stream;
    @Label("GPU")
    int gpu;

    GraphLaunchEvent(int nodes, String stream, int gpu) {
        this.nodes = nodes;
        this.stream = stream;
        this.gpu = gpu;
        begin();
    }
}
