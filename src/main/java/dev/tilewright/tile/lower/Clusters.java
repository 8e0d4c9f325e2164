package dev.tilewright.tile.lower;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.TileOption;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
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
     * as their number need not divide that of the tiles; of four tiles few are waited for (131,072 floats on an H200:
     * 0.851 of a copy's rate with one tile each, 0.923 with 4, 0.920 with 8, 0.913 with 16, 0.864 with all).
     */
    static final GridPolicy GRID = GridPolicy.waves(1024, 4);

    /** Shared memory of a Hopper multiprocessor, of which each block costs some more than it uses. */
    private static final int SHARED_BYTES = 228 << 10;
    private static final int OF_A_BLOCK = 1 << 10;
    private static final int REGISTERS = 1 << 16;
    private static final int AT_ONCE = 3;
    /** What a thread needs beside the elements that it holds. */
    private static final int BESIDE = 40;

    private Clusters() {
    }

    /**
     * For three blocks of a multiprocessor at once, where there is room for their shared memory and registers. A
     * compiler that is not told may give a thread more than it needs (softmax of 131,072 floats on an H200: 222
     * registers by NVRTC 13.0, so that two blocks run at once, at 0.869 of a copy's rate and not 0.920).
     */
    static Lowered atOnce(Lowered lowered) {
        TileProgram program = lowered.program();
        int held = new StepNumbers(program).all().stream().map(Step::operation)
                .mapToInt(o -> o instanceof Operation.Declare d && d.register().count() > 1 ? d.register().words() : 0)
                .sum();
        boolean room = AT_ONCE * (program.shared().bytes() + OF_A_BLOCK) <= SHARED_BYTES
                && AT_ONCE * program.threads() * (held + BESIDE) <= REGISTERS;
        return room ? lowered.atOnce(AT_ONCE) : lowered;
    }

    /** Whether blocks may share the tiles of a kernel: each is computed once, and the schedule leaves it open. */
    static boolean suit(TileKernel kernel, Choices choices, Target target) {
        return !choices.has(TileOption.THREADS) && new BarrierClusterWait().gate().admits(target)
                && new TileOrder(kernel).isFree() && kernel.grid().body().items().stream()
                .allMatch(item -> item instanceof Tile || item instanceof Region.Store);
    }
}
