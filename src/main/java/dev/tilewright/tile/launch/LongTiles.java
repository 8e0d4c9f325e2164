package dev.tilewright.tile.launch;

import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Tiles of elements that are computed each by itself, as a CPU takes them best: few rows, and long ones, which are
 * moved at once. No bit depends on it.
 */
final class LongTiles {
    /** Elements of a row. */
    private static final long LONGEST = 4096;
    /** Rows; a dimension of a tile cannot become one that it has not. */
    private static final int ROWS = 2;

    private LongTiles() { }

    /** A kernel's grid in such tiles, or as it is. @param extents by name */
    static Grid of(Grid grid, Map<String, Long> extents) {
        List<Steps> steps = grid.steps();
        int last = steps.size() - 1;
        if (last < 1 || !isElementwise(grid.body()) || steps.get(last).length() == 1) {
            return grid;
        }
        List<Integer> lengths = new ArrayList<>(steps.stream().map(Steps::length).toList());
        long elements = lengths.stream().mapToLong(i -> i).reduce(1, Math::multiplyExact);
        long longest = Math.min(LONGEST, steps.get(last).dim().in(extents).orElse(0L));
        if (longest <= steps.get(last).length() || elements > ROWS * LONGEST) {
            return grid;
        }
        lengths.set(last, (int) longest);
        for (int i = last - 1; i >= 0; i--) {
            long others = lengths.stream().mapToLong(n -> n).reduce(1, Math::multiplyExact) / lengths.get(i);
            int most = Math.clamp(steps.get(i).dim().in(extents).orElse(0L), ROWS, Math.max(ROWS, lengths.get(i)));
            lengths.set(i, lengths.get(i) == 1 ? 1 : Math.clamp(ROWS * LONGEST / others, ROWS, most));
        }
        try {
            return grid.inTiles(lengths);
        } catch (IllegalArgumentException _) {
            return grid;
        }
    }

    private static boolean isElementwise(Region region) {
        return region.items().stream().allMatch(item -> switch (item) {
            case Tile tile -> switch (tile.node()) {
                case TileNode.Load load -> load.axes().stream().allMatch(LongTiles::isSpan);
                case TileNode.Map _, TileNode.Full _, TileNode.Iota _ -> true;
                default -> false;
            };
            case Region.Store store -> store.axes().stream().allMatch(LongTiles::isSpan);
            default -> false;
        });
    }

    private static boolean isSpan(Axis axis) {
        return axis instanceof Span;
    }
}
