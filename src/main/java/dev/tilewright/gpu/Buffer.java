package dev.tilewright.gpu;

import dev.tilewright.Counted;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.gpu.staging.NioBuffers;
import dev.tilewright.layout.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Memory of a GPU that holds elements of one type, or a part of such memory. It knows its extent: what does not fit is
 * refused before anything is copied or launched.
 *
 * {@snippet :
 * try (Buffer<float[]> x = gpu.upload(new float[] {1, 2, 3})) {
 *     x.slice(1, 2).fill((byte) 0);
 *     float[] y = x.download();       // 1, 0, 0
 * }
 * }
 *
 * <p>Copies here are synchronous and go through CUDA's legacy default stream: they see what was started before in every
 * stream that is not {@linkplain Gpu#nonBlockingStream non-blocking}, and have ended when they return. {@link Stream}
 * has the asynchronous ones. Safe for use by several threads.
 *
 * <p>Slices and views share the memory of the buffer that was allocated, keep it from being forgotten, and are closed
 * with it; closing one of them does nothing.
 *
 * <p>{@code java.nio} has a class of this name, too: beside {@code import java.nio.*;} the name is ambiguous until
 * {@code import dev.tilewright.gpu.Buffer;} says which one is meant.
 *
 * @param <A> the Java array that it is copied from and to, such as {@code float[]}
 */
public final class Buffer<A> implements AutoCloseable {
    private static final Executor LATER = work -> Thread.ofVirtual().name("tilewright-copy").start(work);

    private final Gpu gpu;
    private final ArrayType<A> type;
    private final long address;
    private final long bytes;
    /** The whole allocation's owner: kept reachable by each of its parts. */
    private final Object owner;
    private final Lease lease;

    /** New memory. */
    Buffer(Gpu gpu, ArrayType<A> type, long address, long bytes, String what, Runnable release) {
        this.gpu = gpu;
        this.type = type;
        this.address = address;
        this.bytes = bytes;
        this.owner = this;
        this.lease = Lease.of(this, gpu.cudaContext(), what, release);
    }

    /** Memory that other code owns. */
    Buffer(Gpu gpu, ArrayType<A> type, long address, long bytes) {
        this.gpu = gpu;
        this.type = type;
        this.address = address;
        this.bytes = bytes;
        this.owner = this;
        this.lease = Lease.none(gpu.cudaContext(), "the wrapped memory of " + Counted.of(bytes, "byte"));
    }

    /** A part of a buffer, or a view of it. */
    private Buffer(Buffer<?> whole, ArrayType<A> type, long address, long bytes) {
        this.gpu = whole.gpu;
        this.type = type;
        this.address = address;
        this.bytes = bytes;
        this.owner = whole.owner;
        this.lease = whole.lease;
    }

    /** Where it is. */
    public Gpu gpu() {
        return gpu;
    }

    /** The type of its elements. */
    public ArrayType<A> type() {
        return type;
    }

    /** How many elements it holds. */
    public long count() {
        return bytes / type.elementBytes();
    }

    /** Size in bytes. */
    public long bytes() {
        return bytes;
    }

    /** The CUdeviceptr, for other libraries: a multiple of 256 where the memory was allocated as this buffer. */
    public long address() {
        lease.requireOpen();
        return address;
    }

    /**
     * A part of it.
     *
     * @param from its first element
     * @param count its elements
     * @throws IndexOutOfBoundsException if the buffer does not have them
     */
    public Buffer<A> slice(long from, long count) {
        lease.requireOpen();
        Objects.checkFromIndexSize(from, count, count());
        return new Buffer<>(this, type, address + from * type.elementBytes(), count * type.elementBytes());
    }

    /**
     * This buffer's memory as elements of another type.
     *
     * @throws IllegalArgumentException if it does not hold a whole number of them, or begins at no multiple of their
     *         size
     */
    public <B> Buffer<B> as(ArrayType<B> other) {
        Objects.requireNonNull(other, "other");
        lease.requireOpen();
        if (bytes % other.elementBytes() != 0 || address % other.elementBytes() != 0) {
            throw new IllegalArgumentException(Counted.of(bytes, "byte") + " at address 0x" + Long.toHexString(address)
                    + " are no whole elements of type " + other + ", which have "
                    + Counted.of(other.elementBytes(), "byte"));
        }
        return new Buffer<>(this, other, address, bytes);
    }

    /**
     * This buffer as an array of some shape, for a launch.
     *
     * @param dimensions outermost first
     */
    public ShapedBuffer shaped(long... dimensions) {
        return new ShapedBuffer(this, Shape.of(dimensions));
    }

    /**
     * Copies an array to its beginning.
     *
     * @throws IllegalArgumentException if the array is longer than the buffer
     */
    public void upload(A array) {
        Objects.requireNonNull(array, "array");
        upload(type.memory(array));
    }

    /**
     * Copies a part of an array to its beginning.
     *
     * @param from the part's first element in the array
     * @param count its elements
     * @throws IndexOutOfBoundsException if the array does not have them
     * @throws IllegalArgumentException if the buffer does not
     */
    public void upload(A array, int from, int count) {
        Objects.requireNonNull(array, "array");
        upload(type.memory(array, from, count));
    }

    /**
     * Copies host memory of any kind to its beginning, as {@link Stream#upload} does.
     *
     * @throws IllegalArgumentException if that is larger
     */
    public void upload(MemorySegment host) {
        Objects.requireNonNull(host, "host");
        Stream stream = gpu.defaultStream();
        if (!stream.put(host, this)) {
            stream.synchronize();
        }
    }

    /**
     * Copies what remains in a buffer of java.nio, between its position, which stays, and its limit, to the beginning
     * of this one.
     *
     * @throws IllegalArgumentException if that is larger, or its byte order is not the GPU's, little-endian, which
     *     matters where elements have more than one byte: {@code buffer.order(ByteOrder.LITTLE_ENDIAN)}
     */
    public void upload(java.nio.Buffer host) {
        Objects.requireNonNull(host, "host");
        upload(NioBuffers.memory(host, type.toString(), type.elementBytes()));
    }

    /**
     * All of it as a new array.
     *
     * @throws IllegalStateException if it has more elements than an array can
     */
    public A download() {
        if (count() > Integer.MAX_VALUE - 8) {
            throw new IllegalStateException("no array has " + Counted.of(count(), "element")
                    + ": download slices, or to a segment");
        }
        A array = type.newArray((int) count());
        download(array);
        return array;
    }

    /**
     * Fills an array with all of it.
     *
     * @throws IllegalArgumentException if the array has not as many elements as the buffer: for a part of either there
     *     is {@link #download(Object, int, int)}
     */
    public void download(A array) {
        Objects.requireNonNull(array, "array");
        MemorySegment host = type.memory(array);
        if (host.byteSize() < bytes) {
            long elements = host.byteSize() / type.elementBytes();
            throw new IllegalArgumentException("an array of " + Counted.of(elements, "element")
                    + " does not hold a buffer of " + count()
                    + ": take one of " + count() + ", or download(array, 0, " + elements + ") for the first of them");
        }
        download(host);
    }

    /**
     * Fills a part of an array from its beginning.
     *
     * @param to the part's first element in the array
     * @param count its elements
     * @throws IndexOutOfBoundsException if the array does not have them
     * @throws IllegalArgumentException if the buffer does not
     */
    public void download(A array, int to, int count) {
        Objects.requireNonNull(array, "array");
        download(type.memory(array, to, count));
    }

    /**
     * Fills host memory of any kind from its beginning, as {@link Stream#download} does.
     *
     * @throws IllegalArgumentException if that is larger, or read-only
     */
    public void download(MemorySegment host) {
        Objects.requireNonNull(host, "host");
        Stream stream = gpu.defaultStream();
        if (!stream.take(this, host)) {
            stream.synchronize();
        }
    }

    /**
     * Fills what remains in a buffer of java.nio, between its position, which stays, and its limit, from the beginning
     * of this one.
     *
     * @throws IllegalArgumentException if that is larger, or read-only, or its byte order is not the GPU's,
     *     little-endian, which matters where elements have more than one byte
     */
    public void download(java.nio.Buffer host) {
        Objects.requireNonNull(host, "host");
        download(NioBuffers.memory(host, type.toString(), type.elementBytes()));
    }

    /**
     * Does {@link #upload(MemorySegment)} on a thread of the runtime's own. The host memory must stay as it is, and
     * this buffer open, until the result is complete, and no thread's alone; cancelling the result stops nothing.
     */
    public CompletableFuture<Void> uploadAsync(MemorySegment host) {
        Objects.requireNonNull(host, "host");
        return CompletableFuture.runAsync(() -> upload(host), LATER);
    }

    /** Does {@code upload} of an array on a thread of the runtime's own. */
    public CompletableFuture<Void> uploadAsync(A array) {
        Objects.requireNonNull(array, "array");
        return uploadAsync(type.memory(array));
    }

    /**
     * Does {@link #download(MemorySegment)} on a thread of the runtime's own: the host memory has the bytes when the
     * result is complete. Until then this buffer must stay open, and the host memory be no thread's alone; cancelling
     * the result stops nothing.
     */
    public CompletableFuture<Void> downloadAsync(MemorySegment host) {
        Objects.requireNonNull(host, "host");
        return CompletableFuture.runAsync(() -> download(host), LATER);
    }

    /** All of it as a new array, by a thread of the runtime's own. */
    public CompletableFuture<A> downloadAsync() {
        return CompletableFuture.supplyAsync(this::download, LATER);
    }

    /** Sets every byte. */
    public void fill(byte value) {
        gpu.defaultStream().fill(this, value);
        gpu.defaultStream().synchronize();
    }

    /**
     * Copies all of it to the beginning of another, of this GPU or another, after what was started before on both.
     *
     * @throws IllegalArgumentException if that is smaller, or the two overlap
     */
    public void copyTo(Buffer<?> to) {
        Objects.requireNonNull(to, "to");
        if (to.gpu != gpu) {
            to.gpu.defaultStream().synchronize();
        }
        gpu.defaultStream().copy(this, to);
        gpu.defaultStream().synchronize();
    }

    /** Copies all of another, of this GPU or another, to its beginning: {@code from.copyTo(this)}. */
    public void copyFrom(Buffer<?> from) {
        Objects.requireNonNull(from, "from");
        from.copyTo(this);
    }

    /** Whether it is open, that is, can still be used. */
    public boolean isOpen() {
        return lease.isOpen();
    }

    void requireOpen() {
        lease.requireOpen();
    }

    /** Makes a call that uses the memory, which is not given back meanwhile. @return the call's result */
    <T> T whileOpen(Supplier<T> call) {
        return lease.whileOpen(call);
    }

    /** Frees the memory, if it was allocated as this buffer, after what was started before. */
    @Override
    public void close() {
        if (owner == this) {
            lease.close();
        }
    }

    /** {@code 16 float at 0x7f0000000000 on GPU 0}. */
    @Override
    public String toString() {
        return count() + " " + type + " at 0x" + Long.toHexString(address) + " on GPU " + gpu.info().ordinal();
    }
}
