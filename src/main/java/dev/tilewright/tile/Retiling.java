package dev.tilewright.tile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Writes a kernel's grid again, with tiles of other lengths. */
final class Retiling {
    private final TileAxes axes;
    private final Map<Integer, Integer> lengths;
    private final Map<Tile, Tile> tiles = new HashMap<>();
    private final Map<TileNode.Loop, TileNode.Loop> loops = new IdentityHashMap<>();

    private Retiling(TileAxes axes, Map<Integer, Integer> lengths) {
        this.axes = axes;
        this.lengths = lengths;
    }

    /**
     * @param all lengths along each of the grid's dimensions
     * @throws IllegalArgumentException if an element depends on which tile it is in; the message is a reason
     */
    static Grid of(Grid grid, List<Integer> all) {
        Map<Integer, Integer> lengths = new TreeMap<>();
        List<Steps> steps = new ArrayList<>(grid.steps());
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i) != steps.get(i).length()) {
                if (all.get(i) == 1 || steps.get(i).length() == 1) {
                    throw new IllegalArgumentException("along '" + steps.get(i).dim() + "' tiles have length "
                            + steps.get(i).length() + ", and one element of a dimension is no tile");
                }
                lengths.put(i, all.get(i));
                steps.set(i, new Steps(steps.get(i).dim(), all.get(i)));
            }
        }
        return lengths.isEmpty() ? grid : new Grid(steps, grid.numbers(), new Retiling(new TileAxes(grid,
                lengths.keySet()), lengths).region(grid.body(), null), grid.line());
    }

    private Region region(Region from, Region around) {
        Region region = new Region(around);
        fill(region, from);
        return region;
    }

    private void fill(Region region, Region from) {
        for (Region.Item item : from.items()) {
            region.add(switch (item) {
                case Tile tile -> made(tile, node(tile), region);
                case Region.Store store -> new Region.Store(store.tensor(), store.axes().stream().map(this::axis)
                        .toList(), tiles.get(store.tile()), store.update(), store.line());
                case Region.When when -> new Region.When(when.condition(), region(when.then(), region));
                case TileNode.Loop loop -> loop(loop, region);
            });
        }
    }

    private TileNode.Loop loop(TileNode.Loop loop, Region around) {
        Region body = new Region(around);
        List<Tile> carried = loop.carried().stream().map(tile -> made(tile, tile.node(), body)).toList();
        fill(body, loop.body());
        TileNode.Loop made = new TileNode.Loop(loop.turn(), loop.turns(), all(loop.initial()), carried, body,
                all(loop.next()), loop.parts());
        loops.put(loop, made);
        return made;
    }

    private Tile made(Tile from, TileNode node, Region region) {
        List<Dim> shape = new ArrayList<>();
        for (int i = 0; i < from.shape().size(); i++) {
            Dim was = from.shape().get(i);
            shape.add(axes.of(from, i).map(dimension -> Dim.of(lengths.get(dimension))).orElse(was));
        }
        Tile tile = new Tile(from.trace(), from.number(), from.type(), List.copyOf(shape), node, region, from.line());
        tiles.put(from, tile);
        return tile;
    }

    private TileNode node(Tile tile) {
        return switch (tile.node()) {
            case TileNode.Iota(Span span) -> new TileNode.Iota(axes.with(span, lengths));
            case TileNode.Load load -> new TileNode.Load(load.tensor(), load.axes().stream().map(this::axis).toList(),
                    load.outside());
            case TileNode.Result(TileNode.Loop loop, int number) -> new TileNode.Result(loops.get(loop), number);
            case TileNode node -> node.map(tiles::get);
        };
    }

    private List<Tile> all(List<Tile> from) {
        return from.stream().map(tiles::get).toList();
    }

    private Axis axis(Axis axis) {
        return switch (axis) {
            case Span span -> axes.with(span, lengths);
            case Axis.Rows(Tile numbers) -> new Axis.Rows(tiles.get(numbers));
            case Axis.Patches(var convolution, Span pixels, var filter) -> new Axis.Patches(convolution,
                    axes.with(pixels, lengths), filter);
        };
    }
}
