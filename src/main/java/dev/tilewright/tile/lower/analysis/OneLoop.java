package dev.tilewright.tile.lower.analysis;

import dev.tilewright.tile.Region;
import dev.tilewright.tile.TileNode;
import java.util.List;
import java.util.Optional;

/**
 * What patterns of products begin with: the one loop that computes a tile.
 *
 * @param loop empty where there is none, or more than one
 * @param reason why; empty where there is one
 */
public record OneLoop(Optional<TileNode.Loop> loop, String reason) {
    /** Looks among what a tile is computed by. */
    public static OneLoop of(List<Region.Item> items) {
        List<TileNode.Loop> loops = items.stream().filter(TileNode.Loop.class::isInstance)
                .map(TileNode.Loop.class::cast).toList();
        if (loops.size() != 1) {
            return none(loops.isEmpty() ? "no loop adds up matrix products" : "a tile takes " + loops.size()
                    + " loops, and the copy engine's stages are filled for one");
        }
        return items.stream().anyMatch(Region.When.class::isInstance)
                ? none("some of the tile is computed under a condition") : new OneLoop(Optional.of(loops.getFirst()),
                "");
    }

    private static OneLoop none(String reason) {
        return new OneLoop(Optional.empty(), reason);
    }
}
