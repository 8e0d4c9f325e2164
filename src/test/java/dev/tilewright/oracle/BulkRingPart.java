package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync;

/**
 * A ring of stages that one thread fills by bulk copies; a barrier says when one is full. The thread may store a note
 * beside each stage itself, which its arrival makes known.
 */
final class BulkRingPart implements Part {
    private enum Back { MEETING, BARRIER }

    private final Plan plan;
    private final int tiles;
    private final int stages;
    private final boolean loop;
    private final boolean split;
    private final boolean late;
    private final boolean used;
    private final Back back;
    private final SharedRegion.Buffer buffer;
    private final SharedRegion.Barriers full;
    private final SharedRegion.Barriers empty;
    private final Meeting taken;
    private final Expr source;
    private final Expr result;
    private final Expr before;
    private final Expr earlier;
    private final SharedRegion.Buffer notes;
    private final Expr noted;
    private final Expr shown;
    private final Expr producer;

    BulkRingPart(Plan plan) {
        this.plan = plan;
        tiles = 1 + plan.pick(3);
        stages = 1 + plan.pick(2);
        loop = plan.maybe();
        split = plan.threads > 1 && plan.maybe();
        late = plan.pick(3) == 0;
        used = plan.pick(3) == 0;
        back = plan.maybe() ? Back.MEETING : Back.BARRIER;
        buffer = plan.buffer(stages * plan.tile());
        full = plan.barriers(stages, 1);
        empty = back == Back.BARRIER ? plan.barriers(stages, plan.threads) : null;
        taken = new Meeting(plan);
        source = plan.source(tiles * plan.tile());
        result = plan.result(tiles * plan.tile());
        before = plan.source(plan.tile());
        earlier = plan.result(plan.tile());
        producer = Expr.of(plan.pick(plan.threads));
        boolean noting = plan.pick(3) == 0;
        notes = noting ? plan.buffer(stages * PIECE) : null;
        noted = noting ? plan.source(tiles * PIECE) : null;
        shown = noting ? plan.result(tiles * plan.tile()) : null;
    }

    @Override
    public void write(Body body) {
        if (used) {
            Plan.move(body, Plan.from(before.plus(T.times(PIECE))), buffer.at(T.times(PIECE)));
            body.syncThreads();
            Plan.move(body, buffer.at(plan.neighbour(1).times(PIECE)), Plan.to(earlier.plus(T.times(PIECE))));
            body.proxyFence(FenceProxyAsync.Memory.SHARED);
            body.syncThreads();
        }
        if (back == Back.MEETING) {
            plan.turns(body, tiles, loop, (each, tile) -> {
                each.when(T.isEqualTo(producer), one -> fill(one, tile));
                take(each, tile);
                taken.meet(each, tile);
            });
            return;
        }
        for (int tile = 0; tile < Math.min(stages, tiles); tile++) {
            int first = tile;
            body.when(T.isEqualTo(producer), one -> fill(one, Expr.of(first)));
        }
        plan.turns(body, tiles, loop, (each, tile) -> {
            take(each, tile);
            each.arrive(empty.at(tile.modulo(stages)));
            each.when(T.isEqualTo(producer).and(tile.plus(stages).lessThan(tiles)), one -> {
                plan.waitParity(one, empty.at(tile.modulo(stages)), tile.dividedBy(stages).bitAnd(1));
                fill(one, tile.plus(stages));
            });
        });
    }

    private void take(Body body, Expr tile) {
        plan.waitParity(body, full.at(tile.modulo(stages)), tile.dividedBy(stages).bitAnd(1));
        Plan.move(body, buffer.at(tile.modulo(stages).times(plan.tile()).plus(plan.neighbour(1).times(PIECE))),
                Plan.to(result.plus(tile.times(plan.tile())).plus(T.times(PIECE))));
        if (notes != null) {
            Plan.move(body, notes.at(tile.modulo(stages).times(PIECE)),
                    Plan.to(shown.plus(tile.times(plan.tile())).plus(T.times(PIECE))));
        }
    }

    private void fill(Body body, Expr tile) {
        Expr stage = tile.modulo(stages);
        if (notes != null) {
            Plan.move(body, Plan.from(noted.plus(tile.times(PIECE))), notes.at(stage.times(PIECE)));
        }
        if (!late) {
            body.arriveExpectTx(full.at(stage), plan.tile());
        } else {
            body.expectTx(full.at(stage), plan.tile());
        }
        int first = split ? PIECE : plan.tile();
        copy(body, tile, 0, first);
        if (split) {
            copy(body, tile, first, plan.tile() - first);
        }
        if (late) {
            body.arrive(full.at(stage));
        }
    }

    private void copy(Body body, Expr tile, int at, int bytes) {
        Expr stage = tile.modulo(stages);
        body.bulkLoad(buffer.at(stage.times(plan.tile()).plus(at)),
                Plan.from(source.plus(tile.times(plan.tile())).plus(at)), bytes, full.at(stage));
    }

    @Override
    public String toString() {
        return "bulk ring " + tiles + " tiles " + stages + " stages " + back + (split ? " split" : "")
                + (late ? " late" : "") + (used ? " used" : "") + (notes != null ? " notes" : "");
    }
}
