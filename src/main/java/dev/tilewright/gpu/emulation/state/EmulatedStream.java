package dev.tilewright.gpu.emulation.state;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A stream: the last work in it, and the capture that it takes part in. */
public final class EmulatedStream extends Owned {

    /** How a stream stands to the default stream. */
    public enum Kind {
        /** The default stream: waits for all blocking streams, and they for it. */
        LEGACY,
        /** An ordinary stream. */
        BLOCKING,
        /** One that neither waits for the default stream nor is waited for by it. */
        NON_BLOCKING
    }

    private final Kind kind;
    private Work tail;
    private boolean destroyed;
    private Capture capture;
    /** What the next node of the capture depends on. */
    private final Set<GraphNode> frontier = new LinkedHashSet<>();
    /** The handles of those as the driver last gave them out. */
    private MemorySegment frontierArray = MemorySegment.NULL;

    public EmulatedStream(EmulatedContext context, Kind kind) {
        super(context, "stream");
        this.kind = kind;
    }

    public boolean isLegacy() {
        return kind == Kind.LEGACY;
    }

    public boolean isBlocking() {
        return kind == Kind.BLOCKING;
    }

    /** The last work in it; null for none. */
    public Work tail() {
        return tail;
    }

    public void tail(Work work) {
        tail = work;
    }

    public boolean hasWork() {
        return tail != null && !tail.hasEnded();
    }

    /** What the next work in it waits for, by the order of its stream and the rules of the default stream. */
    public List<Work> ahead() {
        List<Work> ahead = new ArrayList<>();
        for (EmulatedStream other : context().streams()) {
            boolean waits = other == this || isLegacy() && other.isBlocking() || isBlocking() && other.isLegacy();
            if (waits && other.hasWork()) {
                ahead.add(other.tail);
            }
        }
        return ahead;
    }

    public boolean isDestroyed() {
        return destroyed;
    }

    public void destroyed() {
        destroyed = true;
    }

    /** The capture that it takes part in; null for none. */
    public Capture capture() {
        return capture;
    }

    public void capture(Capture current) {
        capture = current;
        frontier.clear();
    }

    public Set<GraphNode> frontier() {
        return frontier;
    }

    public MemorySegment frontierArray() {
        return frontierArray;
    }

    /** Keeps what the driver gives out until it is asked again. */
    public void frontierArray(MemorySegment handles) {
        frontierArray = handles;
    }
}
