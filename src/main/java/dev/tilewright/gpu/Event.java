package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** A point in a stream, which other streams and threads can wait for, and which has a time: see {@link Stream#record}. */
public final class Event implements AutoCloseable {
    private final Context context;
    private final boolean timed;
    private final long handle;
    private final Lease lease;
    /** Whether it was recorded through a Stream, and in which capture if in one. */
    private volatile boolean recorded;
    private volatile GraphCapture capture;

    /** @param timed whether it has a time, which costs a little */
    Event(Gpu gpu, boolean timed) {
        this.context = gpu.cudaContext();
        this.timed = timed;
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
        // Whether it has a time, the driver knows.
        this.timed = true;
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

    /** Refuses an event of another GPU than the stream's that is to record it. */
    void requireOf(Context stream) {
        if (!context.isSame(stream)) {
            throw new IllegalArgumentException("the event is of " + context.placeSeenFrom(stream) + ", the stream of "
                    + stream.place() + ": take one of the stream's GPU");
        }
    }

    /** Refuses an event that a stream cannot wait for: one of another machine. */
    void requireReachable(Context stream) {
        if (context.api() != stream.api()) {
            throw new IllegalArgumentException("the event is of " + context.placeSeenFrom(stream) + ", the stream of "
                    + stream.place() + ": they cannot wait for one another");
        }
    }

    private void requireTime() {
        if (!timed) {
            throw new IllegalStateException("the event has no time: take one from Gpu.timedEvent()");
        }
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
     * @throws IllegalStateException if one has no time, or was never recorded
     * @see Gpu#timedEvent
     */
    public double millisecondsSince(Event begin) {
        Objects.requireNonNull(begin, "begin");
        begin.refuseCaptured();
        refuseCaptured();
        begin.requireTime();
        requireTime();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment milliseconds = arena.allocate(JAVA_FLOAT);
            long from = begin.handle();
            long to = handle();
            int result = context.result(api -> api.cuEventElapsedTime(milliseconds, from, to));
            if (result == DriverApi.INVALID_HANDLE && !(recorded && begin.recorded)) {
                throw new IllegalStateException("an event was never recorded: Stream.record gives it a time");
            }
            context.check("cuEventElapsedTime", result);
            return milliseconds.get(JAVA_FLOAT, 0);
        }
    }

    @Override
    public void close() {
        lease.close();
    }
}
