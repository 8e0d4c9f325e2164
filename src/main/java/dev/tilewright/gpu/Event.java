package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import dev.tilewright.gpu.concurrent.LaunchMarks;
import dev.tilewright.gpu.concurrent.Waiting;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * A point in a stream, which other streams and threads can wait for, and which has a time: see {@link Stream#record}.
 */
public final class Event implements AutoCloseable {
    private final Context context;
    private final boolean timed;
    private final long handle;
    private final Lease lease;
    /** Whether it was recorded through a Stream. */
    private volatile boolean recorded;
    /** The launches that have ended when it is done; null for none that are known. */
    private volatile LaunchMarks marks;
    /** The capture that it was recorded in last, if in one: to ask for it would spoil that. */
    private final CaptureSlot place = new CaptureSlot(false);
    /** Held while it is recorded. */
    private final Object recording = new Object();

    /** @param timed whether it has a time, which costs a little */
    Event(Gpu gpu, boolean timed) {
        this.context = gpu.cudaContext();
        this.timed = timed;
        int flags = timed ? 0 : 2;
        long made = context.ask("cuEventCreate", (api, out) -> api.cuEventCreate(out, flags));
        this.handle = made;
        Context in = context;
        CaptureSlot recordedIn = place;
        this.lease = Lease.of(this, context, "the event", () -> in.release("cuEventDestroy",
                api -> apartFromEnds(in, recordedIn, () -> api.cuEventDestroy(made))));
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

    /** Refuses an event that is closed. */
    void requireOpen() {
        lease.requireOpen();
    }

    /** A driver call that uses an event. */
    interface Call {
        int on(DriverApi api, long event);
    }

    /** A call that uses the event, which is not given back while it is made. */
    Context.Call using(Call call) {
        return api -> lease.whileOpen(() -> call.on(api, handle));
    }

    /** Makes a call: while no capture ends, if an event is a place in one. */
    private static <T> T apartFromEnds(Context context, CaptureSlot place, Supplier<T> call) {
        return place.get() == null ? call.get() : context.captureGates().withCapturedEvents(call);
    }

    private void apartFromEnds(Runnable call) {
        apartFromEnds(context, place, () -> {
            call.run();
            return DriverApi.SUCCESS;
        });
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

    /** Has it recorded outside of captures. @param so how far the launches have come that it stands for */
    void record(LaunchMarks so, Runnable call) {
        synchronized (recording) {
            apartFromEnds(call);
            place.set(null);
            marks = so;
            recorded = true;
        }
    }

    /** Has it recorded in a capture, when those have ended who ask for it as a point in time. */
    void recordIn(GraphCapture capture, Runnable call) {
        synchronized (recording) {
            GraphCapture before = place.get();
            place.set(capture);
            place.awaitCalls();
            marks = null;
            try {
                apartFromEnds(call);
            } catch (RuntimeException | Error e) {
                place.set(before);
                throw e;
            }
            recorded = true;
        }
    }

    /**
     * Lets a stream wait for it, and take part in its capture if it is in one.
     *
     * @throws IllegalStateException if only one of the two is in a capture, or they are in different ones
     */
    void awaitIn(Stream stream, Runnable call) {
        while (!awaitOutsideOfCaptures(stream, call)) {
            GraphCapture of = place.get();
            GraphCapture in = stream.captureSlot().get();
            if (of != null) {
                if (stream.cuStream().isLegacy()) {
                    throw GraphCapture.noneOfTheDefaultStream();
                }
                of.waitFor(stream, () -> apartFromEnds(call));
                return;
            }
            if (in != null && recorded) {
                throw new IllegalStateException(stream + " is being captured, and waits for an event that was recorded"
                        + " outside of the capture: let it wait before the capture, or record the event in it");
            }
            if (in != null && in.put(call)) {
                return;
            }
        }
    }

    private boolean awaitOutsideOfCaptures(Stream stream, Runnable call) {
        if (!place.enter()) {
            return false;
        }
        try {
            if (!stream.captureSlot().enter()) {
                return false;
            }
            try {
                call.run();
                return true;
            } finally {
                stream.captureSlot().leave();
            }
        } finally {
            place.leave();
        }
    }

    /** Before it is asked for as a point in time. */
    private void enterOutsideOfCaptures() {
        if (!place.enter()) {
            throw new IllegalStateException("the event was last recorded in a capture, where it is a place in the graph"
                    + " and no point in time: record it again");
        }
    }

    /** Whether all that was in the stream when it was recorded has ended. */
    public boolean isDone() {
        requireOpen();
        enterOutsideOfCaptures();
        LaunchMarks now = marks;
        int result;
        try {
            result = context.result(using(DriverApi::cuEventQuery));
        } finally {
            place.leave();
        }
        if (result == DriverApi.NOT_READY) {
            return false;
        }
        context.check("cuEventQuery", result);
        haveEnded(now);
        return true;
    }

    /** Waits until it {@linkplain #isDone is done}. */
    public void synchronize() {
        if (Waiting.isForThisThread()) {
            Waiting.until(this::isDone);
            return;
        }
        requireOpen();
        enterOutsideOfCaptures();
        LaunchMarks now = marks;
        try {
            context.call("cuEventSynchronize", using(DriverApi::cuEventSynchronize));
        } finally {
            place.leave();
        }
        haveEnded(now);
    }

    private static void haveEnded(LaunchMarks marks) {
        if (marks != null) {
            marks.haveEnded();
        }
    }

    /**
     * Milliseconds of the device's clock from another event to this one; both must be done, and timed.
     *
     * @throws IllegalStateException if one has no time, or was never recorded
     * @see Gpu#timedEvent
     */
    public double millisecondsSince(Event begin) {
        Objects.requireNonNull(begin, "begin");
        begin.enterOutsideOfCaptures();
        try {
            enterOutsideOfCaptures();
            try {
                return elapsedSince(begin);
            } finally {
                place.leave();
            }
        } finally {
            begin.place.leave();
        }
    }

    private double elapsedSince(Event begin) {
        begin.requireTime();
        requireTime();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment milliseconds = arena.allocate(JAVA_FLOAT);
            begin.requireOpen();
            requireOpen();
            // Asked before the call: another thread may record one right behind it.
            boolean known = recorded && begin.recorded;
            int result = context.result(using((api, to) -> begin.using((on, from) ->
                    on.cuEventElapsedTime(milliseconds, from, to)).on(api)));
            if (result == DriverApi.INVALID_HANDLE && !known) {
                throw new IllegalStateException("an event was never recorded: Stream.record gives it a time");
            }
            context.check("cuEventElapsedTime", result);
            return milliseconds.get(JAVA_FLOAT, 0);
        }
    }

    /** {@code timed event on GPU 0, recorded}. */
    @Override
    public String toString() {
        return (timed ? "timed event on " : "event on ") + context.place()
                + (recorded ? ", recorded" : ", never recorded");
    }

    /** Lets go of it, after calls of other threads that use it, waits included. */
    @Override
    public void close() {
        lease.close();
    }
}
