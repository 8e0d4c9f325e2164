package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.layout.Team;
import dev.tilewright.tile.lower.layout.Vectors;
import java.util.List;

/**
 * Rows that no block's registers hold: the blocks of a cluster share them. Each has some accumulators of a reduction
 * and all elements of each, so that one exchange between blocks is enough for a sum.
 */
final class Clusters {
    /** In the order in which they are tried: few blocks first, each of as many threads as share 128 accumulators. */
    static final List<Team> TRIES = List.of(Team.cluster(2, 128), Team.cluster(4, 128), Team.cluster(8, 128));

    /** How many rows lie between one that is computed and one that is brought into L2 meanwhile. */
    private static final int AHEAD = 16;

    private Clusters() {
    }

    /** Whether blocks may share the tiles of a kernel: each is computed once, and the schedule leaves it open. */
    static boolean suit(TileKernel kernel, Choices choices, Target target) {
        return choices.threads().isEmpty() && new BarrierClusterWait().gate().admits(target)
                && new TileOrder(kernel).isFree() && kernel.grid().body().items().stream()
                .allMatch(item -> item instanceof Tile || item instanceof Region.Store);
    }

    /** Brings rows of later clusters near, each block a part: those that compute them then wait less for them. */
    static void bring(Body body, TileKernel kernel, Team team, Indexes indexes, Vectors vectors) {
        Grid grid = kernel.grid();
        if (AHEAD == 0 || grid.steps().size() != 1 || grid.steps().getFirst().length() != 1) {
            return;
        }
        Expr.Var number = grid.numbers().getFirst();
        grid.body().tiles().map(Tile::node).filter(TileNode.Load.class::isInstance).map(TileNode.Load.class::cast)
                .filter(load -> load.tensor().role() == Tensor.Role.IN && vectors.aligned().test(load.tensor())
                        && load.axes().size() == 2 && load.axes().getFirst() instanceof Span row && row.single()
                        && row.start().equals(number) && load.axes().getLast().equals(Span.all(load.tensor().dims()
                        .getLast()))).distinct().forEach(load -> {
                            Tensor x = load.tensor();
                            int bytes = Math.toIntExact(indexes.of(x.dims().getLast().value()).constant().orElseThrow()
                                    * x.type().bytes() / team.blocks() & -Lowering.ALIGNMENT);
                            Expr later = body.let("later", indexes.of(number).plus(AHEAD));
                            Expr from = later.times(Lowered.stride(x, 0).value()).times(x.type().bytes())
                                    .plus(Builtin.CLUSTER_RANK.toS64().times(bytes));
                            body.purpose("a row that is computed later comes near").when(Builtin.THREAD.isEqualTo(0)
                                    .and(later.lessThan(indexes.of(grid.steps().getFirst().count()))), one ->
                                    one.bulkPrefetch(new Address.Global(Lowered.pointer(x), from), bytes));
                        });
    }
}
