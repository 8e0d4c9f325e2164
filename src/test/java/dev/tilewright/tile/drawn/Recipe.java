package dev.tilewright.tile.drawn;

import dev.tilewright.tile.TileScope;

/** One kind of kernels, of which a draw makes one. */
interface Recipe {

    /** Writes the kernel. */
    void trace(TileScope k);

    /** The most elements that a launch has along a dimension. */
    int most(String dim);

    /** What a row's number of a tensor of numbers, {@code index…}, is at most. */
    default int rows() {
        return 12;
    }
}
