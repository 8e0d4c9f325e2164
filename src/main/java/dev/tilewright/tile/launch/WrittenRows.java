package dev.tilewright.tile.launch;

import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileNode;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The tiles that write some places of a tensor's first dimension.
 *
 * @param grid in whose tiles that are: smaller ones along the dimension where elements do not depend on it
 * @param dimension of the grid along which the tensor is written; -1 where each tile may write any place
 * @param tiles their numbers along it
 */
record WrittenRows(Grid grid, int dimension, Set<Long> tiles) {
    /** So few places that little is computed besides. */
    private static final int FEW = 2;

    static WrittenRows of(Grid grid, Tensor tensor, long... rows) {
        List<Region.Store> stores = stores(grid.body()).filter(s -> s.tensor().name().equals(tensor.name())).toList();
        int dimension = IntStream.range(0, grid.steps().size()).filter(i -> grid.steps().get(i).dim()
                .equals(tensor.dims().getFirst()) && stores.stream().allMatch(s ->
                        s.axes().getFirst() instanceof Span span && grid.isOwn(span, i)))
                .findFirst().orElse(-1);
        if (dimension < 0) {
            return new WrittenRows(grid, -1, Set.of());
        }
        Grid in = smaller(grid, dimension);
        long length = in.steps().get(dimension).length();
        return new WrittenRows(in, dimension, Arrays.stream(rows).map(row -> row / length).boxed()
                .collect(Collectors.toSet()));
    }

    private static Grid smaller(Grid grid, int dimension) {
        if (grid.steps().get(dimension).length() <= FEW) {
            return grid;
        }
        try {
            return grid.inTiles(IntStream.range(0, grid.steps().size()).mapToObj(i -> i == dimension ? FEW
                    : grid.steps().get(i).length()).toList());
        } catch (IllegalArgumentException e) {
            // An element depends on the tile that it is in: whole tiles are computed.
            return grid;
        }
    }

    private static Stream<Region.Store> stores(Region region) {
        return region.items().stream().flatMap(item -> switch (item) {
            case Region.Store store -> Stream.of(store);
            case Region.When when -> stores(when.then());
            case TileNode.Loop loop -> stores(loop.body());
            default -> Stream.empty();
        });
    }

    /** Whether a tile is one of them. @param numbers along each dimension of the grid */
    boolean has(long[] numbers) {
        return dimension < 0 || tiles.contains(numbers[dimension]);
    }
}
