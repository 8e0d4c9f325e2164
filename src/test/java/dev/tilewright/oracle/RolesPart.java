package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync;

/** One thread fills a ring, by bulk copies or by itself; the others empty it, and hand the stages back. */
final class RolesPart implements Part {
    private final Plan plan;
    private final int tiles;
    private final int stages;
    private final boolean loop;
    private final boolean bulk;
    private final boolean waitFirst;
    private final boolean store;
    private final int consumers;
    private final SharedRegion.Buffer buffer;
    private final SharedRegion.Barriers full;
    private final SharedRegion.Barriers empty;
    private final Expr source;
    private final Expr result;

    RolesPart(Plan plan) {
        this.plan = plan;
        tiles = 1 + plan.pick(3);
        stages = 1 + plan.pick(2);
        loop = plan.maybe();
        bulk = plan.maybe();
        waitFirst = plan.maybe();
        store = plan.pick(3) == 0;
        consumers = Math.max(1, plan.threads - 1);
        buffer = plan.buffer(stages * PIECE);
        full = plan.barriers(stages, 1);
        empty = plan.barriers(stages, consumers);
        source = plan.source(tiles * PIECE);
        result = plan.result(tiles * consumers * PIECE);
    }

    @Override
    public void write(Body body) {
        if (plan.threads == 1) {
            return;
        }
        body.when(T.isEqualTo(0), this::fill, this::take);
    }

    private void fill(Body body) {
        plan.turns(body, tiles, loop, (each, tile) -> {
            Expr stage = tile.modulo(stages);
            Expr round = tile.dividedBy(stages);
            if (waitFirst) {
                // On a fresh barrier the wait for the phase before the first passes.
                plan.waitParity(each, empty.at(stage), round.plus(1).bitAnd(1));
            } else {
                each.when(tile.atLeast(stages), again ->
                        plan.waitParity(again, empty.at(stage), round.plus(1).bitAnd(1)));
            }
            Expr at = stage.times(PIECE);
            if (bulk) {
                each.arriveExpectTx(full.at(stage), PIECE);
                each.bulkLoad(buffer.at(at), Plan.from(source.plus(tile.times(PIECE))), PIECE, full.at(stage));
            } else {
                Plan.move(each, Plan.from(source.plus(tile.times(PIECE))), buffer.at(at));
                if (store) {
                    each.proxyFence(FenceProxyAsync.Memory.SHARED);
                }
                each.arrive(full.at(stage));
            }
        });
    }

    private void take(Body body) {
        plan.turns(body, tiles, loop, (each, tile) -> {
            Expr stage = tile.modulo(stages);
            Expr to = result.plus(tile.times(consumers).plus(T.minus(1)).times(PIECE));
            plan.waitParity(each, full.at(stage), tile.dividedBy(stages).bitAnd(1));
            if (store) {
                each.bulkStore(Plan.to(to), buffer.at(stage.times(PIECE)), PIECE);
                each.bulkCommit();
                each.bulkWaitRead(0);
            } else {
                Plan.move(each, buffer.at(stage.times(PIECE)), Plan.to(to));
            }
            each.arrive(empty.at(stage));
        });
        if (store && plan.maybe()) {
            body.bulkWait(0);
        }
    }

    @Override
    public String toString() {
        return "roles " + tiles + " tiles " + stages + " stages" + (bulk ? " bulk" : "")
                + (waitFirst ? " wait first" : "") + (store ? " store" : "");
    }
}
