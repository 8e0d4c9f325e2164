package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.concurrent.CaptureGate;
import dev.tilewright.gpu.concurrent.EachOf;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A capture under way: the streams that take part, and what the graph will use. Safe for use by several threads.
 *
 * <p>The mode is CU_STREAM_CAPTURE_MODE_RELAXED, for two reasons. In the others, cuda.h lets the driver refuse calls by
 * what the calling thread of the operating system has under way, so the capture of a virtual thread, which may move to
 * another carrier, could not be ended, and would trouble the threads that run on its carrier next; in global mode it
 * would trouble every thread. And what the other modes refuse without saying which call was wrong, is refused here,
 * with the reason, before the driver sees it; what remains (allocating beside the stream, loading a kernel) does no
 * harm.
 */
final class GraphCapture {
    private static final int RELAXED = 2;
    private static final int UNJOINED = 904;
    /** CU_STREAM_CAPTURE_STATUS_INVALIDATED, cuda.h. */
    private static final int INVALIDATED = 2;

    private final Stream origin;
    private final Context context;
    private final Thread thread = Thread.currentThread();
    private final Set<Stream> streams = new LinkedHashSet<>();
    private final List<LaunchNode> launches = new ArrayList<>();
    private final Set<Buffer<?>> buffers = new LinkedHashSet<>();
    private final List<MemorySegment> hostMemory = new ArrayList<>();
    private final List<Runnable> deferred = new ArrayList<>();
    private boolean keepsDefaultStreamOut;
    private boolean ended;

    private GraphCapture(Stream origin) {
        this.origin = origin;
        this.context = origin.gpu().cudaContext();
    }

    /** What is put into a stream by some code, as a graph. */
    static Graph of(Stream stream, Consumer<? super Stream> work) {
        stream.handle();
        if (stream.cuStream().isLegacy()) {
            throw new IllegalStateException(
                    "CUDA does not capture the default stream: capture one from Gpu.stream()");
        }
        GraphCapture capture = new GraphCapture(stream);
        CaptureGate gate = capture.context.captureGates().synchronization();
        gate.beginCapture(capture.thread);
        try {
            return capture.run(work);
        } finally {
            // A close comes in here: the graph is made by then, and given back with all else.
            gate.endCapture(capture.thread);
        }
    }

    private Graph run(Consumer<? super Stream> work) {
        begin();
        try {
            work.accept(origin);
        } catch (RuntimeException | Error e) {
            abandon(e);
            throw e;
        }
        return finish();
    }

    private synchronized void begin() {
        try {
            join(origin);
            long handle = origin.handle();
            context.call("cuStreamBeginCapture of " + origin, api -> api.cuStreamBeginCapture(handle, RELAXED));
        } catch (RuntimeException | Error e) {
            end();
            throw e;
        }
    }

    /** Takes a stream in, if it does not take part yet. @throws IllegalStateException if it takes part in another */
    synchronized void join(Stream stream) {
        requireUnderWay();
        if (streams.contains(stream)) {
            return;
        }
        if (stream.cuStream().isLegacy()) {
            throw noneOfTheDefaultStream();
        }
        if (!stream.gpu().cudaContext().isSame(context)) {
            throw new IllegalStateException(origin + " of GPU " + context.info().ordinal()
                    + " is being captured, and a graph holds work of one GPU: " + stream + " is of GPU "
                    + stream.gpu().info().ordinal());
        }
        if (!stream.captureSlot().setIfNone(this)) {
            throw new IllegalStateException(stream + " is being captured already");
        }
        streams.add(stream);
        if (stream.mayWaitForDefault() && !keepsDefaultStreamOut) {
            context.captureGates().defaultStream().beginCapture(thread);
            keepsDefaultStreamOut = true;
        }
        // What has not seen that it is captured: calls that must not meet this, and launches, which would be no nodes.
        stream.captureSlot().awaitCalls();
        context.calls().awaitEnd();
    }

    /**
     * Makes a stream wait for an event that was recorded in this capture, and thereby takes it in.
     *
     * @throws IllegalStateException if it takes part in another
     */
    synchronized void waitFor(Stream stream, Runnable call) {
        boolean joins = !streams.contains(stream);
        join(stream);
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            if (joins) {
                leave(stream);
            }
            throw e;
        }
    }

    /** Undoes a join that the driver refused. */
    private void leave(Stream stream) {
        if (streams.remove(stream)) {
            stream.captureSlot().set(null);
        }
    }

    static IllegalStateException noneOfTheDefaultStream() {
        return new IllegalStateException("CUDA does not capture the default stream: use one from Gpu.stream()");
    }

    private void requireUnderWay() {
        if (ended) {
            throw new IllegalStateException("the capture of " + origin + " has ended");
        }
    }

    /**
     * Puts something into one of its streams, as a part of the graph. @return false if it has ended: nothing was done
     */
    synchronized boolean put(Runnable work) {
        if (ended) {
            return false;
        }
        work.run();
        return true;
    }

    /** Whether nothing is deferred any more, as its GPU is closed. */
    boolean isOfClosedContext() {
        return context.isClosed();
    }

    /** Has something done when it has ended. @return false if it has, or if there will be no end to wait for */
    synchronized boolean defer(Runnable action) {
        if (ended || context.isClosed()) {
            return false;
        }
        deferred.add(action);
        return true;
    }

    /** The graph uses a buffer. */
    synchronized void uses(Buffer<?> buffer) {
        buffers.add(buffer);
    }

    /** The graph copies from or to page-locked memory. */
    synchronized void uses(MemorySegment pageLocked) {
        hostMemory.add(pageLocked);
    }

    /**
     * Captures a launch into a stream, and finds its node: what the next work in the stream would depend on. Needs the
     * context to be current.
     *
     * @return false if the capture has ended, and nothing was launched
     */
    synchronized boolean launch(KernelLaunch launch, Stream stream) {
        if (ended) {
            return false;
        }
        DriverApi api = context.api();
        int call = context.calls().begin();
        try {
            launch.requireOpen();
            context.check("cuLaunchKernelEx of " + launch + " in a capture",
                    api.cuLaunchKernelEx(launch.configMemory(), launch.functionHandle(), launch.pointers(), 0));
        } finally {
            context.calls().end(call);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = arena.allocate(JAVA_LONG);
            MemorySegment dependencies = arena.allocate(ADDRESS);
            MemorySegment count = arena.allocate(JAVA_LONG);
            long handle = stream.cuStream().raw();
            context.check("cuStreamGetCaptureInfo of " + stream, api.cuStreamGetCaptureInfo(handle, status,
                    MemorySegment.NULL, MemorySegment.NULL, dependencies, count));
            if (status.get(JAVA_INT, 0) == INVALIDATED) {
                throw new IllegalStateException("the capture of " + origin + " has been spoilt by a call that CUDA does"
                        + " not allow while a stream is captured, most likely of other code in this process: no graph"
                        + " will come of it");
            }
            if (count.get(JAVA_LONG, 0) != 1) {
                throw new IllegalStateException("after " + launch + ", " + stream + " depends on "
                        + count.get(JAVA_LONG, 0) + " nodes, not on the launch alone");
            }
            long node = dependencies.get(ADDRESS, 0).reinterpret(JAVA_LONG.byteSize()).get(JAVA_LONG, 0);
            launches.add(new LaunchNode(launch, node));
        }
        return true;
    }

    /** Lets the streams go. */
    private synchronized void end() {
        if (ended) {
            return;
        }
        ended = true;
        streams.forEach(stream -> stream.captureSlot().set(null));
        if (keepsDefaultStreamOut) {
            context.captureGates().defaultStream().endCapture(thread);
        }
    }

    /** What waited for the end. */
    private void doDeferred() {
        List<Runnable> actions;
        synchronized (this) {
            actions = List.copyOf(deferred);
            deferred.clear();
        }
        EachOf.run(actions);
    }

    /** Ends it without a graph, because the code that was captured has thrown something. */
    private void abandon(Throwable why) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment graph = arena.allocate(JAVA_LONG);
            // It gives no graph if the capture was spoilt.
            int result = endInDriver(graph);
            if (result == DriverApi.SUCCESS) {
                context.call("cuGraphDestroy", api -> api.cuGraphDestroy(graph.get(JAVA_LONG, 0)));
            }
        } catch (RuntimeException e) {
            why.addSuppressed(e);
        } finally {
            endBecause(why);
        }
    }

    private void endBecause(Throwable why) {
        end();
        try {
            doDeferred();
        } catch (RuntimeException e) {
            why.addSuppressed(e);
        }
    }

    private Graph finish() {
        long graph;
        try {
            graph = endCapture();
        } catch (RuntimeException | Error e) {
            endBecause(e);
            throw e;
        }
        end();
        try {
            doDeferred();
            return Graph.of(origin, graph, launches, buffers, hostMemory);
        } catch (RuntimeException | Error e) {
            try {
                context.call("cuGraphDestroy", api -> api.cuGraphDestroy(graph));
            } catch (RuntimeException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
    }

    /** Ends it for the driver and for those who put something into its streams, at once: see {@link #launch}. */
    private synchronized int endInDriver(MemorySegment graph) {
        try {
            return context.result(api -> context.captureGates().withCapturedEvents(
                    () -> api.cuStreamEndCapture(origin.cuStream().raw(), graph)));
        } finally {
            end();
        }
    }

    private long endCapture() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment graph = arena.allocate(JAVA_LONG);
            int result = endInDriver(graph);
            if (result == DriverApi.SUCCESS) {
                return graph.get(JAVA_LONG, 0);
            }
            CudaException refused = context.failure("cuStreamEndCapture of " + origin, result);
            if (result == UNJOINED) {
                throw new IllegalStateException("a stream that joined the capture of " + origin + " has not come back:"
                        + " record an event in it, and let " + origin + " wait for that, before the capture ends"
                        + " (taking part: " + streams + ")", refused);
            }
            throw refused;
        }
    }
}
