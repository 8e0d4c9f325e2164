package dev.tilewright.tile.lower.analysis;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A loop each of whose turns multiplies from zero on, and hands on a function of that product's elements, of what is
 * carried, and of what else the turn loads for a row, or for the tile: sums of a few products each, which are scaled
 * and added in another precision than tensor cores have.
 *
 * @param product the tile that begins with zeros
 * @param next what a turn hands on
 * @param loads what a turn loads for them, each as it is to be loaded: a gather whose rows are all the same one is a
 *     load of that
 * @param tiles of the loop's body that they are made of, {@code product} and its factors not among them
 * @param idle tiles of which no element is needed: the product's zeros, and numbers of rows
 */
public record Promotion(Tile product, Tile next, Map<Tile, TileNode.Load> loads, Set<Tile> tiles, Set<Tile> idle) {
    public Promotion {
        NotNull.all("product, next, loads, tiles, idle", product, next, loads, tiles, idle);
        loads = Map.copyOf(loads);
        tiles = Set.copyOf(tiles);
        idle = Set.copyOf(idle);
    }

    /** Of a loop that carries one tile; nothing where it does anything else. */
    public static Optional<Promotion> of(TileNode.Loop loop) {
        NotNull.all("loop", loop);
        List<Region.Item> items = loop.body().items();
        List<Tile> products = items.stream().filter(Tile.class::isInstance).map(Tile.class::cast)
                .filter(tile -> tile.node() instanceof TileNode.Product).toList();
        if (products.size() != 1 || loop.next().size() != 1
                || !(products.getFirst().node() instanceof TileNode.Product product)
                || !(product.c().node() instanceof TileNode.Full(Value.Const zero)) || zero.word() != 0) {
            return Optional.empty();
        }
        Walk walk = new Walk(loop, products.getFirst());
        walk.idle.add(product.c());
        return walk.isWhole(loop.next().getFirst()) ? Optional.of(new Promotion(products.getFirst(),
                loop.next().getFirst(), walk.loads, walk.tiles, walk.idle)) : Optional.empty();
    }

    /** From what is handed on to what it is made of. */
    private record Walk(TileNode.Loop loop, Tile product, Map<Tile, TileNode.Load> loads, Set<Tile> tiles,
            Set<Tile> idle) {
        Walk(TileNode.Loop loop, Tile product) {
            this(loop, product, new LinkedHashMap<>(), new LinkedHashSet<>(), new LinkedHashSet<>());
        }

        boolean isWhole(Tile tile) {
            if (tile == product || tile == loop.carried().getFirst() || tiles.contains(tile)) {
                return true;
            }
            tiles.add(tile);
            return loop.body().items().contains(tile) && switch (tile.node()) {
                case TileNode.Map map -> map.inputs().stream().allMatch(this::isWhole);
                case TileNode.Load load -> isOfRows(tile, load);
                default -> false;
            };
        }

        private boolean isOfRows(Tile tile, TileNode.Load load) {
            if (load.axes().stream().noneMatch(Axis.Rows.class::isInstance)) {
                loads.put(tile, load);
                return tile.shape().size() <= 2 && (tile.shape().isEmpty() || isOne(tile.shape().getLast()));
            }
            Optional<OneRow> same = OneRow.of(load);
            same.ifPresent(row -> {
                loads.put(tile, row.load());
                idle.addAll(row.numbers());
                row.numbers().stream().filter(loop.body().items()::contains).forEach(tiles::add);
            });
            return same.isPresent();
        }

        private static boolean isOne(Dim dim) {
            return dim.size().orElse(0) == 1;
        }
    }
}
