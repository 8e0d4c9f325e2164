package dev.tilewright.tile.launch;

import dev.tilewright.Counted;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The tiles that write some places of a tensor's first dimension.
 *
 * @param tensor that they write
 * @param rows numbers along its first dimension, none negative
 * @param grid in whose tiles that are: smaller ones along the dimension where elements do not depend on it
 * @param dimension of the grid along which the tensor is written; -1 where each tile may write any place
 * @param tiles their numbers along it
 */
record WrittenRows(Tensor tensor, List<Long> rows, Grid grid, int dimension, Set<Long> tiles) {
    /** So few places that little is computed besides. */
    private static final int FEW = 2;

    static WrittenRows of(Grid grid, Tensor tensor, long... places) {
        List<Long> rows = Arrays.stream(places).boxed().toList();
        rows.stream().filter(row -> row < 0).findFirst().ifPresent(row -> {
            throw new IllegalArgumentException("row " + row + " is not there: the rows of '" + tensor.name()
                    + "' are numbered from 0 on");
        });
        List<Region.Store> stores = grid.body().stores().filter(s -> s.tensor().name().equals(tensor.name())).toList();
        int dimension = IntStream.range(0, grid.steps().size()).filter(i -> grid.steps().get(i).dim()
                .equals(tensor.dims().getFirst()) && stores.stream().allMatch(s ->
                        s.axes().getFirst() instanceof Span span && grid.isOwn(span, i)))
                .findFirst().orElse(-1);
        if (dimension < 0) {
            return new WrittenRows(tensor, rows, grid, -1, Set.of());
        }
        Grid in = smaller(grid, dimension);
        long length = in.steps().get(dimension).length();
        return new WrittenRows(tensor, rows, in, dimension, rows.stream().map(row -> row / length)
                .collect(Collectors.toSet()));
    }

    /** @throws IllegalArgumentException if a row is beyond the tensor. @param count how many rows it has */
    void requireWithin(long count) {
        rows.stream().filter(row -> row >= count).findFirst().ifPresent(row -> {
            throw new IllegalArgumentException("row " + row + " is not there: '" + tensor.name() + "' has "
                    + Counted.of(count, "row") + (count == 0 ? "" : ", from 0 on"));
        });
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

    /** Whether a tile is one of them. @param numbers along each dimension of the grid */
    boolean has(long[] numbers) {
        return dimension < 0 || tiles.contains(numbers[dimension]);
    }
}
