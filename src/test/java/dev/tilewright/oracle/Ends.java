package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.List;
import java.util.Random;

/** Threads that end with bulk stores under way, which are written then, and others that look at the same bytes. */
final class Ends {
    private static final int MOST_THREADS = 8;

    private Ends() {
    }

    /** A kernel for each seed. What it leaves depends on the order of the threads' turns. */
    static Sample draw(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        int threads = 2 + random.nextInt(MOST_THREADS - 1);
        SharedRegion.Buffer pieces = new SharedRegion.Buffer("pieces", threads * PIECE, 16);
        Expr own = T.times(PIECE);
        Expr stored = Builtin.BLOCK.times(2 * threads * PIECE);
        Expr neighbour = T.plus(random.nextInt(threads)).modulo(threads);
        return new Sample("ends", threads, 1, 1 + random.nextInt(2), List.of(pieces), Body.steps(body -> {
            body.when(some(random, threads), storing -> {
                Plan.move(storing, Plan.from(own), pieces.at(own));
                storing.proxyFence(FenceProxyAsync.Memory.SHARED);
                storing.bulkStore(Plan.to(stored.plus(own)), pieces.at(own), PIECE);
                storing.bulkCommit();
                if (random.nextBoolean()) {
                    storing.bulkWaitRead(0);
                }
            });
            if (random.nextInt(4) > 0) {
                body.syncThreads();
            }
            body.when(some(random, threads), looking -> Plan.move(looking,
                    Plan.to(stored.plus(neighbour.times(PIECE))), Plan.to(stored.plus(threads * PIECE).plus(own))));
        }));
    }

    private static Expr some(Random random, int threads) {
        int which = random.nextInt(threads);
        return switch (random.nextInt(4)) {
            case 0 -> T.lessThan(which);
            case 1 -> T.atLeast(which);
            case 2 -> T.isEqualTo(which);
            default -> T.modulo(2).isEqualTo(which % 2);
        };
    }
}
