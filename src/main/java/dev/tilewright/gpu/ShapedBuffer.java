package dev.tilewright.gpu;

import dev.tilewright.NotNull;
import java.util.List;

/**
 * A buffer as a dense, row-major array: {@code buffer.shaped(rows, columns)}.
 *
 * @param buffer its memory
 * @param shape its dimensions, outermost first
 */
public record ShapedBuffer(Buffer<?> buffer, List<Long> shape) {

    public ShapedBuffer {
        NotNull.all("buffer, shape", buffer, shape);
        shape = List.copyOf(shape);
    }
}
