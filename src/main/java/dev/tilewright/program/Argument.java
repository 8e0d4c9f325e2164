package dev.tilewright.program;

import dev.tilewright.tensormap.TensorMap;
import java.util.Objects;

/**
 * The value of one kernel parameter in a {@link Launch}. Buffers are named by number, so that a launch is plain data.
 */
public sealed interface Argument {

    /**
     * A pointer into a buffer. What the kernel reaches through it is checked against its extent, on the CPU.
     *
     * @param buffer index into the buffers that the launch is given
     * @param offset bytes from the buffer's start to where the pointer points, at least 0
     * @param bytes its extent, from there on; {@link #REST} for what is left of the buffer
     */
    record Buffer(int buffer, long offset, long bytes) implements Argument {
        /** Stands for an extent: the rest of the buffer. */
        public static final long REST = -1;

        public Buffer {
            requireNumber(buffer);
            if (offset < 0) {
                throw new IllegalArgumentException("a pointer starts at byte 0 of its buffer or behind it, got "
                        + offset);
            }
            if (bytes < REST) {
                throw new IllegalArgumentException("a pointer's extent is at least 0 bytes, got " + bytes);
            }
        }

        /** The start of a buffer, and all of it. */
        public Buffer(int buffer) {
            this(buffer, 0, REST);
        }

        /** A place in a buffer, and all behind it. */
        public Buffer(int buffer, long offset) {
            this(buffer, offset, REST);
        }

        /**
         * The extent in bytes.
         *
         * @param size bytes of the buffer
         * @throws IllegalArgumentException if that is less than the pointer is to reach
         */
        public long extentIn(long size) {
            if (offset > size || bytes > size - offset) {
                throw new IllegalArgumentException("points to " + (bytes == REST ? "" : bytes + " bytes from ")
                        + "byte " + offset
                        + " of buffer " + buffer + (bytes == REST ? "" : " on") + ", which has " + size + " bytes");
            }
            return bytes == REST ? size - offset : bytes;
        }
    }

    /** An integer. */
    record Int(long value) implements Argument { }

    /** The raw bits of a scalar, in the low bytes. */
    record Scalar(long bits) implements Argument { }

    /**
     * A tensor map. It may describe more than the buffer holds: only what boxes touch has to be there, at the map's
     * global address plus coordinates times strides, modulo 2^64.
     *
     * @param buffer index into the buffers that the launch is given
     * @param offset bytes from the buffer's start to the map's global address. It may be negative or behind the buffer:
     *     the address is what has to suit the map
     */
    record Tensor(TensorMap map, int buffer, long offset) implements Argument {
        public Tensor {
            Objects.requireNonNull(map, "map");
            requireNumber(buffer);
        }

        /** A map whose global address is the start of a buffer. */
        public Tensor(TensorMap map, int buffer) {
            this(map, buffer, 0);
        }
    }

    private static void requireNumber(int buffer) {
        if (buffer < 0) {
            throw new IllegalArgumentException("a buffer's number is at least 0, got " + buffer);
        }
    }
}
