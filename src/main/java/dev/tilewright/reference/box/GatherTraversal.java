package dev.tilewright.reference.box;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.TiledTensorMap;

/**
 * The rows of a {@code .tile::gather4} load or a {@code .tile::scatter4} store (compute capability 10.0): four rows of
 * a matrix, each at its own coordinate, beside one another in shared memory. The coordinates are the column and then
 * the four rows; each row is in bounds or out of them by itself. By the documents (PTX ISA, "Tile mode gather and
 * scatter"), not seen on hardware.
 */
final class GatherTraversal implements BoxTraversal {
    private static final int ROWS = 4;

    private final int elementBytes;
    private final Axis down;

    /** @throws Fault if the map is not one of single rows of a matrix */
    GatherTraversal(TiledTensorMap map) {
        if (map.rank() != 2 || map.interleave() != Interleave.NONE || map.box().get(1) != 1) {
            throw new Fault(Kind.TENSOR_MAP, "gather4 and scatter4 take a map of rank 2 with a box of one row and no "
                    + "interleave, got rank " + map.rank() + ", box " + map.box() + ", interleave " + map.interleave());
        }
        elementBytes = map.type().bytes();
        down = new Axis(map.dims().get(1), map.elementStrides().get(1), map.strides().getFirst());
    }

    @Override
    public int coordinates() {
        return 1 + ROWS;
    }

    @Override
    public int offsets() {
        return 0;
    }

    @Override
    public int rows(int[] offsets) {
        return ROWS;
    }

    @Override
    public void check(int[] coordinates, int[] offsets, boolean store) {
        // Any place will do: what is out of bounds is filled or skipped.
    }

    @Override
    public String rowName(int row, int[] coordinates) {
        return "its row at [" + coordinates[0] + ", " + coordinates[1 + row] + "]";
    }

    @Override
    public void walk(int[] coordinates, int[] offsets, RowSink to) {
        for (int i = 0; i < ROWS; i++) {
            down.run((long) coordinates[0] * elementBytes, coordinates[1 + i], i, 1, to);
        }
    }
}
