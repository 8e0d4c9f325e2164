package dev.tilewright.reference.box;

import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The rows of a {@code .tile} copy. Measured on an H200, and held to the recordings in {@code native-tests/recordings}:
 * element i of dimension d is at coordinate {@code coordinate[d] + i * elementStride[d]}, and a box has
 * {@code ceil(box[d] / elementStride[d])} of them.
 *
 * <p>Without interleave a row is a row of dimension 0, which is never strided. With interleave a row is one slice of 16
 * or 32 bytes: dimension 0 counts slices, its element stride does count, and dimension rank - 2 has one element,
 * whatever its box says (measured for loads; stores and reductions follow the same rule by the documents, not seen on
 * hardware).
 *
 * <p>An H200 faults on every store and reduction of which a coordinate is negative: in each dimension of tensors of
 * rank 1 to 5, with each swizzle, with interleave ({@code native-tests/logs/negative-starts.log}).
 */
final class TileTraversal implements BoxTraversal {
    private final int rank;
    private final int elementBytes;
    private final boolean interleaved;
    /** The dimensions that a walk goes along, the fastest first: which coordinate each has, and how many elements. */
    private final Axis[] axes;
    private final int[] dimensions;
    private final int[] counts;
    /** Rows of one step along each axis. */
    private final int[] rowsWithin;
    private final int rows;

    TileTraversal(TiledTensorMap map) {
        rank = map.rank();
        elementBytes = map.type().bytes();
        interleaved = map.interleave() != Interleave.NONE;
        List<Axis> walked = new ArrayList<>();
        int first = interleaved ? 0 : 1;
        dimensions = new int[rank - first];
        counts = new int[rank - first];
        rowsWithin = new int[rank - first];
        int within = 1;
        for (int d = first; d < rank; d++) {
            long stride = d > 0 ? map.strides().get(d - 1) : SharedRows.sliceBytes(map.interleave());
            int i = d - first;
            walked.add(new Axis(map.dims().get(d), map.elementStrides().get(d), stride));
            dimensions[i] = d;
            counts[i] = map.boxElements(d);
            rowsWithin[i] = within;
            within = Math.multiplyExact(within, counts[i]);
        }
        axes = walked.toArray(Axis[]::new);
        rows = within;
    }

    @Override
    public int coordinates() {
        return rank;
    }

    @Override
    public int offsets() {
        return 0;
    }

    @Override
    public int rows(int[] offsets) {
        return rows;
    }

    @Override
    public void check(int[] coordinates, int[] offsets, boolean store) {
        // A load may start anywhere: what is out of bounds is filled.
        if (store) {
            BoxTraversal.requireStoreStart(coordinates, "a tiled store or reduction",
                    ", and only elements past a dimension's end are skipped: the hardware faults with "
                            + "ILLEGAL_INSTRUCTION");
        }
    }

    @Override
    public void walk(int[] coordinates, int[] offsets, RowSink to) {
        long start = interleaved ? 0 : (long) coordinates[0] * elementBytes;
        if (axes.length == 0) {
            to.inside(0, 1, start, 0);
        } else {
            walk(axes.length - 1, start, coordinates, 0, to);
        }
    }

    @Override
    public String rowName(int row, int[] coordinates) {
        long[] at = Arrays.stream(coordinates).asLongStream().toArray();
        for (int i = 0; i < axes.length; i++) {
            at[dimensions[i]] += (long) (row / rowsWithin[i] % counts[i]) * axes[i].step();
        }
        return "its row at " + Arrays.toString(at);
    }

    private void walk(int i, long base, int[] coordinates, int row, RowSink to) {
        Axis axis = axes[i];
        long start = coordinates[dimensions[i]];
        if (i == 0) {
            axis.run(base, start, row, counts[0], to);
            return;
        }
        int within = rowsWithin[i];
        for (int n = 0; n < counts[i]; n++) {
            long at = start + (long) n * axis.step();
            if (axis.holds(at)) {
                walk(i - 1, axis.offset(base, at), coordinates, row, to);
            } else {
                to.outside(row, within);
            }
            row += within;
        }
    }
}
