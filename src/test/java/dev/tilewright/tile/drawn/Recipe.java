package dev.tilewright.tile.drawn;

import dev.tilewright.tile.TileScope;
import java.util.List;

/** One kind of kernels, of which a draw makes one. */
interface Recipe {

    /** Writes the kernel. */
    void trace(TileScope k);

    /** The most elements that a launch has along a dimension. */
    int most(String dim);

    /** The least elements that a launch has along a dimension. */
    default int least(String dim) {
        return 1;
    }

    /** Numbers of elements of which rows are multiples, one of which a kernel has. */
    default List<Integer> units() {
        return List.of(1, 4, 8, 16, 16);
    }

    /** What a row's number of a tensor of numbers, {@code index…}, is at most. */
    default int rows() {
        return 12;
    }
}
