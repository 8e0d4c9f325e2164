package dev.tilewright.tile.lower;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.lower.analysis.TileOrder;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.lower.layout.Team;
import java.util.List;

/**
 * Rows that no block's registers hold: the blocks of a cluster share them. Each has some accumulators of a reduction
 * and all elements of each, so that one exchange between blocks is enough for a sum.
 */
final class Clusters {
    /** In the order in which they are tried: few blocks first, each of as many threads as share 128 accumulators. */
    static final List<Team> TRIES = List.of(Team.cluster(2, 128), Team.cluster(4, 128), Team.cluster(8, 128));
    /**
     * How tiles are shared out where the next one is brought while one is computed. Far more clusters than run at once,
     * as their number need not divide that of the tiles; of eight tiles few are waited for (131,072 floats on an H200:
     * 0.851 of a copy's rate with one tile each, 0.918 with 8, 0.911 with 16, 0.864 with all).
     */
    static final GridPolicy GRID = GridPolicy.waves(1024, 8);

    private Clusters() {
    }

    /** Whether blocks may share the tiles of a kernel: each is computed once, and the schedule leaves it open. */
    static boolean suit(TileKernel kernel, Choices choices, Target target) {
        return choices.threads().isEmpty() && new BarrierClusterWait().gate().admits(target)
                && new TileOrder(kernel).isFree() && kernel.grid().body().items().stream()
                .allMatch(item -> item instanceof Tile || item instanceof Region.Store);
    }
}
