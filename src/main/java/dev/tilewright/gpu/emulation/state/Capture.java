package dev.tilewright.gpu.emulation.state;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** A capture under way: the graph that it collects, and the streams that take part. */
public final class Capture {
    /** CU_STREAM_CAPTURE_MODE_GLOBAL, cuda.h. */
    public static final int GLOBAL = 0;
    /** CU_STREAM_CAPTURE_MODE_RELAXED, cuda.h. */
    public static final int RELAXED = 2;

    private final long id;
    private final int mode;
    private final Thread owner = Thread.currentThread();
    private final EmulatedStream origin;
    private final EmulatedGraph graph;
    private final long graphHandle;
    private final Set<EmulatedStream> streams = new LinkedHashSet<>();
    private boolean invalid;
    private boolean ended;

    public Capture(long id, int mode, EmulatedStream origin, Handles handles) {
        this.id = id;
        this.mode = mode;
        this.origin = origin;
        this.graph = new EmulatedGraph(origin.context());
        this.graphHandle = handles.add(graph);
        join(origin);
    }

    public long id() {
        return id;
    }

    public EmulatedStream origin() {
        return origin;
    }

    public EmulatedGraph graph() {
        return graph;
    }

    public long graphHandle() {
        return graphHandle;
    }

    /** Takes a stream in. */
    public void join(EmulatedStream stream) {
        streams.add(stream);
        stream.capture(this);
    }

    public boolean has(EmulatedStream stream) {
        return streams.contains(stream);
    }

    /** Whether it has been spoilt: no graph will come of it. */
    public boolean isInvalid() {
        return invalid;
    }

    public void invalidate() {
        invalid = true;
    }

    public boolean hasEnded() {
        return ended;
    }

    /** Lets the streams go. */
    public void end() {
        ended = true;
        streams.forEach(stream -> stream.capture(null));
    }

    /** Whether the thread that began it has to end it, and this is another. */
    public boolean isOfAnotherThread() {
        return mode != RELAXED && owner != Thread.currentThread();
    }

    /** Whether it forbids this thread what does not go through a stream. */
    public boolean forbidsUnsafeCalls() {
        return mode == GLOBAL || mode != RELAXED && owner == Thread.currentThread();
    }

    /** Whether all that was captured has come back to the stream that it began in. */
    public boolean isJoined() {
        Set<GraphNode> reached = new HashSet<>();
        Deque<GraphNode> open = new ArrayDeque<>(origin.frontier());
        while (!open.isEmpty()) {
            GraphNode node = open.pop();
            if (reached.add(node)) {
                open.addAll(node.before());
            }
        }
        return reached.containsAll(graph.nodes());
    }
}
