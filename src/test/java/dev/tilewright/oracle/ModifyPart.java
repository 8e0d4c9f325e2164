package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync;

/** A bulk copy in, a rearrangement by the threads or none, a bulk copy out; once or several times in one buffer. */
final class ModifyPart implements Part {
    private final Plan plan;
    private final int turns;
    private final boolean loop;
    private final boolean rearranged;
    private final SharedRegion.Buffer in;
    private final SharedRegion.Buffer out;
    private final SharedRegion.Barriers full;
    private final Meeting filled;
    private final Meeting free;
    private final Expr source;
    private final Expr result;

    ModifyPart(Plan plan) {
        this.plan = plan;
        turns = 1 + plan.pick(2);
        loop = plan.maybe();
        rearranged = plan.pick(3) != 0;
        in = plan.buffer(plan.tile());
        out = rearranged ? plan.buffer(plan.tile()) : in;
        full = plan.barriers(1, 1);
        filled = new Meeting(plan);
        free = new Meeting(plan);
        source = plan.source(turns * plan.tile());
        result = plan.result(turns * plan.tile());
    }

    @Override
    public void write(Body body) {
        plan.turns(body, turns, loop, (each, turn) -> {
            Expr zero = Expr.of(0);
            Expr at = turn.times(plan.tile());
            each.when(T.isEqualTo(0), one -> {
                one.arriveExpectTx(full.at(zero), plan.tile());
                one.bulkLoad(in.at(zero), Plan.from(source.plus(at)), plan.tile(), full.at(zero));
            });
            if (rearranged) {
                each.waitParity(full.at(zero), turn.bitAnd(1));
                Plan.move(each, in.at(plan.neighbour(1).times(PIECE)), out.at(T.times(PIECE)));
                each.proxyFence(FenceProxyAsync.Memory.SHARED);
                filled.meet(each, turn);
            }
            each.when(T.isEqualTo(0), one -> {
                if (!rearranged) {
                    one.waitParity(full.at(zero), turn.bitAnd(1));
                }
                one.bulkStore(Plan.to(result.plus(at)), out.at(zero), plan.tile());
                one.bulkCommit();
                one.bulkWaitRead(0);
            });
            if (rearranged) {
                free.meet(each, turn);
            }
        });
    }

    @Override
    public String toString() {
        return "modify x" + turns + (rearranged ? " rearranged " + filled + "/" + free : "");
    }
}
