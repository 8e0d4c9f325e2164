package dev.tilewright.gpu.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A kernel was started, or captured for a graph; the duration is the host's. Loaded only once somebody records. */
@Name("dev.tilewright.Launch")
@Label("Kernel Launch")
@Description("A kernel was started, or captured for a graph; the duration is the host's.")
@Category({"Tilewright", "GPU"})
@StackTrace(false)
final class LaunchEvent extends Event implements Span {
    /** Asked whether anybody records, so that asking allocates nothing. */
    private static final LaunchEvent ASKED = new LaunchEvent();

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

    static boolean isOn() {
        return ASKED.isEnabled();
    }

    static Span begin(String kernel, String grid, String block, String stream, int gpu, boolean captured) {
        LaunchEvent event = new LaunchEvent();
        event.kernel = kernel;
        event.grid = grid;
        event.block = block;
        event.stream = stream;
        event.gpu = gpu;
        event.captured = captured;
        event.begin();
        return event;
    }

    @Override
    public void close() {
        commit();
    }
}
