package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.emulation.state.Capture;
import dev.tilewright.gpu.emulation.state.EmulatedContext;
import dev.tilewright.gpu.emulation.state.GraphNode;
import dev.tilewright.gpu.emulation.state.Owned;
import dev.tilewright.gpu.emulation.state.Work;
import java.util.List;

/** An event: the place in a stream, or in a capture, where it was recorded last. */
final class EmulatedEvent extends Owned {
    private final boolean timed;
    private Work work;
    private Capture capture;
    private List<GraphNode> nodes = List.of();

    EmulatedEvent(EmulatedContext context, boolean timed) {
        super(context, "event");
        this.timed = timed;
    }

    boolean isTimed() {
        return timed;
    }

    /** What it stands for; null if it was never recorded, or in a capture. */
    Work work() {
        return work;
    }

    void record(Work place) {
        work = place;
        capture = null;
        nodes = List.of();
    }

    /** The capture that it was recorded in; null for none. */
    Capture capture() {
        return capture;
    }

    /** What it stands for in its capture. */
    List<GraphNode> nodes() {
        return nodes;
    }

    void record(Capture in, List<GraphNode> frontier) {
        work = null;
        capture = in;
        nodes = List.copyOf(frontier);
    }
}
