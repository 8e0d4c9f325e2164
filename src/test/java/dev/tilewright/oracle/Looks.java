package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.List;
import java.util.Random;

/**
 * Threads that look at the same bytes turn by turn in loops of every kind, while a bulk store or a bulk load of these
 * bytes is under way: what they see says after which of their turns it lands.
 */
final class Looks {
    private static final int MOST_THREADS = 8;
    private static final int MOST_TURNS = 7;
    /** More turns than pass before something lands for threads that meet in a loop. */
    private static final int MANY_TURNS = 70;

    private Looks() {
    }

    /** A kernel for each seed. What it leaves depends on the order of the threads' turns. */
    static Sample draw(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        int threads = 2 + random.nextInt(MOST_THREADS - 1);
        SharedRegion.Barriers landed = new SharedRegion.Barriers("landed", 1);
        SharedRegion.Buffer piece = new SharedRegion.Buffer("piece", PIECE, 16);
        boolean loads = random.nextBoolean();
        boolean meets = random.nextInt(6) == 0;
        Expr starter = Expr.of(random.nextInt(threads));
        Expr stored = Builtin.BLOCK.times((1 + MOST_TURNS * threads) * PIECE);
        Expr seen = stored.plus(T.times(MOST_TURNS).plus(1).times(PIECE));
        Address where = loads ? piece.at(0) : Plan.to(stored);
        return new Sample("looks", threads, 1, 1 + random.nextInt(2), List.of(landed, piece), Body.steps(body -> {
            body.when(T.isEqualTo(starter), one -> {
                one.barrierInit(landed.at(0), 1);
                one.barrierInitFence();
            });
            if (random.nextInt(4) > 0) {
                body.syncThreads();
            }
            body.when(T.isEqualTo(starter), one -> {
                if (loads) {
                    one.arriveExpectTx(landed.at(0), PIECE);
                    one.bulkLoad(piece.at(0), Plan.from(Expr.of(0L)), PIECE, landed.at(0));
                    return;
                }
                Plan.move(one, Plan.from(Expr.of(0L)), piece.at(0));
                one.proxyFence(FenceProxyAsync.Memory.SHARED);
                one.bulkStore(Plan.to(stored), piece.at(0), PIECE);
                one.bulkCommit();
            });
            Body.LoopBody turn = (b, i) -> {
                Plan.move(b, where, Plan.to(seen.plus(i.modulo(MOST_TURNS).times(PIECE))));
                if (meets) {
                    b.syncThreads();
                }
            };
            if (!meets && random.nextInt(3) == 0) {
                body.when(T.atLeast(random.nextInt(threads)), some -> loop(some, random, threads, turn));
            } else if (meets) {
                repeat(body, Expr.of(MANY_TURNS), turn);
            } else {
                loop(body, random, threads, turn);
            }
            if (loads) {
                body.when(T.isEqualTo(random.nextInt(threads)), one -> one.waitParity(landed.at(0), 0));
            }
        }));
    }

    private static void loop(Body body, Random random, int threads, Body.LoopBody turn) {
        Expr turns = random.nextBoolean() ? Expr.of(1 + random.nextInt(MOST_TURNS))
                : T.plus(random.nextInt(threads)).modulo(MOST_TURNS);
        Body.LoopBody until = (b, i) -> {
            turn.accept(b, i);
            b.when(i.plus(1).atLeast(turns), Body::breakLoop);
        };
        switch (random.nextInt(5)) {
            case 0 -> body.loop("i", MOST_TURNS, until);
            case 1, 2 -> body.unrolled("i", MOST_TURNS, until);
            case 3 -> body.loop("i", turns, turn);
            default -> repeat(body, turns, turn);
        }
    }

    private static void repeat(Body body, Expr turns, Body.LoopBody turn) {
        Register count = body.variable("count", 0);
        body.repeatWhile(count.get().toIndex().lessThan(turns), b -> {
            Expr.Var i = b.let("i", count.get().toIndex());
            b.assign(count, i.plus(1));
            turn.accept(b, i);
        });
    }
}
