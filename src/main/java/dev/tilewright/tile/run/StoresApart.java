package dev.tilewright.tile.run;

import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.tile.AffineIndex;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Whether all tiles of a launch store into places of their own: where two store into one, their order, which is not
 * said, would decide its bytes. Integers that all stores of a tensor update alike, and rows that are scattered, which
 * have an order, are left out.
 */
public final class StoresApart {
    /** A store, and the loops around it. */
    private record Within(Region.Store store, List<TileNode.Loop> loops) { }

    /** Part of a place: one of {@code 0, factor, … factor * most}. @param isTile whether it goes by a tile's number */
    private record Digit(long factor, long most, boolean isTile) { }

    private final TileKernel kernel;
    private final List<Tensor> written = new ArrayList<>();
    private final Map<Tensor, List<Within>> unclear = new HashMap<>();
    /** Of the launch that was looked at last and found right. */
    private volatile Map<String, Long> right = Map.of();

    /** The rule for the stores of a kernel. */
    public StoresApart(TileKernel kernel) {
        this.kernel = kernel;
        List<Within> stores = stores(kernel.grid().body(), List.of()).toList();
        for (Tensor tensor : kernel.tensors()) {
            List<Within> into = stores.stream().filter(s -> s.store.tensor().name().equals(tensor.name())).toList();
            if (!into.isEmpty() && !areInAnyOrder(tensor, into)) {
                written.add(tensor);
                List<Within> placed = into.stream().filter(s -> !(s.store.axes().getFirst() instanceof Axis.Rows))
                        .toList();
                if (!placed.isEmpty() && !areOwn(kernel.grid(), placed)) {
                    unclear.put(tensor, placed);
                }
            }
        }
    }

    private static Stream<Within> stores(Region region, List<TileNode.Loop> loops) {
        return region.items().stream().flatMap(item -> switch (item) {
            case Region.Store store -> Stream.of(new Within(store, loops));
            case Region.When when -> stores(when.then(), loops);
            case TileNode.Loop loop -> stores(loop.body(), Stream.concat(loops.stream(), Stream.of(loop)).toList());
            case Tile _ -> Stream.empty();
        });
    }

    /** Whether all are one update of integers, which a GPU does at once. */
    private static boolean areInAnyOrder(Tensor tensor, List<Within> stores) {
        return !stores.getFirst().store.update().isSet() && tensor.type().isInteger()
                && tensor.type().bits() >= Integer.SIZE
                && stores.stream().map(s -> s.store.update()).distinct().count() == 1;
    }

    /** Whether each is at its tile's own places along every dimension of the grid. */
    private static boolean areOwn(Grid grid, List<Within> stores) {
        return IntStream.range(0, grid.steps().size()).allMatch(i -> {
            int axis = grid.along(stores.getFirst().store.axes(), i);
            return axis >= 0 && stores.stream().allMatch(s -> grid.along(s.store.axes(), i) == axis);
        });
    }

    /**
     * Holds a launch to the rule.
     *
     * @param extents by name
     * @throws IllegalArgumentException if two elements of what is written share a place, or two tiles store into one
     */
    public void require(Map<String, Long> extents, Map<String, ArrayShape> shapes) {
        written.forEach(tensor -> requirePlaces(tensor, shapes.get(tensor.name())));
        if (unclear.isEmpty() || extents.equals(right)) {
            return;
        }
        long[] tiles = kernel.grid().steps().stream().mapToLong(s -> Math.ceilDiv(s.dim().in(extents).orElseThrow(),
                (long) s.length())).toArray();
        unclear.forEach((tensor, stores) -> {
            if (!arePlainlyApart(tensor, stores, extents, tiles)) {
                new StoredPlaces(kernel, tensor, extents, tiles).requireApart();
            }
        });
        right = Map.copyOf(extents);
    }

    /** By their size, each stride passes over all that the smaller ones reach. */
    private void requirePlaces(Tensor tensor, ArrayShape shape) {
        List<Integer> dimensions = IntStream.range(0, shape.extents().size()).filter(i -> shape.extents().get(i) > 1)
                .boxed().sorted(Comparator.comparing(shape.strides()::get)).toList();
        long reach = 1;
        for (int i : dimensions) {
            long stride = shape.strides().get(i);
            if (stride < reach && shape.reach() > 0) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "' writes tensor '" + tensor.name()
                        + "' of " + shape + ", whose elements share places in memory, so that the order in which they "
                        + "are stored, which is not said, would decide bytes: the stride of dimension " + i
                        + " must be at least " + reach + ", got " + stride);
            }
            reach = Math.addExact(reach, Math.multiplyExact(stride, shape.extents().get(i) - 1));
        }
    }

    /** Whether, for each dimension of the grid with several tiles, there is an axis along which they are apart. */
    private boolean arePlainlyApart(Tensor tensor, List<Within> stores, Map<String, Long> extents, long[] tiles) {
        Set<Integer> apart = new HashSet<>();
        for (int axis = 0; axis < tensor.dims().size(); axis++) {
            apart.addAll(apartAlong(axis, stores, extents, tiles));
        }
        return IntStream.range(0, tiles.length).allMatch(i -> tiles[i] < 2 || apart.contains(i));
    }

    /**
     * The dimensions of the grid whose tiles' numbers an axis of all stores shows: as of digits, each passes over all
     * that smaller ones reach, from the least that is a tile's number on.
     */
    private Set<Integer> apartAlong(int axis, List<Within> stores, Map<String, Long> extents, long[] tiles) {
        Map<Integer, Long> ofTiles = null;
        Map<Long, Long> inTile = new TreeMap<>();
        long least = Long.MAX_VALUE;
        long greatest = Long.MIN_VALUE;
        for (Within each : stores) {
            Span span = (Span) each.store.axes().get(axis);
            Optional<AffineIndex> start = AffineIndex.of(span.start(), extents);
            if (start.isEmpty()) {
                return Set.of();
            }
            Map<Integer, Long> factors = new HashMap<>(start.get().factors());
            Map<Long, Long> own = new TreeMap<>(Map.of((long) span.step(), span.length().in(extents).orElseThrow()
                    - 1));
            long first = start.get().constant();
            for (TileNode.Loop loop : each.loops) {
                Long factor = factors.remove(loop.turn().number());
                if (factor != null) {
                    Optional<AffineIndex> turns = AffineIndex.of(loop.turns(), extents).filter(
                            AffineIndex::isConstant);
                    if (turns.isEmpty()) {
                        return Set.of();
                    }
                    long most = Math.max(0, turns.get().constant() - 1);
                    own.merge(Math.abs(factor), most, Math::addExact);
                    first += Math.min(0, factor) * most;
                }
            }
            Map<Integer, Long> numbers = new HashMap<>();
            for (int i = 0; i < tiles.length; i++) {
                Long factor = factors.remove(kernel.grid().numbers().get(i).number());
                if (factor != null && tiles[i] > 1) {
                    numbers.put(i, factor);
                }
            }
            if (!factors.isEmpty() || ofTiles != null && !ofTiles.equals(numbers)) {
                return Set.of();
            }
            ofTiles = numbers;
            own.forEach((factor, most) -> inTile.merge(factor, most, Math::max));
            least = Math.min(least, first);
            greatest = Math.max(greatest, first);
        }
        List<Digit> digits = new ArrayList<>();
        inTile.forEach((factor, most) -> digits.add(new Digit(factor, most, false)));
        ofTiles.forEach((i, factor) -> digits.add(new Digit(Math.abs(factor), tiles[i] - 1, true)));
        return areApart(digits, greatest - least) ? ofTiles.keySet() : Set.of();
    }

    /** @param between how far from each other numbers begin that are made of these digits */
    private static boolean areApart(List<Digit> digits, long between) {
        digits.sort(Comparator.comparingLong(Digit::factor).thenComparing(Digit::isTile));
        long reach = between;
        boolean tiles = false;
        for (Digit digit : digits) {
            tiles |= digit.isTile;
            if (tiles && digit.most > 0 && digit.factor <= reach) {
                return false;
            }
            reach = Math.addExact(reach, Math.multiplyExact(digit.factor, digit.most));
        }
        return true;
    }
}
