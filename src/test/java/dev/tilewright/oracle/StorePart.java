package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.fence.FenceProxyAsync;

/** All threads fill a buffer, one stores or adds it to global memory by a bulk copy; then it is filled again. */
final class StorePart implements Part {
    private final Plan plan;
    private final int turns;
    private final boolean loop;
    private final int buffers;
    private final boolean fenceAfter;
    private final boolean fenceByOther;
    private final boolean across;
    private final boolean reduce;
    private final boolean together;
    private final boolean asynchronous;
    private final SharedRegion.Buffer buffer;
    private final Meeting filled;
    private final Meeting free;
    private final Expr source;
    private final Expr result;
    private final Expr storer;
    private final Expr other;
    private final FenceProxyAsync.Memory memory;

    StorePart(Plan plan) {
        this.plan = plan;
        turns = 1 + plan.pick(3);
        loop = plan.maybe();
        buffers = 1 + plan.pick(2);
        fenceAfter = plan.pick(3) == 0;
        fenceByOther = !fenceAfter && plan.threads > 1 && plan.pick(3) == 0;
        reduce = plan.pick(3) == 0;
        across = reduce && plan.maybe();
        together = reduce && plan.maybe();
        asynchronous = plan.pick(3) == 0;
        buffer = plan.buffer(buffers * plan.tile());
        filled = new Meeting(plan);
        free = new Meeting(plan);
        source = plan.source(turns * plan.tile());
        result = plan.result(turns * plan.tile());
        int who = plan.pick(plan.threads);
        storer = Expr.of(who);
        other = Expr.of((who + 1) % plan.threads);
        memory = plan.maybe() ? FenceProxyAsync.Memory.ALL : FenceProxyAsync.Memory.SHARED;
    }

    @Override
    public void write(Body body) {
        plan.turns(body, turns, loop, (each, turn) -> {
            Expr stage = turn.modulo(buffers).times(plan.tile());
            each.when(T.isEqualTo(storer), one -> one.bulkWaitRead(buffers - 1));
            free.meet(each, turn);
            Address.Global from = Plan.from(source.plus(turn.times(plan.tile())).plus(T.times(PIECE)));
            Address.Shared place = buffer.at(stage.plus(T.times(PIECE)));
            if (asynchronous) {
                each.cpAsync(place, from, PIECE);
                each.cpAsyncCommit();
                each.cpAsyncWait(0);
            } else {
                Plan.move(each, from, place);
            }
            if (fenceByOther) {
                each.syncThreads();
                each.when(T.isEqualTo(other), one -> one.proxyFence(memory));
            } else if (!fenceAfter) {
                each.proxyFence(memory);
            }
            filled.meet(each, turn);
            each.when(T.isEqualTo(storer), one -> {
                if (fenceAfter) {
                    one.proxyFence(memory);
                }
                Expr first = across ? result.minus(Builtin.BLOCK.times(turns * plan.tile())) : result;
                Expr to = together ? first : first.plus(turn.times(plan.tile()));
                if (reduce) {
                    one.issue(new BulkReduce(AtomicOp.ADD, DataType.U32), Input.of(Plan.to(to)),
                            Input.of(buffer.at(stage)), Input.of(plan.tile()));
                } else {
                    one.bulkStore(Plan.to(to), buffer.at(stage), plan.tile());
                }
                one.bulkCommit();
            });
        });
        body.when(T.isEqualTo(storer), one -> {
            if (plan.maybe()) {
                one.bulkWaitRead(0);
            } else {
                one.bulkWait(0);
            }
        });
    }

    @Override
    public String toString() {
        return "store x" + turns + " buffers " + buffers + (reduce ? across ? " add across" : " add" : "")
                + (fenceByOther ? " fence by other" : "") + (asynchronous ? " cp.async" : "")
                + (fenceAfter ? " fence after " : " ") + filled + "/" + free;
    }
}
