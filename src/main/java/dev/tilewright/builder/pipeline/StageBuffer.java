package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedLayout;
import java.util.Objects;

/**
 * A buffer that each stage of a ring has room for, such as a tile of one operand. A ring may have several.
 *
 * @param name of the shared memory that holds all stages of it
 * @param bytes of a stage that are used, and announced where the copy engine fills them: a constant, 32 bits
 * @param pitch bytes from one stage to the next: a constant, 32 bits, at least {@code bytes}
 * @param alignment what the first stage's address is a multiple of; the others' too where the pitch is one
 */
public record StageBuffer(String name, Expr bytes, Expr pitch, int alignment) {
    /** What tensor copies want their shared addresses to be a multiple of (PTX ISA, "Tensors"). */
    private static final int TENSOR_ALIGNMENT = 128;

    public StageBuffer {
        NotNull.all("name, bytes, pitch", name, bytes, pitch);
        long used = constant("bytes", bytes);
        long apart = constant("pitch", pitch);
        if (used < 1 || apart < used || apart > SharedLayout.LARGEST) {
            throw new IllegalArgumentException("a stage of '" + name + "' has 1 byte or more, and stages are as far "
                    + "apart and at most " + SharedLayout.LARGEST + ", got " + used + " bytes, " + apart + " apart");
        }
    }

    /** Stages that each begin at a multiple of 128, as tensor copies want them. */
    public static StageBuffer of(String name, int bytes) {
        return of(name, bytes, TENSOR_ALIGNMENT);
    }

    /** Stages that each begin at a multiple of {@code alignment}: a power of two, at most 1024. */
    public static StageBuffer of(String name, int bytes, int alignment) {
        Objects.requireNonNull(name, "name");
        if (alignment < 1 || alignment > 1024 || Integer.bitCount(alignment) != 1) {
            throw new IllegalArgumentException("an alignment is a power of two up to 1024, got " + alignment);
        }
        if (bytes < 1 || bytes > SharedLayout.LARGEST) {
            throw new IllegalArgumentException("a stage of '" + name + "' has 1 to " + SharedLayout.LARGEST
                    + " bytes, got " + bytes);
        }
        return new StageBuffer(name, Expr.of(bytes), Expr.of(Math.ceilDiv(bytes, alignment) * alignment), alignment);
    }

    private static long constant(String what, Expr e) {
        return Constants.of(e).orElseThrow(() -> new IllegalArgumentException("a stage's " + what
                + " is a constant: its memory is set apart when the kernel is compiled"));
    }

    int pitchBytes() {
        return (int) constant("pitch", pitch);
    }
}
