package dev.tilewright.gpu;

import dev.tilewright.NotNull;
import dev.tilewright.gpu.device.OutOfDeviceMemoryException;
import java.lang.foreign.MemorySegment;

/**
 * Gives memory of a GPU, as buffers of elements of one type. Every method throws {@link OutOfDeviceMemoryException} if
 * the GPU has too little free memory.
 */
public sealed interface BufferAllocator permits Gpu {

    /**
     * New memory, with unspecified contents, at a multiple of 256.
     *
     * @param count elements
     * @throws OutOfDeviceMemoryException if the GPU has too little free memory
     */
    <A> Buffer<A> allocate(ArrayType<A> type, long count);

    /** New memory for this many bytes. */
    default Buffer<byte[]> bytes(long count) {
        return allocate(ArrayType.BYTES, count);
    }

    /** New memory for this many 16-bit integers, or the bits of 16-bit floating-point numbers. */
    default Buffer<short[]> shorts(long count) {
        return allocate(ArrayType.SHORTS, count);
    }

    /** New memory for this many 64-bit integers. */
    default Buffer<long[]> longs(long count) {
        return allocate(ArrayType.LONGS, count);
    }

    /** New memory for this many 32-bit integers. */
    default Buffer<int[]> ints(long count) {
        return allocate(ArrayType.INTS, count);
    }

    /** New memory for this many 32-bit floating-point numbers. */
    default Buffer<float[]> floats(long count) {
        return allocate(ArrayType.FLOATS, count);
    }

    /** New memory for this many 64-bit floating-point numbers. */
    default Buffer<double[]> doubles(long count) {
        return allocate(ArrayType.DOUBLES, count);
    }

    /** New memory that holds what an array does. */
    default <A> Buffer<A> upload(ArrayType<A> type, A array) {
        NotNull.all("type, array", type, array);
        return upload(type, type.memory(array));
    }

    /**
     * New memory that holds what host memory of any kind does.
     *
     * @throws IllegalArgumentException if that is no whole number of elements
     */
    default <A> Buffer<A> upload(ArrayType<A> type, MemorySegment host) {
        NotNull.all("type, host", type, host);
        if (host.byteSize() % type.elementBytes() != 0) {
            throw new IllegalArgumentException(host.byteSize() + " bytes of host memory are no whole elements of type "
                    + type + ", which have " + type.elementBytes() + " bytes");
        }
        Buffer<A> buffer = allocate(type, host.byteSize() / type.elementBytes());
        try {
            buffer.upload(host);
            return buffer;
        } catch (RuntimeException | Error e) {
            buffer.close();
            throw e;
        }
    }

    /** New memory that holds what an array does. */
    default Buffer<float[]> upload(float[] array) {
        return upload(ArrayType.FLOATS, array);
    }

    /** New memory that holds what an array does. */
    default Buffer<double[]> upload(double[] array) {
        return upload(ArrayType.DOUBLES, array);
    }

    /** New memory that holds what an array does. */
    default Buffer<short[]> upload(short[] array) {
        return upload(ArrayType.SHORTS, array);
    }

    /** New memory that holds what an array does. */
    default Buffer<long[]> upload(long[] array) {
        return upload(ArrayType.LONGS, array);
    }

    /** New memory that holds what an array does. */
    default Buffer<int[]> upload(int[] array) {
        return upload(ArrayType.INTS, array);
    }

    /** New memory that holds what an array does. */
    default Buffer<byte[]> upload(byte[] array) {
        return upload(ArrayType.BYTES, array);
    }
}
