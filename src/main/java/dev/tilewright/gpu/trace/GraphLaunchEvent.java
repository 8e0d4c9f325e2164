package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A graph was started; the duration is the host's. Loaded only once somebody records. */
@Name("dev.tilewright.GraphLaunch")
@Label("Graph Launch")
@Description("A graph was started; the duration is the host's.")
@Category({"Tilewright", "GPU"})
@StackTrace(false)
final class GraphLaunchEvent extends Event implements Span {
    /** Asked whether anybody records, so that asking allocates nothing. */
    private static final GraphLaunchEvent ASKED = new GraphLaunchEvent();

    @Label("Nodes")
    int nodes;
    @Label("Stream")
    String stream;
    @Label("GPU")
    int gpu;

    static boolean isOn() {
        return ASKED.isEnabled();
    }

    static Span begin(int nodes, String stream, int gpu) {
        GraphLaunchEvent event = new GraphLaunchEvent();
        event.nodes = nodes;
        event.stream = stream;
        event.gpu = gpu;
        event.begin();
        return event;
    }

    @Override
    public void close() {
        commit();
    }
}
