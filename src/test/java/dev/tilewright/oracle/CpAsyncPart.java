package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;

/**
 * A ring of stages that cp.async fills, every thread its piece; groups or an mbarrier say when. Each thread may store a
 * note beside its piece as well, which an arrival of its own makes known.
 */
final class CpAsyncPart implements Part {
    private final Plan plan;
    private final int tiles;
    private final int stages;
    private final boolean counted;
    private final boolean noinc;
    private final SharedRegion.Buffer buffer;
    private final SharedRegion.Barriers full;
    private final Meeting landed;
    private final Meeting taken;
    private final Expr source;
    private final Expr result;
    private final SharedRegion.Buffer notes;
    private final Expr noted;
    private final Expr shown;

    CpAsyncPart(Plan plan) {
        this.plan = plan;
        tiles = 1 + plan.pick(3);
        stages = 1 + plan.pick(2);
        counted = plan.pick(3) == 0;
        noinc = plan.maybe();
        buffer = plan.buffer(stages * plan.tile());
        boolean noting = counted && plan.maybe();
        full = counted ? plan.barriers(stages, noting && noinc ? 2 * plan.threads : plan.threads) : null;
        landed = new Meeting(plan);
        taken = new Meeting(plan);
        source = plan.source(tiles * plan.tile());
        result = plan.result(tiles * plan.tile());
        notes = noting ? plan.buffer(stages * plan.tile()) : null;
        noted = noting ? plan.source(tiles * plan.tile()) : null;
        shown = noting ? plan.result(tiles * plan.tile()) : null;
    }

    @Override
    public void write(Body body) {
        for (int tile = 0; tile < Math.min(stages, tiles); tile++) {
            fill(body, tile);
        }
        for (int tile = 0; tile < tiles; tile++) {
            if (counted) {
                body.waitParity(full.at(tile % stages), tile / stages % 2);
            } else {
                body.cpAsyncWait(Math.min(stages, tiles) - 1);
                landed.meet(body, null);
            }
            Plan.move(body, buffer.at(plan.neighbour(1).times(PIECE).plus(tile % stages * plan.tile())),
                    Plan.to(result.plus(tile * plan.tile()).plus(T.times(PIECE))));
            if (notes != null) {
                Plan.move(body, notes.at(plan.neighbour(1).times(PIECE).plus(tile % stages * plan.tile())),
                        Plan.to(shown.plus(tile * plan.tile()).plus(T.times(PIECE))));
            }
            if (tile + stages < tiles) {
                taken.meet(body, null);
                fill(body, tile + stages);
            } else if (!counted) {
                body.cpAsyncCommit();
            }
        }
    }

    private void fill(Body body, int tile) {
        body.cpAsync(buffer.at(T.times(PIECE).plus(tile % stages * plan.tile())),
                Plan.from(source.plus(tile * plan.tile()).plus(T.times(PIECE))), PIECE);
        if (notes != null) {
            Plan.move(body, Plan.from(noted.plus(tile * plan.tile()).plus(T.times(PIECE))),
                    notes.at(T.times(PIECE).plus(tile % stages * plan.tile())));
        }
        if (counted) {
            CpAsyncMbarrierArrive form = new CpAsyncMbarrierArrive();
            body.issue(noinc ? form.withNoinc() : form, Input.of(full.at(tile % stages)));
            if (!noinc || notes != null) {
                body.arrive(full.at(tile % stages));
            }
        } else {
            body.cpAsyncCommit();
        }
    }

    @Override
    public String toString() {
        String end = !counted ? "groups" : noinc ? "noinc" : "counted";
        return "cp.async " + tiles + " tiles " + stages + " stages " + end + (notes != null ? " notes" : "");
    }
}
