package dev.tilewright.gpu;

import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A queue of a GPU's work: what is put into it runs in order, and beside what is in other streams. Putting something in
 * returns at once, unless said otherwise; what goes wrong later comes out of a later call. Safe for use by several
 * threads, whose work then comes in some order.
 */
public final class Stream implements AutoCloseable {
    private final Gpu gpu;
    private final Context context;
    private final long handle;
    private final LaunchLog log;
    /** None of a stream that is not ours to destroy. */
    private final Lease lease;

    private Stream(Gpu gpu, long handle, LaunchLog log, boolean owned) {
        this.gpu = gpu;
        this.context = gpu.cudaContext();
        this.handle = handle;
        this.log = log;
        Context in = context;
        in.add(log);
        this.lease = owned ? Lease.of(this, context, log.stream(), () -> {
            in.remove(log);
            in.release("cuStreamDestroy", api -> api.cuStreamDestroy(handle));
        }) : null;
    }

    /** A new stream. @param blocking whether it waits for the legacy default stream, and that for it */
    static Stream create(Gpu gpu, boolean blocking, int number) {
        int flags = blocking ? 0 : 1;
        long handle = gpu.cudaContext().ask("cuStreamCreate", (api, out) -> api.cuStreamCreate(out, flags, 0));
        return new Stream(gpu, handle, new LaunchLog("stream " + number, blocking), true);
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
        return handle;
    }

    LaunchLog log() {
        return log;
    }

    boolean isOpen() {
        return lease == null || lease.isOpen();
    }

    void requireOpen() {
        if (lease != null) {
            lease.requireOpen();
        }
    }

    /**
     * Copies host memory to the beginning of a buffer. Page-locked memory ({@link PinnedMemory},
     * {@link RegisteredMemory}, or any that the driver knows) must stay as it is until the copy has ended; all else, Java
     * arrays and mapped files included, has been read when this returns, and may change then. More than a little of the
     * latter (64 KiB) is copied when the stream has come there, which this waits for, by several threads and through
     * page-locked memory of the runtime's own, of which each GPU has 32 MiB at most. An interrupt stops nothing, and is
     * still there on return.
     *
     * @throws IllegalArgumentException if the buffer is smaller, or of another GPU
     * @throws WrongThreadException if the host memory is confined to another thread
     * @throws InternalError if the host memory is mapped and its file has been cut short, or cannot be read
     */
    public void upload(MemorySegment host, Buffer<?> to) {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(to, "to");
        put(host, to);
    }

    /** The same. @return whether the bytes have arrived on return */
    boolean put(MemorySegment host, Buffer<?> to) {
        requireHere(to);
        requireFits(host, to);
        return gpu.hostCopies().upload(host, to, this);
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
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(host, "host");
        take(from, host);
    }

    /** The same. @return whether the bytes have arrived on return */
    boolean take(Buffer<?> from, MemorySegment host) {
        requireHere(from);
        requireFits(host, from);
        return gpu.hostCopies().download(from, host, this);
    }

    /**
     * Copies a buffer of this GPU to the beginning of another, of this GPU or another. Between GPUs: directly where they
     * {@linkplain Gpu#canAccess reach each other}, else through the host; what other streams of the other GPU do to its
     * buffer is for the caller to order, with {@link #waitFor}.
     *
     * @throws IllegalArgumentException if the other is smaller, or the two overlap, or the first is of another GPU
     */
    public void copy(Buffer<?> from, Buffer<?> to) {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(to, "to");
        requireHere(from);
        if (from.bytes() > to.bytes()) {
            throw new IllegalArgumentException("a buffer of " + from.bytes() + " bytes does not fit one of "
                    + to.bytes());
        }
        long source = from.address();
        long target = to.address();
        if (from.bytes() == 0) {
            return;
        }
        Context other = to.gpu().cudaContext();
        long there = other.handle();
        if (other.api() != context.api()) {
            throw new IllegalArgumentException("the buffers are of " + context.place() + " and of " + other.place()
                    + ", which have different drivers, one of them emulated: download and upload");
        }
        if (there == context.handle()) {
            if (source < target + from.bytes() && target < source + from.bytes()) {
                throw new IllegalArgumentException("a copy between parts of memory that overlap: " + from + " to " + to);
            }
            context.call("cuMemcpyDtoDAsync of " + from.bytes() + " bytes",
                    api -> api.cuMemcpyDtoDAsync(target, source, from.bytes(), handle()));
        } else {
            gpu.peers().reach(other);
            context.call("cuMemcpyPeerAsync of " + from.bytes() + " bytes",
                    api -> api.cuMemcpyPeerAsync(target, there, source, context.handle(), from.bytes(), handle()));
        }
    }

    /** Sets every byte of a buffer. */
    public void fill(Buffer<?> buffer, byte value) {
        Objects.requireNonNull(buffer, "buffer");
        requireHere(buffer);
        if (buffer.bytes() > 0) {
            long address = buffer.address();
            context.call("cuMemsetD8Async of " + buffer.bytes() + " bytes",
                    api -> api.cuMemsetD8Async(address, value, buffer.bytes(), handle()));
        }
    }

    /** Memory that what follows in this stream may use; closing it frees it when the stream comes there. */
    public <A> Buffer<A> allocate(ArrayType<A> type, long count) {
        Objects.requireNonNull(type, "type");
        return gpu.allocator().inStream(this, type, count);
    }

    /** A new event that stands for all that is in the stream now. */
    public Event record() {
        Event event = gpu.event();
        record(event);
        return event;
    }

    /** Lets an event stand for all that is in the stream now. */
    public void record(Event event) {
        Objects.requireNonNull(event, "event");
        long recorded = event.handle();
        context.call("cuEventRecord", api -> api.cuEventRecord(recorded, handle()));
    }

    /** Makes what follows in this stream wait for an event, of any GPU. */
    public void waitFor(Event event) {
        Objects.requireNonNull(event, "event");
        long awaited = event.handle();
        context.call("cuStreamWaitEvent", api -> api.cuStreamWaitEvent(handle(), awaited, 0));
    }

    /** Whether all that is in it has ended. */
    public boolean isIdle() {
        long mark = log.mark();
        int result = context.result(api -> api.cuStreamQuery(handle()));
        if (result == DriverApi.NOT_READY) {
            return false;
        }
        context.check("cuStreamQuery", result);
        log.endedUpTo(mark);
        return true;
    }

    /**
     * Waits for all that is in it now. A virtual thread leaves its carrier to others meanwhile. An interrupt does not end
     * it, and is still there on return.
     *
     * @throws CudaException if something in it, or before, went wrong
     */
    public void synchronize() {
        LaunchMarks marks = handle == 0 ? context.marks() : LaunchMarks.of(log);
        if (Waiting.isForThisThread()) {
            try (Event event = record()) {
                Waiting.until(event::isDone);
            }
        } else {
            context.call("cuStreamSynchronize", api -> api.cuStreamSynchronize(handle()));
        }
        marks.haveEnded();
    }

    private void requireHere(Buffer<?> buffer) {
        if (buffer.gpu().cudaContext().handle() != context.handle()) {
            throw new IllegalArgumentException("the buffer is of " + buffer.gpu().cudaContext().place()
                    + ", the stream of " + context.place());
        }
    }

    private static void requireFits(MemorySegment host, Buffer<?> buffer) {
        if (host.byteSize() > buffer.bytes()) {
            throw new IllegalArgumentException(host.byteSize() + " bytes of host memory do not fit a buffer of "
                    + buffer.bytes());
        }
    }

    /** Lets go of it; what is in it still runs. A stream that is not Tilewright's, or the default one, stays. */
    @Override
    public void close() {
        if (lease != null) {
            lease.close();
        }
    }

    /** {@code stream 3}. */
    @Override
    public String toString() {
        return log.stream();
    }
}
