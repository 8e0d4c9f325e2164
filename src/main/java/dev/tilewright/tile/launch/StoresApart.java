package dev.tilewright.tile.launch;

import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Stores whose place does not depend on the tile's number along a dimension of the grid: if there are several tiles
 * along it, they all store there, and their order, which is not said, would decide the bytes. Stores within conditions,
 * which a single tile may meet, are left out.
 */
final class StoresApart {
    private record Same(Tensor tensor, Steps steps) { }

    private final TileKernel kernel;
    private final List<Same> same = new ArrayList<>();

    StoresApart(TileKernel kernel) {
        this.kernel = kernel;
        Grid grid = kernel.grid();
        stores(grid.body()).filter(store -> store.update().isSet()).forEach(store -> {
            for (int i = 0; i < grid.steps().size(); i++) {
                if (isSame(store, grid, i)) {
                    same.add(new Same(store.tensor(), grid.steps().get(i)));
                }
            }
        });
    }

    private static Stream<Region.Store> stores(Region region) {
        return region.items().stream().flatMap(item -> switch (item) {
            case Region.Store store -> Stream.of(store);
            case TileNode.Loop loop -> stores(loop.body());
            default -> Stream.empty();
        });
    }

    private static boolean isSame(Region.Store store, Grid grid, int dimension) {
        for (Axis axis : store.axes()) {
            if (!(axis instanceof Span span) || ExprSearch.any(span.start(), grid.numbers().get(dimension)::equals)) {
                return false;
            }
        }
        return true;
    }

    /** @throws IllegalArgumentException if with these extents several tiles store at one place */
    void require(Map<String, Long> extents) {
        for (Same each : same) {
            Steps steps = each.steps();
            if (steps.dim().in(extents).orElse(0) > steps.length()) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "': all tiles along '" + steps.dim()
                        + "' store into the same places of '" + each.tensor().name() + "', and their order, which is "
                        + "not said, would decide its bytes: store at the tile's own place, update with integers, or "
                        + "scatter");
            }
        }
    }
}
