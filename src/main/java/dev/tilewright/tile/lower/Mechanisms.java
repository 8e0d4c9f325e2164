package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import java.util.List;
import java.util.Optional;

/** What a target does better than threads that move and compute elements by themselves; here nothing. */
interface Mechanisms {

    /** Steps in front of those of an item of the grid's region. */
    default void before(Body body, Region.Item item) {
    }

    /** How a tile of these extents is best held; nothing where any way will do. */
    default Optional<Layout> layout(List<Integer> extents) {
        return Optional.empty();
    }

    /** What of a region's tiles is computed where it is stored; nothing where tiles are held. */
    default Optional<Fusion> fusion(Region region) {
        return Optional.empty();
    }

    /** What is brought while the tile before is computed; nothing where all loads are waited for. */
    default Optional<RowAhead> ahead() {
        return Optional.empty();
    }

    /** Runs a loop. @return what it leaves; nothing of a loop like any other */
    default Optional<List<Held>> loop(Body body, TileNode.Loop loop, List<Held> initial) {
        return Optional.empty();
    }

    /** Stores a tile. @return whether it did */
    default boolean store(Body body, Region.Store store, Elementwise tile) {
        return false;
    }
}
