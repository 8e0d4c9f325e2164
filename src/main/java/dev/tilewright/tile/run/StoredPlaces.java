package dev.tilewright.tile.run;

import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.LineException;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The elements of a tensor that each tile of a launch stores, but for rows that are scattered: marked one by one. */
final class StoredPlaces {
    /** Elements that are looked at at once. */
    private static final long WINDOW = 1L << 30;

    /** Elements that follow each other, in row-major order. */
    private record Run(long first, int count) { }

    private final TileKernel kernel;
    private final Tensor tensor;
    private final long[] tiles;
    private final Numbers numbers;
    private final TensorMemory elements;

    /** @param tiles along each dimension of the grid */
    StoredPlaces(TileKernel kernel, Tensor tensor, Map<String, Long> extents, long[] tiles) {
        this.kernel = kernel;
        this.tensor = tensor;
        this.tiles = tiles;
        this.numbers = new Numbers(extents, Map.of(), new long[kernel.variables()]);
        ArrayShape dense = ArrayShape.dense(kernel.shape(tensor, extents));
        this.elements = new TensorMemory(tensor, MemorySegment.NULL, dense.extents(), dense.strides());
    }

    /** @throws IllegalArgumentException if two tiles store one element */
    void requireApart() {
        long all = elements.extents().stream().reduce(1L, Math::multiplyExact);
        long count = Arrays.stream(tiles).reduce(1, Math::multiplyExact);
        for (long begin = 0; begin < all; begin += WINDOW) {
            BitSet stored = new BitSet();
            for (long tile = 0; tile < count; tile++) {
                List<Run> runs = runs(tile, begin);
                for (Run run : runs) {
                    int found = stored.nextSetBit((int) run.first);
                    if (found >= 0 && found < run.first + run.count) {
                        throw refusal(begin, found, tile);
                    }
                }
                runs.forEach(run -> stored.set((int) run.first, (int) run.first + run.count));
            }
        }
    }

    /** What a tile stores, counted from the beginning of the window on. */
    private List<Run> runs(long tile, long begin) {
        long rest = tile;
        Grid grid = kernel.grid();
        for (int i = tiles.length - 1; i >= 0; i--) {
            numbers.variables()[grid.numbers().get(i).number()] = rest % tiles[i];
            rest /= tiles[i];
        }
        List<Run> runs = new ArrayList<>();
        collect(grid.body(), begin, runs);
        return runs;
    }

    private void collect(Region region, long begin, List<Run> runs) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile _ -> { }
                case Region.When when -> {
                    if (numbers.of(when.condition()) != 0) {
                        collect(when.then(), begin, runs);
                    }
                }
                case TileNode.Loop loop -> {
                    long turns = stores(loop.body()) ? numbers.of(loop.turns()) : 0;
                    for (long turn = 0; turn < turns; turn++) {
                        numbers.variables()[loop.turn().number()] = turn;
                        collect(loop.body(), begin, runs);
                    }
                }
                case Region.Store store -> {
                    if (isPlaced(store)) {
                        Places.of(elements, store.axes(), numbers, null).forEachRun((place, _, n) -> {
                            long first = Math.max(place, begin);
                            long behind = Math.min(place + n, begin + WINDOW);
                            if (place >= 0 && first < behind) {
                                runs.add(new Run(first - begin, (int) (behind - first)));
                            }
                        });
                    }
                }
            }
        }
    }

    private boolean stores(Region region) {
        return region.items().stream().anyMatch(item -> switch (item) {
            case Tile _ -> false;
            case Region.When when -> stores(when.then());
            case TileNode.Loop loop -> stores(loop.body());
            case Region.Store store -> isPlaced(store);
        });
    }

    private boolean isPlaced(Region.Store store) {
        return store.tensor().name().equals(tensor.name()) && !(store.axes().getFirst() instanceof Axis.Rows);
    }

    private IllegalArgumentException refusal(long begin, int found, long tile) {
        long first = 0;
        while (runs(first, begin).stream().noneMatch(run -> run.first <= found && found < run.first + run.count)) {
            first++;
        }
        List<Long> place = new ArrayList<>();
        long rest = begin + found;
        for (long extent : elements.extents().reversed()) {
            place.addFirst(rest % extent);
            rest /= extent;
        }
        List<Region.Store> stores = kernel.grid().body().stores().filter(this::isPlaced).toList();
        boolean mixed = stores.stream().anyMatch(store -> !store.update().isSet());
        return new LineException("kernel '" + kernel.name() + "': tiles " + shown(first) + " and " + shown(tile)
                + " both store into '" + tensor.name() + "' at " + place + ", and their order, which is not said, would"
                + " decide its bytes: store at the tile's own place, " + (mixed ? "update by one operation alone, where"
                + " there are " + stores.stream().map(store -> store.update().toString()).distinct()
                .collect(Collectors.joining(" and ")) : "update with integers") + ", or scatter",
                stores.stream().map(Region.Store::line).distinct().collect(Collectors.joining(" and ")));
    }

    /** {@code m 0, n 3}. */
    private String shown(long tile) {
        long[] number = new long[tiles.length];
        long rest = tile;
        for (int i = tiles.length - 1; i >= 0; i--) {
            number[i] = rest % tiles[i];
            rest /= tiles[i];
        }
        return IntStream.range(0, tiles.length).mapToObj(i -> kernel.grid().steps().get(i).dim() + " " + number[i])
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
