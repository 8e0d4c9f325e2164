package dev.tilewright.tensormap;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How boxes laid side by side from coordinate 0 cover one dimension of a tensor.
 *
 * @param dimension counted from the innermost
 * @param boxes boxes that cover it
 * @param elementsMoved elements that each of them moves along it: box / element stride, rounded up
 * @param lastInBounds how many of these lie inside the tensor in the last box; the others are filled
 */
public record EdgeReport(int dimension, long boxes, int elementsMoved, int lastInBounds) {

    /** One report for each dimension of a valid map. */
    public static List<EdgeReport> of(TiledTensorMap map) {
        Objects.requireNonNull(map, "map");
        List<EdgeReport> reports = new ArrayList<>();
        for (int d = 0; d < map.rank(); d++) {
            long dim = map.dims().get(d);
            boolean single = map.interleave() != Interleave.NONE && d == map.rank() - 2;
            int box = single ? 1 : map.box().get(d);
            int step = single || d == 0 && map.interleave() == Interleave.NONE ? 1 : map.elementStrides().get(d);
            long boxes = Math.ceilDiv(dim, box);
            long left = dim - (boxes - 1) * box;
            int moved = map.boxElements(d);
            reports.add(new EdgeReport(d, boxes, moved, (int) Math.min(moved, Math.ceilDiv(left, step))));
        }
        return reports;
    }

    /** Whether the last box reaches out of bounds. */
    public boolean isPartial() {
        return lastInBounds < elementsMoved;
    }
}
