package dev.tilewright.tile.lower.analysis;

import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Which functions of elements are computed where their elements are used, so that no registers hold them in between:
 * functions that are used once, and conversions, which are cheaper than a register, also less what all elements share.
 * Also which tiles are not used after a function of theirs, so that the function may take their registers.
 */
public final class Uses {
    /** One use. @param at which of the region's items @param by the tile that is made there, if it is one */
    private record Use(Region region, int at, Region.Item by) { }

    private final Map<Tile, List<Use>> uses = new HashMap<>();
    private final Map<Tile, Region> regions = new HashMap<>();
    /** What sums of loops begin with. */
    private final Set<Tile> begun = new HashSet<>();

    public Uses(TileKernel kernel) {
        collect(kernel.grid().body());
    }

    private void collect(Region region) {
        for (int at = 0; at < region.items().size(); at++) {
            Region.Item item = region.items().get(at);
            switch (item) {
                case Tile tile -> {
                    regions.put(tile, region);
                    use(tile.node().inputs(), region, at, item);
                }
                case Region.Store store -> {
                    use(List.of(store.tile()), region, at, item);
                    store.axes().stream().filter(Axis.Rows.class::isInstance)
                            .forEach(rows -> use(List.of(((Axis.Rows) rows).numbers()), null, 0, null));
                }
                case Region.When when -> collect(when.then());
                case TileNode.Loop loop -> {
                    use(loop.initial(), null, 0, null);
                    begun.addAll(IntStream.range(0, loop.initial().size()).filter(i -> loop.next().get(i).node()
                            instanceof TileNode.Product(Tile c, Tile _, Tile _) && c == loop.carried().get(i))
                            .mapToObj(loop.initial()::get).toList());
                    use(loop.next(), null, 0, null);
                    collect(loop.body());
                }
            }
        }
    }

    /** @param region nothing where the use is of a kind that needs the tile in registers as it is */
    private void use(List<Tile> tiles, Region region, int at, Region.Item by) {
        Set.copyOf(tiles).forEach(tile -> uses.computeIfAbsent(tile, _ -> new ArrayList<>())
                .add(new Use(region, at, by)));
    }

    /** Whether a tile is the same everywhere, and used for nothing but what a loop's sums begin with. */
    public boolean begins(Tile tile) {
        return tile.node() instanceof TileNode.Full && begun.contains(tile) && uses.get(tile).size() == 1;
    }

    /** Whether a tile is computed where it is used. */
    public boolean isLater(Tile tile) {
        return tile.node() instanceof TileNode.Map map && areSimple(tile)
                && (uses.get(tile).size() == 1 || isConversion(map) || isShift(map));
    }

    /** Whether a function divides a tile's elements by those of another. */
    public boolean isDivided(Tile tile) {
        return uses.getOrDefault(tile, List.of()).stream().anyMatch(use -> use.by instanceof Tile user
                && user.node() instanceof TileNode.Map map && IntStream.range(0, map.inputs().size()).anyMatch(i ->
                map.inputs().get(i).equals(tile) && ValueSearch.any(map.value(), part -> part instanceof Value.Binary(
                        BinaryOp op, Value left, Value _, var _, var _) && op == BinaryOp.DIV
                        && left.equals(map.parameters().get(i).get()))));
    }

    /** Whether all uses are element by element, beside where it comes about. */
    private boolean areSimple(Tile tile) {
        return uses.containsKey(tile) && uses.get(tile).stream().allMatch(use -> use.region == regions.get(tile)
                && switch (use.by) {
                    case Region.Store _ -> true;
                    case Tile user -> switch (user.node()) {
                        case TileNode.Map _ -> user.shape().equals(tile.shape());
                        case TileNode.Reduce _, TileNode.Extreme _ -> true;
                        default -> false;
                    };
                    default -> false;
                });
    }

    /** Whether conversions are moved by what all elements share: two operations, where others take a register each. */
    private boolean isShift(TileNode.Map map) {
        return map.value() instanceof Value.Binary(BinaryOp op, Value.Element _, Value.Element _, var _, var _)
                && (op == BinaryOp.ADD || op == BinaryOp.SUB) && map.inputs().stream().allMatch(input ->
                input.shape().isEmpty() || input.node() instanceof TileNode.Map inner && areSimple(input)
                        && isConversion(inner));
    }

    private boolean isConversion(TileNode.Map map) {
        return map.value() instanceof Value.Convert(Value of, var _, var _) && of instanceof Value.Element
                && !isLater(map.inputs().getFirst());
    }

    /** Whether a function of a tile's elements, which come about by themselves, is the last that uses them. */
    public boolean isLast(Tile tile, Tile function) {
        boolean own = tile.node() instanceof TileNode.Load || tile.node() instanceof TileNode.Map;
        return own && areSimple(tile) && regions.get(tile) == regions.get(function)
                && last(tile) <= regions.get(function).items().indexOf(function);
    }

    private int last(Tile tile) {
        return uses.get(tile).stream().mapToInt(use -> use.by instanceof Tile user && isLater(user) ? last(user)
                : use.at).max().orElseThrow();
    }
}
