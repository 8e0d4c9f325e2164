package dev.tilewright.gpu.emulation;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.StreamApi;
import dev.tilewright.gpu.emulation.state.Capture;
import dev.tilewright.gpu.emulation.state.EmulatedStream;
import dev.tilewright.gpu.emulation.state.GraphNode;
import dev.tilewright.gpu.emulation.state.Refusal;
import dev.tilewright.gpu.emulation.state.Results;
import dev.tilewright.gpu.emulation.state.Task;
import dev.tilewright.gpu.emulation.state.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** {@link StreamApi} of the emulated driver. */
abstract class StreamCalls extends MemoryCalls implements StreamApi {
    /** CU_STREAM_NON_BLOCKING, cuda.h. */
    private static final int NON_BLOCKING = 1;
    /** CU_EVENT_DISABLE_TIMING, cuda.h. */
    private static final int DISABLE_TIMING = 2;
    private static final int EVENT_FLAGS = 7;
    private static final int NOT_CAPTURING = 0;
    private static final int CAPTURING = 1;
    private static final int INVALIDATED = 2;
    private static final float NANOSECONDS_OF_A_MILLISECOND = 1e6f;

    StreamCalls(Machine machine) {
        super(machine);
    }

    @Override
    public int cuStreamCreate(MemorySegment stream, int flags, int priority) {
        return inContext(context -> {
            Refusal.unless((flags & ~NON_BLOCKING) == 0, DriverApi.INVALID_VALUE);
            EmulatedStream made = new EmulatedStream(context, flags == NON_BLOCKING
                    ? EmulatedStream.Kind.NON_BLOCKING : EmulatedStream.Kind.BLOCKING);
            context.add(made);
            put(stream, machine().handles().add(made));
        });
    }

    @Override
    public int cuStreamDestroy(long stream) {
        return inContext(context -> {
            EmulatedStream gone = machine().handles().get(stream, EmulatedStream.class);
            if (gone.capture() != null) {
                gone.capture().invalidate();
            }
            gone.destroyed();
            machine().handles().remove(stream);
        });
    }

    @Override
    public int cuStreamSynchronize(long stream) {
        return outsideCapture(stream, waiting -> {
            if (waiting.isLegacy()) {
                // Waits for what comes into the default stream next would wait for.
                waiting.ahead().forEach(machine().scheduler()::await);
            }
            machine().scheduler().await(waiting.tail());
        });
    }

    @Override
    public int cuStreamQuery(long stream) {
        return outsideCapture(stream, asked -> {
            List<Work> ahead = asked.isLegacy() ? asked.ahead() : asked.hasWork() ? List.of(asked.tail()) : List.of();
            ahead.forEach(this::stepOf);
        });
    }

    /** Does a piece of work that has not ended, and says so. */
    private void stepOf(Work work) {
        if (work == null || work.hasEnded()) {
            return;
        }
        machine().scheduler().step(work);
        work.context().device().requireWorking();
        throw new Refusal(DriverApi.NOT_READY);
    }

    private interface StreamBody {
        void run(EmulatedStream stream);
    }

    private int outsideCapture(long stream, StreamBody body) {
        return inContext(context -> {
            EmulatedStream found = machine().stream(stream, context);
            machine().requireNotCaptured(found);
            machine().requireNoCapture();
            body.run(found);
        });
    }

    @Override
    public int cuStreamWaitEvent(long stream, long event, int flags) {
        return inContext(context -> {
            Refusal.unless(flags == 0, DriverApi.INVALID_VALUE);
            EmulatedStream waiting = machine().stream(stream, context);
            EmulatedEvent on = machine().handles().get(event, EmulatedEvent.class);
            machine().requireNoImplicitCapture(waiting);
            if (on.capture() != null) {
                waitInCapture(waiting, on);
            } else if (waiting.capture() != null) {
                machine().activeCapture(waiting);
                if (on.work() != null) {
                    machine().spoil(waiting.capture(), Results.STREAM_CAPTURE_ISOLATION);
                }
            } else if (on.work() != null && !on.work().hasEnded()) {
                machine().scheduler().add(waiting, Task.NONE, List.of(on.work()));
            }
        });
    }

    /** A stream that waits for an event of a capture joins the capture. */
    private void waitInCapture(EmulatedStream waiting, EmulatedEvent on) {
        Capture capture = on.capture();
        Refusal.unless(!capture.hasEnded(), Results.CAPTURED_EVENT);
        Refusal.unless(!capture.isInvalid(), Results.STREAM_CAPTURE_INVALIDATED);
        Refusal.unless(!waiting.isLegacy(), Results.STREAM_CAPTURE_UNSUPPORTED);
        if (waiting.capture() != null && waiting.capture() != capture) {
            waiting.capture().invalidate();
            machine().spoil(capture, Results.STREAM_CAPTURE_MERGE);
        }
        if (!capture.has(waiting)) {
            capture.join(waiting);
        }
        waiting.frontier().addAll(on.nodes());
    }

    @Override
    public int cuStreamBeginCapture(long stream, int mode) {
        return inContext(context -> {
            EmulatedStream captured = machine().stream(stream, context);
            Refusal.unless(mode >= Capture.GLOBAL && mode <= Capture.RELAXED, DriverApi.INVALID_VALUE);
            Refusal.unless(!captured.isLegacy(), Results.STREAM_CAPTURE_UNSUPPORTED);
            Refusal.unless(captured.capture() == null, Results.ILLEGAL_STATE);
            machine().beginCapture(captured, mode);
        });
    }

    @Override
    public int cuStreamEndCapture(long stream, MemorySegment graph) {
        return inContext(context -> {
            EmulatedStream captured = machine().stream(stream, context);
            Capture capture = captured.capture();
            Refusal.unless(capture != null, Results.ILLEGAL_STATE);
            put(graph, 0L);
            Refusal.unless(!capture.isOfAnotherThread(), Results.STREAM_CAPTURE_WRONG_THREAD);
            Refusal.unless(capture.origin() == captured, Results.STREAM_CAPTURE_UNMATCHED);
            boolean wasInvalid = capture.isInvalid();
            if (!capture.isJoined()) {
                capture.invalidate();
            }
            machine().endCapture(capture);
            Refusal.unless(!wasInvalid, Results.STREAM_CAPTURE_INVALIDATED);
            Refusal.unless(!capture.isInvalid(), Results.STREAM_CAPTURE_UNJOINED);
            put(graph, capture.graphHandle());
        });
    }

    @Override
    public int cuStreamGetCaptureInfo(long stream, MemorySegment status, MemorySegment id, MemorySegment graph,
            MemorySegment dependencies, MemorySegment dependencyCount) {
        return inContext(context -> {
            EmulatedStream asked = machine().stream(stream, context);
            boolean implicit = asked.isLegacy()
                    && context.streams().stream().anyMatch(s -> s.isBlocking() && s.capture() != null);
            Refusal.unless(!implicit, Results.STREAM_CAPTURE_IMPLICIT);
            Capture capture = asked.capture();
            put(status, capture == null ? NOT_CAPTURING : capture.isInvalid() ? INVALIDATED : CAPTURING);
            if (capture == null || capture.isInvalid()) {
                return;
            }
            if (id.address() != 0) {
                put(id, capture.id());
            }
            if (graph.address() != 0) {
                put(graph, capture.graphHandle());
            }
            if (dependencies.address() != 0) {
                long[] nodes = asked.frontier().stream().mapToLong(GraphNode::handle).toArray();
                asked.frontierArray(Arena.ofAuto().allocateFrom(JAVA_LONG, nodes));
                dependencies.reinterpret(ADDRESS.byteSize()).set(ADDRESS, 0, asked.frontierArray());
            }
            if (dependencyCount.address() != 0) {
                put(dependencyCount, (long) asked.frontier().size());
            }
        });
    }

    @Override
    public int cuEventCreate(MemorySegment event, int flags) {
        return inContext(context -> {
            Refusal.unless((flags & ~EVENT_FLAGS) == 0, DriverApi.INVALID_VALUE);
            put(event, machine().handles().add(new EmulatedEvent(context, (flags & DISABLE_TIMING) == 0)));
        });
    }

    @Override
    public int cuEventDestroy(long event) {
        return inContext(context -> {
            machine().handles().get(event, EmulatedEvent.class);
            machine().handles().remove(event);
        });
    }

    @Override
    public int cuEventRecord(long event, long stream) {
        return inContext(context -> {
            EmulatedEvent recorded = machine().handles().get(event, EmulatedEvent.class);
            EmulatedStream in = machine().stream(stream, context);
            Refusal.unless(recorded.context() == in.context(), DriverApi.INVALID_HANDLE);
            machine().requireNoImplicitCapture(in);
            if (in.capture() == null) {
                recorded.record(machine().scheduler().add(in, Task.NONE, List.of()));
            } else {
                recorded.record(machine().activeCapture(in), List.copyOf(in.frontier()));
            }
        });
    }

    /** An event outside of captures. */
    private EmulatedEvent event(long handle) {
        EmulatedEvent event = machine().handles().get(handle, EmulatedEvent.class);
        if (event.capture() != null) {
            event.capture().invalidate();
            throw new Refusal(Results.CAPTURED_EVENT);
        }
        return event;
    }

    @Override
    public int cuEventQuery(long event) {
        return outsideCaptures(context -> stepOf(event(event).work()));
    }

    @Override
    public int cuEventSynchronize(long event) {
        return outsideCaptures(context -> machine().scheduler().await(event(event).work()));
    }

    @Override
    public int cuEventElapsedTime(MemorySegment milliseconds, long begin, long end) {
        return inContext(context -> {
            EmulatedEvent from = event(begin);
            EmulatedEvent to = event(end);
            Refusal.unless(from.isTimed() && to.isTimed() && from.work() != null && to.work() != null,
                    DriverApi.INVALID_HANDLE);
            Refusal.unless(from.work().hasEnded() && to.work().hasEnded(), DriverApi.NOT_READY);
            Refusal.unless(milliseconds.address() != 0, DriverApi.INVALID_VALUE);
            milliseconds.reinterpret(JAVA_FLOAT.byteSize()).set(JAVA_FLOAT, 0,
                    (to.work().endedAt() - from.work().endedAt()) / NANOSECONDS_OF_A_MILLISECOND);
        });
    }
}
