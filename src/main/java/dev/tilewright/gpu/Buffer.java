package dev.tilewright.gpu;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;

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
 * stream that is not {@linkplain Gpu#nonBlockingStream non-blocking}, and have ended when they return. {@link Stream} has the
 * asynchronous ones. Safe for use by several threads.
 *
 * <p>Slices and views share the memory of the buffer that was allocated, keep it from being forgotten, and are closed
 * with it; closing one of them does nothing.
 *
 * @param <A> the Java array that it is copied from and to, such as {@code float[]}
 */
public final class Buffer<A> implements DeviceBuffer {
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
        this.lease = Lease.none(gpu.cudaContext(), "the wrapped memory of " + bytes + " bytes");
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

    /** What its elements are. */
    public ArrayType<A> type() {
        return type;
    }

    /** How many elements it holds. */
    public long count() {
        return bytes / type.elementBytes();
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
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
     * The same memory as elements of another type.
     *
     * @throws IllegalArgumentException if it does not hold a whole number of them, or begins at no multiple of their size
     */
    public <B> Buffer<B> as(ArrayType<B> other) {
        Objects.requireNonNull(other, "other");
        lease.requireOpen();
        if (bytes % other.elementBytes() != 0 || address % other.elementBytes() != 0) {
            throw new IllegalArgumentException(bytes + " bytes at address 0x" + Long.toHexString(address)
                    + " are no whole elements of type " + other + ", which have " + other.elementBytes() + " bytes");
        }
        return new Buffer<>(this, other, address, bytes);
    }

    /** Copies an array to its beginning. @throws IllegalArgumentException if the array is longer than the buffer */
    public void upload(A array) {
        Objects.requireNonNull(array, "array");
        upload(type.memory(array));
    }

    /** Copies host memory of any kind to its beginning. @throws IllegalArgumentException if that is larger */
    public void upload(MemorySegment host) {
        Objects.requireNonNull(host, "host");
        gpu.defaultStream().upload(host, this);
        gpu.defaultStream().synchronize();
    }

    /** Copies what remains in a byte buffer, whose position stays, to its beginning. */
    public void upload(ByteBuffer host) {
        Objects.requireNonNull(host, "host");
        upload(MemorySegment.ofBuffer(host));
    }

    /** All of it as a new array. @throws IllegalStateException if it has more elements than an array can */
    public A download() {
        if (count() > Integer.MAX_VALUE - 8) {
            throw new IllegalStateException("no array has " + count() + " elements: download slices, or to a segment");
        }
        A array = type.newArray((int) count());
        download(array);
        return array;
    }

    /** Fills an array from its beginning. @throws IllegalArgumentException if the array is longer than the buffer */
    public void download(A array) {
        Objects.requireNonNull(array, "array");
        download(type.memory(array));
    }

    /** Fills host memory of any kind from its beginning. @throws IllegalArgumentException if that is larger */
    public void download(MemorySegment host) {
        Objects.requireNonNull(host, "host");
        gpu.defaultStream().download(this, host);
        gpu.defaultStream().synchronize();
    }

    /** Fills what remains in a byte buffer, whose position stays, from its beginning. */
    public void download(ByteBuffer host) {
        Objects.requireNonNull(host, "host");
        download(MemorySegment.ofBuffer(host));
    }

    /** Sets every byte. */
    public void fill(byte value) {
        gpu.defaultStream().fill(this, value);
        gpu.defaultStream().synchronize();
    }

    /** Copies all of it to the beginning of another, of this GPU or another. */
    public void copyTo(Buffer<?> to) {
        Objects.requireNonNull(to, "to");
        gpu.defaultStream().copy(this, to);
        gpu.defaultStream().synchronize();
    }

    /** Whether it can still be used. */
    public boolean isOpen() {
        return lease.isOpen();
    }

    void requireOpen() {
        lease.requireOpen();
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
