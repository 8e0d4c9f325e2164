package dev.tilewright.gpu.emulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** A capture under way: the graph that it collects, and the streams that take part. */
final class Capture {
    /** CU_STREAM_CAPTURE_MODE_GLOBAL, cuda.h. */
    static final int GLOBAL = 0;
    /** CU_STREAM_CAPTURE_MODE_RELAXED, cuda.h. */
    static final int RELAXED = 2;

    private final long id;
    private final int mode;
    private final Thread owner = Thread.currentThread();
    private final EmulatedStream origin;
    private final EmulatedGraph graph;
    private final long graphHandle;
    private final Set<EmulatedStream> streams = new LinkedHashSet<>();
    private boolean invalid;
    private boolean ended;

    Capture(long id, int mode, EmulatedStream origin, Handles handles) {
        this.id = id;
        this.mode = mode;
        this.origin = origin;
        this.graph = new EmulatedGraph(origin.context());
        this.graphHandle = handles.add(graph);
        join(origin);
    }

    long id() {
        return id;
    }

    EmulatedStream origin() {
        return origin;
    }

    EmulatedGraph graph() {
        return graph;
    }

    long graphHandle() {
        return graphHandle;
    }

    /** Takes a stream in. */
    void join(EmulatedStream stream) {
        streams.add(stream);
        stream.capture(this);
    }

    boolean has(EmulatedStream stream) {
        return streams.contains(stream);
    }

    /** Whether it has been spoilt: no graph will come of it. */
    boolean isInvalid() {
        return invalid;
    }

    void invalidate() {
        invalid = true;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Lets the streams go. */
    void end() {
        ended = true;
        streams.forEach(stream -> stream.capture(null));
    }

    /** Whether the thread that began it has to end it, and this is another. */
    boolean isOfAnotherThread() {
        return mode != RELAXED && owner != Thread.currentThread();
    }

    /** Whether it forbids this thread what does not go through a stream. */
    boolean forbidsUnsafeCalls() {
        return mode == GLOBAL || mode != RELAXED && owner == Thread.currentThread();
    }

    /** Whether all that was captured has come back to the stream that it began in. */
    boolean isJoined() {
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
