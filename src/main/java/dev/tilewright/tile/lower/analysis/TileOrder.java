package dev.tilewright.tile.lower.analysis;

import dev.tilewright.tile.Axis;
import dev.tilewright.tile.LineException;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which tiles may be computed in any order. All, but where rows are scattered into one place in the order that the
 * language states: there one block goes through the numbers of a dimension, in ascending order. A dimension whose tiles
 * scatter into places of their own stays free.
 */
public final class TileOrder {
    private final TileKernel kernel;
    private final List<Region.Store> stores = new ArrayList<>();
    private final List<Region.Store> inLoops = new ArrayList<>();
    private final List<TileNode.Load> loads = new ArrayList<>();
    private final List<Integer> serial;

    /** @throws IllegalArgumentException if a tile would read or write what another may have written already */
    public TileOrder(TileKernel kernel) {
        this.kernel = kernel;
        collect(kernel.grid().body());
        kernel.grid().body().tiles().map(Tile::node).filter(TileNode.Load.class::isInstance)
                .forEach(load -> loads.add((TileNode.Load) load));
        this.serial = IntStream.range(0, kernel.grid().steps().size()).filter(i -> !stores.stream()
                .filter(this::isOrdered).allMatch(s -> kernel.grid().along(s.axes(), i) >= 0)).boxed().toList();
        kernel.tensors().forEach(this::require);
    }

    private void collect(Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile _ -> { }
                case Region.Store store -> stores.add(store);
                case Region.When when -> collect(when.then());
                case TileNode.Loop loop -> {
                    collect(loop.body());
                    loop.body().stores().forEach(inLoops::add);
                }
            }
        }
    }

    /** The dimensions of the grid through whose numbers a block goes, in ascending order, the outermost first. */
    public List<Integer> serial() {
        return serial;
    }

    /** Whether tiles may be computed in any order, and what a tile loads as late as where it is stored. */
    public boolean isFree() {
        return serial.isEmpty() && (stores.size() < 2 || stores.stream().noneMatch(s -> isLoaded(s.tensor())));
    }

    /** Whether it is a scatter whose order shows: not of rows apart, nor of integers that are all updated alike. */
    public boolean isOrdered(Region.Store store) {
        return isScatter(store) && store.update() != Update.SET_APART
                && !(store.update() != Update.SET && store.tensor().type().isInteger()
                && store.tensor().type().bits() >= Integer.SIZE
                && into(store.tensor()).allMatch(other -> other.update() == store.update()));
    }

    public static boolean isScatter(Region.Store store) {
        return store.axes().getFirst() instanceof Axis.Rows;
    }

    private Stream<Region.Store> into(Tensor tensor) {
        return stores.stream().filter(s -> s.tensor() == tensor);
    }

    /** Whether a tile may store to one place again, behind this store or before it: the last remains. */
    public boolean isRepeated(Region.Store store) {
        return inLoops.contains(store) || into(store.tensor()).count() > 1;
    }

    /** Whether all that a tile loads from a tensor, and stores there, has the places of this store. */
    public boolean hasPlacesOf(Region.Store store) {
        return !inLoops.contains(store) && into(store.tensor()).allMatch(s -> s.axes().equals(store.axes()))
                && loads.stream().filter(l -> l.tensor() == store.tensor())
                .allMatch(l -> l.axes().equals(store.axes()));
    }

    /** Whether a tile is loaded from the tensor that a store goes to. */
    public boolean isLoaded(Tensor tensor) {
        return loads.stream().anyMatch(l -> l.tensor() == tensor);
    }

    private void require(Tensor tensor) {
        List<Region.Store> into = into(tensor).toList();
        if (into.stream().anyMatch(s -> isOrdered(s) || s.update() == Update.SET_APART)
                && !into.stream().allMatch(TileOrder::isScatter)) {
            Region.Store scatter = into.stream().filter(TileOrder::isScatter).findFirst().orElseThrow();
            throw new LineException("kernel '" + kernel.name() + "': tensor '" + tensor.name() + "' is scattered into "
                    + "(at " + scatter.line() + ") after all other stores, and a launch on a GPU has no such moment: "
                    + "make the other stores to another tensor, or run the kernel on the CPU", into.stream()
                    .filter(s -> !isScatter(s)).findFirst().orElseThrow().line());
        }
        if (!into.isEmpty() && isLoaded(tensor) && !(readsItsOwn(tensor, into)
                && !loadsLater(kernel.grid().body(), tensor, false))) {
            throw new LineException("kernel '" + kernel.name() + "': tensor '" + tensor.name() + "' is read where "
                    + "other tiles, or earlier stores, may have changed it (at " + into.getFirst().line() + "), and a "
                    + "tile reads what was there before the launch: load and store it at the tile's own place, the "
                    + "load first, or store into another tensor, or run it on the CPU", kernel.grid().body().tiles()
                    .filter(tile -> tile.node() instanceof TileNode.Load load && load.tensor() == tensor)
                    .map(Tile::line).reduce((_, last) -> last).orElseThrow());
        }
    }

    /** Whether each tile loads and stores at its own place alone. */
    private boolean readsItsOwn(Tensor tensor, List<Region.Store> into) {
        return IntStream.range(0, kernel.grid().steps().size()).allMatch(i -> {
            int along = kernel.grid().along(into.getFirst().axes(), i);
            return along >= 0 && into.stream().allMatch(s -> kernel.grid().along(s.axes(), i) == along)
                    && loads.stream().filter(l -> l.tensor() == tensor)
                    .allMatch(l -> kernel.grid().along(l.axes(), i) == along);
        });
    }

    /** Whether a tile is loaded from the tensor behind a store into it, or in a loop that has both. */
    private boolean loadsLater(Region region, Tensor tensor, boolean stored) {
        boolean now = stored;
        for (Region.Item item : region.items()) {
            boolean late = now;
            now |= stores(item, tensor);
            if (switch (item) {
                case Tile tile -> late && tile.node() instanceof TileNode.Load load && load.tensor() == tensor;
                case Region.Store _ -> false;
                case Region.When when -> loadsLater(when.then(), tensor, late);
                case TileNode.Loop loop -> loadsLater(loop.body(), tensor, now);
            }) {
                return true;
            }
        }
        return false;
    }

    private static boolean stores(Region.Item item, Tensor tensor) {
        return switch (item) {
            case Tile _ -> false;
            case Region.Store store -> store.tensor() == tensor;
            case Region.When when -> when.then().items().stream().anyMatch(i -> stores(i, tensor));
            case TileNode.Loop loop -> loop.body().items().stream().anyMatch(i -> stores(i, tensor));
        };
    }
}
