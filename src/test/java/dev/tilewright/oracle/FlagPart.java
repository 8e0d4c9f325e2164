package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;

/** A block, or a thread, writes to global memory and raises a flag; another waits for it and reads. */
final class FlagPart implements Part {
    private enum Raise { RELEASE, FENCED, RED, TWICE }

    private enum Acquire { LOAD, FENCE, LATER_LOAD }

    private enum Read { PLAIN, BULK }

    private final Plan plan;
    private final boolean blocks;
    private final Raise raise;
    private final Acquire acquire;
    private final boolean bulkWrite;
    private final Read read;
    private final boolean fenceAtReader;
    private final Scope scope;
    private final int flag;
    private final Expr source;
    private final Expr data;
    private final Expr result;
    private final SharedRegion.Buffer buffer;
    private final SharedRegion.Barriers full;

    FlagPart(Plan plan) {
        this.plan = plan;
        blocks = plan.blocks > 1;
        raise = Raise.values()[plan.pick(Raise.values().length)];
        acquire = Acquire.values()[plan.pick(Acquire.values().length)];
        bulkWrite = plan.pick(3) == 0;
        read = plan.pick(3) == 0 ? Read.BULK : Read.PLAIN;
        fenceAtReader = plan.maybe();
        scope = !blocks ? Scope.CTA : plan.cluster > 1 && plan.maybe() ? Scope.CLUSTER : Scope.GPU;
        flag = plan.flag();
        source = plan.source(plan.tile());
        data = plan.result(plan.tile());
        result = plan.result(plan.tile());
        buffer = plan.buffer(plan.tile());
        full = plan.barriers(1, 1);
    }

    @Override
    public void write(Body body) {
        if (blocks) {
            body.when(Builtin.BLOCK.isEqualTo(0), this::send, this::receive);
        } else if (plan.threads > 1) {
            body.when(T.isEqualTo(0), this::raise, this::receiveOne);
        }
    }

    /** The part of the data that is block 0's. */
    private Expr data() {
        return data.minus(Builtin.BLOCK.times(plan.tile()));
    }

    private void send(Body body) {
        if (bulkWrite) {
            Plan.move(body, Plan.from(source.plus(T.times(PIECE))), buffer.at(T.times(PIECE)));
            body.proxyFence(FenceProxyAsync.Memory.SHARED);
            body.syncThreads();
            body.when(T.isEqualTo(0), one -> {
                one.bulkStore(Plan.to(data()), buffer.at(0), plan.tile());
                one.bulkCommit();
                one.bulkWait(0);
                set(one);
            });
            return;
        }
        Plan.move(body, Plan.from(source.plus(T.times(PIECE))), Plan.to(data().plus(T.times(PIECE))));
        if (read == Read.BULK && !fenceAtReader) {
            body.proxyFence(plan.maybe() ? FenceProxyAsync.Memory.GLOBAL : FenceProxyAsync.Memory.ALL);
        }
        body.syncThreads();
        body.when(T.isEqualTo(0), this::set);
    }

    private void receive(Body body) {
        body.when(T.isEqualTo(0), one -> {
            await(one);
            if (read == Read.BULK) {
                if (fenceAtReader && !bulkWrite) {
                    one.proxyFence(FenceProxyAsync.Memory.ALL);
                }
                one.arriveExpectTx(full.at(0), plan.tile());
                one.bulkLoad(buffer.at(0), Plan.to(data()), plan.tile(), full.at(0));
            }
        });
        if (read == Read.BULK) {
            body.waitParity(full.at(0), 0);
            Plan.move(body, buffer.at(plan.neighbour(1).times(PIECE)), Plan.to(result.plus(T.times(PIECE))));
        } else {
            body.syncThreads();
            Plan.move(body, Plan.to(data().plus(plan.neighbour(1).times(PIECE))),
                    Plan.to(result.plus(T.times(PIECE))));
        }
    }

    private void raise(Body body) {
        Plan.move(body, Plan.from(source), Plan.to(data));
        set(body);
    }

    private void receiveOne(Body body) {
        await(body);
        Plan.move(body, Plan.to(data), Plan.to(result.plus(T.times(PIECE))));
    }

    private void set(Body body) {
        Input at = Input.of(Plan.flagAt(flag));
        switch (raise) {
            case RELEASE -> body.issue(St.release(scope, Space.GLOBAL, DataType.U32), at, Input.of(1));
            case FENCED -> {
                body.fence(scope);
                body.issue(St.relaxed(scope, Space.GLOBAL, DataType.U32), at, Input.of(1));
            }
            case RED -> body.issue(Red.release(scope, Space.GLOBAL, AtomicOp.ADD, DataType.U32), at, Input.of(1));
            case TWICE -> {
                body.issue(St.release(scope, Space.GLOBAL, DataType.U32), at, Input.of(2));
                body.issue(St.relaxed(scope, Space.GLOBAL, DataType.U32), at, Input.of(1));
            }
        }
    }

    private void await(Body body) {
        Input at = Input.of(Plan.flagAt(flag));
        Ld load = acquire == Acquire.LOAD ? Ld.acquire(scope, Space.GLOBAL, DataType.U32)
                : Ld.relaxed(scope, Space.GLOBAL, DataType.U32);
        plan.waitUntil(body, load, Plan.flagAt(flag), Expr.of(1));
        switch (acquire) {
            case LOAD -> { }
            case FENCE -> body.fence(scope);
            case LATER_LOAD -> body.issue("unused", Ld.acquire(scope, Space.GLOBAL, DataType.U32), at);
        }
    }

    @Override
    public String toString() {
        return "flag " + raise + " " + scope + " " + acquire
                + (bulkWrite ? " bulk write" : "") + " " + read;
    }
}
