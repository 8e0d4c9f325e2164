package dev.tilewright.gpu;

import dev.tilewright.NotNull;
import dev.tilewright.gpu.concurrent.LaunchLog;
import dev.tilewright.gpu.concurrent.LaunchMarks;
import dev.tilewright.gpu.concurrent.Waiting;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A queue of work for a GPU: its work runs in order, and concurrently with other streams. Putting something in returns
 * at once, unless said otherwise; what goes wrong later comes out of a later call. Safe for use by several threads,
 * whose work then comes in some order.
 */
public final class Stream implements AutoCloseable {
    private final Gpu gpu;
    private final Context context;
    private final LaunchLog log;
    private final CaptureSlot capture;
    private final StreamHandle cuStream;
    private final StreamCopies copies;

    private Stream(Gpu gpu, long handle, LaunchLog log, boolean owned) {
        this.gpu = gpu;
        this.context = gpu.cudaContext();
        this.log = log;
        this.capture = new CaptureSlot(StreamHandle.isLegacy(handle));
        this.cuStream = new StreamHandle(this, context, handle, log, capture, owned);
        this.copies = new StreamCopies(this);
    }

    /** A new stream. @param blocking whether it waits for the legacy default stream, and that for it */
    static Stream create(Gpu gpu, boolean blocking, int number) {
        int flags = blocking ? 0 : 1;
        return gpu.cudaContext().taking(() -> new Stream(gpu,
                gpu.cudaContext().ask("cuStreamCreate", (api, out) -> api.cuStreamCreate(out, flags, 0)),
                new LaunchLog("stream " + number, blocking), true));
    }

    /** A stream of somebody else's. @param blocking whether it is known to be one of those */
    static Stream borrowed(Gpu gpu, long handle, String name, boolean blocking) {
        return new Stream(gpu, handle, new LaunchLog(name, blocking), false);
    }

    /** Where it is. */
    public Gpu gpu() {
        return gpu;
    }

    /**
     * The CUstream, for other libraries; 0 is CUDA's legacy default stream.
     *
     * @throws IllegalStateException if it is closed
     */
    public long handle() {
        requireOpen();
        return cuStream.raw();
    }

    LaunchLog log() {
        return log;
    }

    /** Whether it may wait for the default stream, as far as is known. */
    boolean mayWaitForDefault() {
        return !cuStream.isOwned() || log.isBlocking();
    }

    /** The driver's handle of this stream, and the calls that use it. */
    StreamHandle cuStream() {
        return cuStream;
    }

    CaptureSlot captureSlot() {
        return capture;
    }

    /**
     * Before what a graph cannot hold: no capture of this stream begins until {@link #leaveOutside}. Until then this
     * thread must not wait for a gate.
     *
     * @param instead what to do
     * @throws IllegalStateException if it is being captured
     */
    void enterOutside(String what, String instead) {
        if (!capture.enter()) {
            throw noPartOfAGraph(what, instead);
        }
    }

    /** After what {@link #enterOutside} let begin. */
    void leaveOutside() {
        capture.leave();
    }

    IllegalStateException noPartOfAGraph(String what, String instead) {
        return new IllegalStateException(this + " is being captured, and " + what + " cannot be a part of a graph: "
                + instead);
    }

    /**
     * Makes calls that a graph can hold, outside of captures or in one: none begins or ends meanwhile.
     *
     * @param noted is given the capture before, if there is one, to note what it has to keep
     */
    void put(Consumer<GraphCapture> noted, Runnable work) {
        capture.perform(work, now -> {
            noted.accept(now);
            work.run();
        });
    }

    /** Whether work put into it now becomes part of a graph: see {@link #capture}. */
    public boolean isCapturing() {
        return capture.get() != null;
    }

    /**
     * Collects what some code puts into this stream, as a graph, to be started as often as one likes; nothing of it
     * runs now. Launches, fills, copies on the device and copies of page-locked memory are collected, also if other
     * libraries put them into the stream. Other streams take part from where they wait for an event that was recorded
     * in the capture, and must come back: this stream waits for an event of theirs. What cannot be collected is
     * refused, with the reason: waiting, stream-ordered allocation, copies of memory that is not page-locked, the start
     * of another graph.
     *
     * <p>Other threads go on as they like; what they put into this stream meanwhile is collected as well, and what they
     * put into the default stream waits for the end, unless this is a {@linkplain Gpu#nonBlockingStream non-blocking}
     * stream; so do {@link Gpu#synchronize} and {@link Gpu#close}. The code must not wait for a thread that does such a
     * thing: that one is refused after 10 seconds, and told which thread captures and where that waits. After an
     * exception of the code, which comes out of here, the stream is as it was.
     *
     * {@snippet :
     * Graph graph = stream.capture(s -> {
     *     s.upload(pinned.segment(), in);
     *     launch.start();
     *     s.download(out, result.segment());
     * });
     * }
     *
     * @param work is given this stream
     * @throws IllegalStateException if it is being captured already, is the default stream, or a stream that took part
     *     has not come back
     * @throws CudaException if a call of the code had spoilt the capture, or the driver refuses the graph
     */
    public Graph capture(Consumer<? super Stream> work) {
        Objects.requireNonNull(work, "work");
        return GraphCapture.of(this, work);
    }

    boolean isOpen() {
        return cuStream.lease().isOpen();
    }

    void requireOpen() {
        cuStream.lease().requireOpen();
    }

    /**
     * Copies host memory to the beginning of a buffer. Page-locked memory ({@link PinnedMemory},
     * {@link RegisteredMemory}, or any that the driver knows) must stay as it is until the copy has ended; all else,
     * Java arrays and mapped files included, has been read when this returns, and may change then. More than a little
     * of the latter (64 KiB of an array or a file, 4 MiB of other memory) is copied when the stream has come there,
     * which this waits for, by several threads and through page-locked memory of the runtime's own, of which each GPU
     * has 80 MiB at most. An interrupt stops nothing, and is still there on return.
     *
     * @throws IllegalArgumentException if the buffer is smaller, or of another GPU
     * @throws WrongThreadException if the host memory is confined to another thread
     * @throws InternalError if the host memory is mapped and its file has been cut short, or cannot be read
     */
    public void upload(MemorySegment host, Buffer<?> to) {
        NotNull.all("host, to", host, to);
        put(host, to);
    }

    /**
     * Copies host memory to the beginning of a buffer, and says whether that is done.
     *
     * @return whether the bytes have arrived on return
     */
    boolean put(MemorySegment host, Buffer<?> to) {
        return copies.upload(host, to);
    }

    /**
     * Copies the beginning of a buffer to host memory. Page-locked memory has the bytes when the copy has ended; to all
     * else they have been copied when this returns, in the way that {@link #upload} describes.
     *
     * @throws IllegalArgumentException if the buffer is smaller, or of another GPU, or the host memory is read-only
     * @throws WrongThreadException if the host memory is confined to another thread
     * @throws InternalError if the host memory is mapped and its file has been cut short, or cannot be written
     */
    public void download(Buffer<?> from, MemorySegment host) {
        NotNull.all("from, host", from, host);
        take(from, host);
    }

    /**
     * Copies the beginning of a buffer to host memory, and says whether that is done.
     *
     * @return whether the bytes have arrived on return
     */
    boolean take(Buffer<?> from, MemorySegment host) {
        return copies.download(from, host);
    }

    /**
     * Copies a buffer of this GPU to the beginning of another, of this GPU or another. Between GPUs: directly where
     * they {@linkplain Gpu#canAccess reach each other}, else through the host; what other streams of the other GPU do
     * to its buffer is for the caller to order, with {@link #waitFor}.
     *
     * @throws IllegalArgumentException if the other is smaller, or the two overlap, or the first is of another GPU
     */
    public void copy(Buffer<?> from, Buffer<?> to) {
        NotNull.all("from, to", from, to);
        copies.copy(from, to);
    }

    /** Sets every byte of a buffer. */
    public void fill(Buffer<?> buffer, byte value) {
        Objects.requireNonNull(buffer, "buffer");
        copies.fill(buffer, value);
    }

    /** Memory that what follows in this stream may use; closing it frees it when the stream comes there. */
    public <A> Buffer<A> allocate(ArrayType<A> type, long count) {
        Objects.requireNonNull(type, "type");
        enterOutside("an allocation", "allocate before the capture");
        try {
            return gpu.allocator().inStream(this, type, count);
        } finally {
            leaveOutside();
        }
    }

    /** A new event that stands for all that is in the stream now. */
    public Event record() {
        Event event = gpu.event();
        try {
            record(event);
            return event;
        } catch (RuntimeException e) {
            event.close();
            throw e;
        }
    }

    /**
     * Lets an event stand for all that is in the stream now.
     *
     * @throws IllegalArgumentException if it is another GPU's
     */
    public void record(Event event) {
        Objects.requireNonNull(event, "event");
        event.requireOf(context);
        event.requireOpen();
        Runnable call = () -> context.call("cuEventRecord",
                cuStream.using(event.using((api, recorded) -> api.cuEventRecord(recorded, cuStream.raw()))));
        cuStream.gated(() -> capture.perform(() -> event.record(marks(), call), now -> event.recordIn(now, call)));
    }

    /**
     * Makes what follows in this stream wait for an event, of any GPU. If the event was recorded in a capture, this
     * stream takes part in the capture from here on.
     *
     * @throws IllegalStateException if only one of the two is in a capture, or they are in different ones
     */
    public void waitFor(Event event) {
        Objects.requireNonNull(event, "event");
        event.requireReachable(context);
        event.requireOpen();
        cuStream.gated(() -> event.awaitIn(this, () -> context.call("cuStreamWaitEvent",
                cuStream.using(event.using((api, awaited) -> api.cuStreamWaitEvent(cuStream.raw(), awaited, 0))))));
    }

    /** Whether all that is in it has ended. */
    public boolean isIdle() {
        long mark = log.mark();
        cuStream.enterGate();
        int result;
        try {
            enterOutside("asking whether it is idle", "ask after the capture");
            try {
                result = context.result(cuStream.using(api -> api.cuStreamQuery(cuStream.raw())));
            } finally {
                leaveOutside();
            }
        } finally {
            cuStream.leaveGate();
        }
        if (result == DriverApi.NOT_READY) {
            return false;
        }
        context.check("cuStreamQuery", result);
        log.endedUpTo(mark);
        return true;
    }

    /**
     * Waits for all that is in it now. A virtual thread leaves its carrier to others meanwhile. An interrupt does not
     * end it, and is still there on return.
     *
     * @throws CudaException if something in it, or before, went wrong
     */
    public void synchronize() {
        enterOutside("waiting for it", "wait after the capture, or for the graph's stream after its start");
        try {
            awaitAll();
        } finally {
            leaveOutside();
        }
    }

    /**
     * Waits for all that is in the stream, where no capture can begin: in {@link #put}, or after {@link #enterOutside}.
     */
    void awaitAll() {
        LaunchMarks marks = marks();
        if (Waiting.isForThisThread()) {
            try (Event event = gpu.event()) {
                cuStream.call("cuEventRecord",
                        cuStream.using(event.using((api, own) -> api.cuEventRecord(own, cuStream.raw()))));
                Waiting.until(event::isDone);
            }
        } else {
            cuStream.call("cuStreamSynchronize", cuStream.using(api -> api.cuStreamSynchronize(cuStream.raw())));
        }
        marks.haveEnded();
    }

    /**
     * A future that completes when all that is in the stream now has ended, and with a {@link CudaException} if
     * something in it, or before, went wrong; with an {@link IllegalStateException} if the GPU is closed before. What
     * depends on it runs on a virtual thread, so it may block. Cancelling it ends nothing.
     *
     * @throws IllegalStateException if the stream is closed, or is being captured
     */
    public CompletableFuture<Void> completion() {
        requireOpen();
        enterOutside("a future of its end", "ask for it after the capture");
        try {
            return gpu.completions().of(this);
        } finally {
            leaveOutside();
        }
    }

    /** How far the launches have come that a wait for this stream waits for. */
    LaunchMarks marks() {
        return cuStream.isLegacy() ? context.launchLogs().blockingMarks() : LaunchMarks.of(log);
    }

    /**
     * Closes the stream after calls of other threads that use it have ended; work in it still runs. A stream that is
     * not Tilewright's, or the default one, stays.
     */
    @Override
    public void close() {
        cuStream.close();
    }

    /** {@code stream 3}. */
    @Override
    public String toString() {
        return log.stream();
    }
}
