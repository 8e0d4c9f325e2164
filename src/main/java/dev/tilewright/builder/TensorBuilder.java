package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import java.util.List;

/**
 * The common part of builders of kernels that move boxes through tensor maps: the boxes that such a map can have.
 * Default: 8 KiB in rows of 512 bytes, or of 256 elements where these are single bytes.
 *
 * @param <B> the builder itself
 */
public abstract class TensorBuilder<B extends TensorBuilder<B>> extends BulkPipelineBuilder<B> {
    /** The largest extent of a box (cuda.h, boxDim). */
    private static final int MOST_EXTENT = 256;

    TensorBuilder(Mechanism<B> mechanism, ElementType type) {
        super(mechanism, type);
    }

    @Override
    List<Integer> defaultTile() {
        int columns = Math.min(MOST_EXTENT, 512 / type.bytes());
        return List.of(8192 / (columns * type.bytes()), columns);
    }

    /** Refuses a box that a tensor map cannot have. */
    final void requireBoxExtents() {
        if (tileExtents().stream().anyMatch(extent -> extent > MOST_EXTENT)) {
            throw new BadRequestException("a tensor copy's box has at most " + MOST_EXTENT
                    + " elements along each dimension, got " + Shapes.text(tileExtents()));
        }
    }

    /** Refuses a box whose rows are not whole 16 bytes. */
    final void requireWholeChunks() {
        if (rowBytes() % 16 != 0) {
            throw new BadRequestException("a box's rows must be a multiple of 16 bytes, got " + tileExtents().getLast()
                    + " " + type + " = " + rowBytes() + " bytes: use a multiple of " + 16 / type.bytes() + " columns");
        }
    }

    /** Bytes of a box's row. */
    final int rowBytes() {
        return tileExtents().getLast() * type.bytes();
    }
}
