package dev.tilewright.program;

import dev.tilewright.tensormap.TensorMap;

/**
 * The value of one kernel parameter in a {@link Launch}. Buffers are named by number, so that a launch is plain data.
 */
public sealed interface Argument {

    /** The start of a buffer. @param buffer index into the buffers that the launch is given */
    record Buffer(int buffer) implements Argument {
        public Buffer {
            requireNumber(buffer);
        }
    }

    /** An integer. */
    record Int(long value) implements Argument {
    }

    /** The raw bits of a scalar, in the low bytes. */
    record Scalar(long bits) implements Argument {
    }

    /** A tensor map whose global address is the start of a buffer. */
    record Tensor(TensorMap map, int buffer) implements Argument {
        public Tensor {
            requireNumber(buffer);
        }
    }

    private static void requireNumber(int buffer) {
        if (buffer < 0) {
            throw new IllegalArgumentException("a buffer's number is at least 0, got " + buffer);
        }
    }
}
