package dev.tilewright.tile.lower.analysis;

import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tiles that are loaded along one axis and stored along another. A thread that holds a square of such a tile moves
 * several elements at a time on both ways.
 */
public final class Turned {
    private final Map<Tile, Integer> axes = new LinkedHashMap<>();

    private Turned() {
    }

    /** @return by tiles that are loaded the axis that becomes the rows of what is stored */
    public static Map<Tile, Integer> of(Region region) {
        Turned turned = new Turned();
        turned.stores(region);
        return turned.axes;
    }

    private void stores(Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile _ -> { }
                case Region.Store store -> {
                    if (!store.axes().getLast().single()) {
                        follow(store.tile(), store.tile().shape().size() - 1);
                    }
                }
                case Region.When when -> stores(when.then());
                case TileNode.Loop loop -> stores(loop.body());
            }
        }
    }

    private void follow(Tile tile, int axis) {
        int rank = tile.shape().size();
        switch (tile.node()) {
            case TileNode.Load load when axis != rank - 1 && !load.axes().getLast().single() -> axes.put(tile, axis);
            case TileNode.Map(List<Tile> inputs, var _, var _) -> inputs.stream()
                    .filter(input -> input.shape().equals(tile.shape())).forEach(input -> follow(input, axis));
            case TileNode.Transpose(Tile of, List<Integer> order) -> follow(of, order.get(axis));
            default -> { }
        }
    }
}
