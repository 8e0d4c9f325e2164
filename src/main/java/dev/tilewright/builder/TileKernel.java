package dev.tilewright.builder;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.Objects;

/**
 * What a builder makes: a kernel that moves an array tile by tile from one buffer to another and applies a step to
 * every element on the way. One kernel serves arrays of any shape that its {@link #launch} accepts.
 */
public interface TileKernel {

    /** The kernel. */
    TileProgram program();

    /** Type of the elements. */
    ElementType type();

    /** What happens to each element. */
    ElementStep step();

    /** Extents of a tile in elements, outermost dimension first. */
    List<Integer> tile();

    /** Tiles of one block that shared memory holds at once. */
    int stages();

    /** Bytes of the workspace that a launch of this kernel takes as buffer 2, whatever it holds; 0 for none. */
    default long workspaceBytes(Launch launch) {
        Objects.requireNonNull(launch, "launch");
        return 0;
    }

    /** The launch for one array with the number of tiles per block that was found fastest for this kernel. */
    default Launch launch(List<Long> shape, long scalarBits) {
        Objects.requireNonNull(shape, "shape");
        return launch(shape, scalarBits, GridPolicy.tilesEach(1));
    }

    /**
     * The launch for one array.
     *
     * <p>Buffer 0 is the source and buffer 1 the result: dense, row-major, each at an address that is a multiple of 16
     * bytes. Exactly the array's bytes are written. A kernel that needs a workspace takes it as buffer 2, at a multiple
     * of 128: see {@link #workspaceBytes}.
     *
     * @param shape the array's dimensions, outermost first
     * @param scalarBits the step's scalar, see {@link Scalars}; ignored where the step has none
     * @param gridPolicy how many tiles each block takes
     * @throws dev.tilewright.BadRequestException if the mechanism cannot move such an array; the message says what can
     */
    Launch launch(List<Long> shape, long scalarBits, GridPolicy gridPolicy);
}
