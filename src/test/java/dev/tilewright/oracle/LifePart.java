package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.mbarrier.MbarrierInval;

/** A barrier that a thread leaves, or that ends and begins again for another number of arrivals. */
final class LifePart implements Part {
    private final Plan plan;
    private final boolean again;
    private final SharedRegion.Buffer buffer;
    private final SharedRegion.Barriers barrier;
    private final Expr source;
    private final Expr result;

    LifePart(Plan plan) {
        this.plan = plan;
        again = plan.maybe();
        buffer = plan.buffer(plan.tile());
        barrier = plan.barriers(1, plan.threads);
        source = plan.source(2 * plan.tile());
        result = plan.result(2 * plan.tile());
    }

    @Override
    public void write(Body body) {
        Expr zero = Expr.of(0);
        Expr last = Expr.of(plan.threads - 1);
        Plan.move(body, Plan.from(source.plus(T.times(PIECE))), buffer.at(T.times(PIECE)));
        if (again || plan.threads == 1) {
            body.arrive(barrier.at(zero));
        } else {
            body.when(T.isEqualTo(last), one -> one.arrive(barrier.at(zero)).drop(),
                    others -> others.arrive(barrier.at(zero)));
        }
        body.waitParity(barrier.at(zero), zero);
        Plan.move(body, buffer.at(plan.neighbour(1).times(PIECE)), Plan.to(result.plus(T.times(PIECE))));
        body.syncThreads();
        if (again) {
            body.when(T.isEqualTo(0), one -> {
                one.issue(new MbarrierInval(), Input.of(barrier.at(zero)));
                one.barrierInit(barrier.at(zero), 1);
            });
            body.syncThreads();
        }
        // The first thread fills, the others wait for it.
        Expr at = result.plus(plan.tile()).plus(T.times(PIECE));
        if (again || plan.threads == 2) {
            body.when(T.isEqualTo(0), one -> {
                Plan.move(one, Plan.from(source.plus(plan.tile())), buffer.at(zero));
                one.arrive(barrier.at(zero));
            });
            body.waitParity(barrier.at(zero), again ? 0 : 1);
            Plan.move(body, buffer.at(zero), Plan.to(at));
        }
    }

    @Override
    public String toString() {
        return "life" + (again ? " again" : " drop");
    }
}
