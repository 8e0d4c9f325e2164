package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;

/** Everyone leaves a piece and counts; who counts last reads what all have left. */
final class CounterPart implements Part {
    private final Plan plan;
    private final boolean blocks;
    private final boolean fenced;
    private final boolean looks;
    private final int counter;
    private final Expr source;
    private final Expr data;
    private final Expr result;

    CounterPart(Plan plan) {
        this.plan = plan;
        blocks = plan.blocks > 1;
        fenced = plan.maybe();
        looks = plan.pick(3) == 0;
        counter = plan.flag();
        source = plan.source(plan.tile());
        data = plan.result(plan.tile());
        result = plan.result(plan.tile());
    }

    @Override
    public void write(Body body) {
        Plan.move(body, Plan.from(source.plus(T.times(PIECE))), Plan.to(data.plus(T.times(PIECE))));
        if (blocks) {
            body.syncThreads();
            body.when(T.isEqualTo(0), this::count);
        } else {
            count(body);
        }
    }

    private void count(Body body) {
        Scope scope = blocks ? Scope.GPU : Scope.CTA;
        int all = blocks ? plan.blocks : plan.threads;
        Input at = Input.of(Plan.flagAt(counter));
        if (looks) {
            body.issue("look", Ld.relaxed(scope, Space.GLOBAL, DataType.U32), at);
        }
        Expr old;
        if (fenced) {
            body.fence(scope);
            old = body.issue("old", Atom.relaxed(scope, Space.GLOBAL, AtomicOp.ADD, DataType.U32), at, Input.of(1));
            body.fence(scope);
        } else {
            old = body.issue("old", Atom.acqRel(scope, Space.GLOBAL, AtomicOp.ADD, DataType.U32), at, Input.of(1));
        }
        // The parts of the first block come first, whoever reads them.
        Expr first = data.minus(Builtin.BLOCK.times(plan.tile()));
        Expr to = result.minus(Builtin.BLOCK.times(plan.tile()));
        body.when(old.isEqualTo(all - 1), last -> {
            for (int i = 0; i < all; i++) {
                int at2 = i * (blocks ? plan.tile() : PIECE);
                Plan.move(last, Plan.to(first.plus(at2)), Plan.to(to.plus(i * PIECE)));
            }
        });
    }

    @Override
    public String toString() {
        return "counter" + (fenced ? " fenced" : "") + (looks ? " looks" : "");
    }
}
