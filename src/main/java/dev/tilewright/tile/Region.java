package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** A sequence of items: tiles that are computed, stores, and loops. */
public final class Region {
    /** One thing that happens. */
    public sealed interface Item permits Tile, TileNode.Loop, Store, When { }

    /**
     * A tile goes into a tensor; what lies outside is dropped.
     *
     * @param line of the application's source
     */
    public record Store(Tensor tensor, List<Axis> axes, Tile tile, Update update, String line) implements Item {
        public Store {
            NotNull.all("tensor, axes, tile, update, line", tensor, axes, tile, update, line);
            axes = List.copyOf(axes);
        }
    }

    /** A region that runs only if a condition on tile and turn numbers holds. */
    public record When(Expr condition, Region then) implements Item {
        public When {
            NotNull.all("condition, then", condition, then);
        }
    }

    private final List<Item> items = new ArrayList<>();
    private final Region around;
    private boolean conditional;

    Region(Region around) {
        this.around = around;
    }

    /** Says that it runs only if a condition holds. */
    void conditional() {
        conditional = true;
    }

    /** In order. */
    public List<Item> items() {
        return Collections.unmodifiableList(items);
    }

    /** Every tile within, in order, those of loops and conditions among them. */
    public Stream<Tile> tiles() {
        return items.stream().flatMap(item -> switch (item) {
            case Tile tile -> Stream.of(tile);
            case Store _ -> Stream.empty();
            case When when -> when.then.tiles();
            case TileNode.Loop loop -> loop.body().tiles();
        });
    }

    /** Every store within, in order, those of loops and conditions among them. */
    public Stream<Store> stores() {
        return items.stream().flatMap(item -> switch (item) {
            case Tile _ -> Stream.empty();
            case Store store -> Stream.of(store);
            case When when -> when.then.stores();
            case TileNode.Loop loop -> loop.body().stores();
        });
    }

    void add(Item item) {
        items.add(Objects.requireNonNull(item));
    }

    void keep(List<Item> kept) {
        items.clear();
        items.addAll(kept);
    }

    /** Whether a tile is loaded from the tensor. */
    boolean loads(Tensor tensor) {
        return tiles().anyMatch(tile -> tile.node() instanceof TileNode.Load load
                && load.tensor().name().equals(tensor.name()));
    }

    /** {@code 5 items}. */
    @Override
    public String toString() {
        return items.size() + (items.size() == 1 ? " item" : " items");
    }

    /** Whether what comes about there can be seen here. */
    boolean sees(Region other) {
        for (Region r = this; r != null; r = r.around) {
            if (r == other) {
                return true;
            }
        }
        return false;
    }

    /** Whether this, which cannot be seen from there, is left by leaving a condition, and not a loop. */
    boolean endsWithCondition(Region seer) {
        Region outermost = this;
        while (outermost.around != null && !seer.sees(outermost.around)) {
            outermost = outermost.around;
        }
        return outermost.conditional;
    }
}
