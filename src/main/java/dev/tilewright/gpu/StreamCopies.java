package dev.tilewright.gpu;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.trace.Trace;
import dev.tilewright.gpu.trace.WatchedSpan;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Copies and fills in a stream: checks them, reports them to profilers, and notes what a capture has to keep. */
final class StreamCopies {
    private final Stream stream;
    private final Gpu gpu;
    private final Context context;
    private final StreamHandle cuStream;
    private final long handle;

    StreamCopies(Stream stream) {
        this.stream = stream;
        this.gpu = stream.gpu();
        this.context = gpu.cudaContext();
        this.cuStream = stream.cuStream();
        this.handle = cuStream.raw();
    }

    /** See {@link Stream#upload}. @return whether the bytes have arrived */
    boolean upload(MemorySegment host, Buffer<?> to) {
        return transfer("host to device", host, to, () -> gpu.hostCopies().upload(host, to, stream));
    }

    /** See {@link Stream#download}. @return whether the bytes have arrived */
    boolean download(Buffer<?> from, MemorySegment host) {
        return transfer("device to host", host, from, () -> gpu.hostCopies().download(from, host, stream));
    }

    private boolean transfer(String direction, MemorySegment host, Buffer<?> buffer, BooleanSupplier copy) {
        stream.requireOpen();
        requireHere(buffer);
        requireFits(host, buffer);
        boolean[] arrived = new boolean[1];
        stream.put(now -> keep(now, buffer, host), () -> arrived[0] = recorded(direction, host.byteSize(), copy));
        return arrived[0];
    }

    private boolean recorded(String direction, long bytes, BooleanSupplier copy) {
        if (!Trace.copies()) {
            return copy.getAsBoolean();
        }
        try (WatchedSpan span = watched(direction, bytes)) {
            boolean arrived = copy.getAsBoolean();
            span.answer(!arrived);
            return arrived;
        }
    }

    /** See {@link Stream#copy}. */
    void copy(Buffer<?> from, Buffer<?> to) {
        stream.requireOpen();
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
                throw new IllegalArgumentException("a copy between parts of memory that overlap: " + from + " to "
                        + to);
            }
            put("device to device", from.bytes(), "cuMemcpyDtoDAsync of " + from.bytes() + " bytes",
                    using(api -> api.cuMemcpyDtoDAsync(target, source, from.bytes(), handle), from, to), from, to);
        } else {
            gpu.peers().reach(other);
            put("GPU to GPU", from.bytes(), "cuMemcpyPeerAsync of " + from.bytes() + " bytes",
                    using(api -> api.cuMemcpyPeerAsync(target, there, source, context.handle(), from.bytes(), handle),
                            from, to), from, to);
        }
    }

    /** See {@link Stream#fill}. */
    void fill(Buffer<?> buffer, byte value) {
        stream.requireOpen();
        requireHere(buffer);
        long address = buffer.address();
        if (buffer.bytes() > 0) {
            put("fill", buffer.bytes(), "cuMemsetD8Async of " + buffer.bytes() + " bytes",
                    cuStream.using(api -> api.cuMemsetD8Async(address, value, buffer.bytes(), handle), buffer), buffer);
        }
    }

    /** A call that uses two buffers. */
    private Context.Call using(Context.Call call, Buffer<?> one, Buffer<?> other) {
        return cuStream.using(api -> other.whileOpen(() -> call.on(api)), one);
    }

    private WatchedSpan watched(String direction, long bytes) {
        return Trace.copy(direction, bytes, stream.log().stream(), context.info().ordinal());
    }

    /** Makes a call that starts a copy or a fill. */
    private void put(String direction, long bytes, String name, Context.Call copy, Buffer<?>... buffers) {
        stream.put(now -> List.of(buffers).forEach(now::uses), () -> callWatched(direction, bytes, name, copy));
    }

    private void callWatched(String direction, long bytes, String name, Context.Call copy) {
        if (!Trace.copies()) {
            cuStream.call(name, copy);
            return;
        }
        try (WatchedSpan span = watched(direction, bytes)) {
            cuStream.call(name, copy);
            span.answer(true);
        }
    }

    /** Notes what a capture has to keep of a copy. */
    private void keep(GraphCapture now, Buffer<?> buffer, MemorySegment host) {
        if (host.byteSize() > 0) {
            if (!gpu.hostCopies().isPageLocked(host)) {
                throw stream.noPartOfAGraph("a copy of memory that is not page-locked",
                        "copy from or to Gpu.pinned or Gpu.register");
            }
            now.uses(buffer);
            now.uses(host);
        }
    }

    private void requireHere(Buffer<?> buffer) {
        if (!buffer.gpu().cudaContext().isSame(context)) {
            throw new IllegalArgumentException("the buffer is of " + buffer.gpu().cudaContext().placeSeenFrom(context)
                    + ", the stream of " + context.place());
        }
    }

    private static void requireFits(MemorySegment host, Buffer<?> buffer) {
        if (host.byteSize() > buffer.bytes()) {
            throw new IllegalArgumentException(host.byteSize() + " bytes of host memory do not fit a buffer of "
                    + buffer.bytes());
        }
    }
}
