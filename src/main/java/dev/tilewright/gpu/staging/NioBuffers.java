package dev.tilewright.gpu.staging;

import java.lang.foreign.MemorySegment;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;

/**
 * Buffers of java.nio as host memory. Their byte order is big-endian unless told otherwise, and a GPU's is
 * little-endian.
 */
public final class NioBuffers {

    private NioBuffers() { }

    /**
     * What remains in one.
     *
     * @param type of the elements that the GPU takes its bytes for
     * @throws IllegalArgumentException if its byte order is not the GPU's, or it has no memory of its own
     */
    public static MemorySegment memory(Buffer buffer, String type, int elementBytes) {
        boolean bytes = elementBytes == 1 && buffer instanceof ByteBuffer;
        if (!bytes && order(buffer) != ByteOrder.LITTLE_ENDIAN) {
            throw new IllegalArgumentException("the buffer's byte order is big-endian, that of a GPU's elements of "
                    + "type " + type
                    + " is little-endian: set buffer.order(ByteOrder.LITTLE_ENDIAN) before it is filled or viewed");
        }
        try {
            return MemorySegment.ofBuffer(buffer);
        } catch (IllegalArgumentException e) {
            // Such as CharBuffer.wrap(CharSequence): the one kind that java.nio makes so.
            throw new IllegalArgumentException("this " + (buffer instanceof CharBuffer ? "CharBuffer reads a String or"
                    + " another CharSequence, which" : "buffer") + " has no memory to copy from or to: take a buffer "
                    + "over an array, such as CharBuffer.wrap(text.toCharArray()), or a direct one", e);
        }
    }

    private static ByteOrder order(Buffer buffer) {
        return switch (buffer) {
            case ByteBuffer b -> b.order();
            case ShortBuffer b -> b.order();
            case CharBuffer b -> b.order();
            case IntBuffer b -> b.order();
            case LongBuffer b -> b.order();
            case FloatBuffer b -> b.order();
            case DoubleBuffer b -> b.order();
            default -> throw new IllegalArgumentException("not a buffer of java.nio: " + buffer);
        };
    }
}
