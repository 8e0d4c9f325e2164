package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;

/** Every thread leaves a piece in shared memory and takes its neighbour's, once or several times. */
final class ExchangePart implements Part {
    private final Plan plan;
    private final int turns;
    private final boolean loop;
    private final int buffers;
    private final SharedRegion.Buffer buffer;
    private final Meeting filled;
    private final Meeting taken;
    private final Expr source;
    private final Expr result;
    private final int by;
    private final SharedRegion.Buffer junk;

    ExchangePart(Plan plan) {
        this.plan = plan;
        turns = 1 + plan.pick(3);
        loop = plan.maybe();
        buffers = 1 + plan.pick(2);
        buffer = plan.buffer(buffers * plan.tile());
        filled = new Meeting(plan);
        taken = new Meeting(plan);
        source = plan.source(turns * plan.tile());
        result = plan.result(turns * plan.tile());
        junk = plan.pick(4) == 0 ? plan.buffer(PIECE) : null;
        by = 1 + plan.pick(Math.max(1, plan.threads - 1));
    }

    @Override
    public void write(Body body) {
        plan.turns(body, turns, loop, (each, turn) -> {
            Expr stage = turn.modulo(buffers).times(plan.tile());
            Plan.move(each, Plan.from(source.plus(turn.times(plan.tile())).plus(T.times(PIECE))),
                    buffer.at(stage.plus(T.times(PIECE))));
            if (junk != null) {
                each.load("junk", ElementType.U32, PIECE / 4, junk.at(0));
            }
            filled.meet(each, turn);
            Plan.move(each, buffer.at(stage.plus(plan.neighbour(by).times(PIECE))),
                    Plan.to(result.plus(turn.times(plan.tile())).plus(T.times(PIECE))));
            if (buffers == 1) {
                taken.meet(each, turn);
            }
        });
    }

    @Override
    public String toString() {
        return "exchange x" + turns + " buffers " + buffers + (junk != null ? " junk " : " ") + filled + "/" + taken;
    }
}
