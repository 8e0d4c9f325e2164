package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** A point in a stream, which other streams and threads can wait for, and which has a time: see {@link Stream#record}. */
public final class Event implements AutoCloseable {
    private final Context context;
    private final long handle;
    private final Lease lease;
    /** Whether it was recorded through a Stream, and in which capture if in one. */
    private volatile boolean recorded;
    private volatile GraphCapture capture;

    /** @param timed whether it has a time, which costs a little */
    Event(Gpu gpu, boolean timed) {
        this.context = gpu.cudaContext();
        int flags = timed ? 0 : 2;
        long made = context.ask("cuEventCreate", (api, out) -> api.cuEventCreate(out, flags));
        this.handle = made;
        Context in = context;
        this.lease = Lease.of(this, context, "the event",
                () -> in.release("cuEventDestroy", api -> api.cuEventDestroy(made)));
    }

    /** An event of somebody else's. */
    private Event(Gpu gpu, long handle) {
        this.context = gpu.cudaContext();
        this.handle = handle;
        this.lease = Lease.none(context, "the wrapped event");
    }

    /** An event of somebody else's. */
    static Event borrowed(Gpu gpu, long handle) {
        return new Event(gpu, handle);
    }

    /**
     * The CUevent, for other libraries.
     *
     * @throws IllegalStateException if it is closed
     */
    public long handle() {
        lease.requireOpen();
        return handle;
    }

    /** It was recorded. @param now the capture that it was recorded in; null for none */
    void recordedIn(GraphCapture now) {
        capture = now;
        recorded = true;
    }

    /**
     * Lets a stream that is going to wait for it take part in its capture.
     *
     * @return whether the stream did not take part before
     * @throws IllegalStateException if only one of the two is in a capture, or they are in different ones
     */
    boolean join(Stream stream) {
        GraphCapture now = capture;
        GraphCapture of = stream.captureSlot().get();
        if (now == null) {
            if (of != null && recorded) {
                throw new IllegalStateException(stream + " is being captured, and waits for an event that was recorded"
                        + " outside of the capture: let it wait before the capture, or record the event in it");
            }
            return false;
        }
        now.join(stream);
        return of == null;
    }

    private void refuseCaptured() {
        if (capture != null) {
            throw new IllegalStateException("the event was last recorded in a capture, where it is a place in the graph"
                    + " and no point in time: record it again");
        }
    }

    /** Whether all that was in the stream when it was recorded has ended. */
    public boolean isDone() {
        long event = handle();
        refuseCaptured();
        int result = context.result(api -> api.cuEventQuery(event));
        if (result == DriverApi.NOT_READY) {
            return false;
        }
        context.check("cuEventQuery", result);
        return true;
    }

    /** Waits until it {@linkplain #isDone is done}. */
    public void synchronize() {
        if (Waiting.isForThisThread()) {
            Waiting.until(this::isDone);
            return;
        }
        long event = handle();
        refuseCaptured();
        context.call("cuEventSynchronize", api -> api.cuEventSynchronize(event));
    }

    /**
     * Milliseconds of the device's clock from another event to this one; both must be done, and timed.
     *
     * @see Gpu#timedEvent
     */
    public double millisecondsSince(Event begin) {
        Objects.requireNonNull(begin, "begin");
        begin.refuseCaptured();
        refuseCaptured();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment milliseconds = arena.allocate(JAVA_FLOAT);
            long from = begin.handle();
            long to = handle();
            context.call("cuEventElapsedTime", api -> api.cuEventElapsedTime(milliseconds, from, to));
            return milliseconds.get(JAVA_FLOAT, 0);
        }
    }

    @Override
    public void close() {
        lease.close();
    }
}
