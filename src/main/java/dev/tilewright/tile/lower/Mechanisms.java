package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

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

    /**
     * Runs a loop.
     *
     * @param initial puts what it begins with into registers
     * @return what it leaves; nothing of a loop like any other
     */
    default Optional<List<Held>> loop(Body body, TileNode.Loop loop, Supplier<List<Held>> initial) {
        return Optional.empty();
    }

    /**
     * Runs some turns of a loop.
     *
     * @param indexes to which turns' numbers are added
     * @param carried what the loop carries: it has what the first turn begins with, and is given what the last leaves
     * @param first turn @param end behind the last
     * @return whether it did
     */
    default boolean turns(Body body, Indexes indexes, TileNode.Loop loop, List<Held> carried, Expr first, Expr end) {
        return false;
    }

    /** Stores a tile. @return whether it did */
    default boolean store(Body body, Region.Store store, Elementwise tile) {
        return false;
    }
}
