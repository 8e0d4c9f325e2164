package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.BLOCK;
import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.T;
import static dev.tilewright.hazard.OrderKernels.THREADS;
import static dev.tilewright.hazard.OrderKernels.TILE;
import static dev.tilewright.hazard.OrderKernels.TO;
import static dev.tilewright.hazard.OrderKernels.WORK;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.block;
import static dev.tilewright.hazard.OrderKernels.check;
import static dev.tilewright.hazard.OrderKernels.flag;
import static dev.tilewright.hazard.OrderKernels.inManyOrders;
import static dev.tilewright.hazard.OrderKernels.ldAcquire;
import static dev.tilewright.hazard.OrderKernels.mine;
import static dev.tilewright.hazard.OrderKernels.move;
import static dev.tilewright.hazard.OrderKernels.one;
import static dev.tilewright.hazard.OrderKernels.poll;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.red;
import static dev.tilewright.hazard.OrderKernels.sync;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.memory.Red;
import org.junit.jupiter.api.Test;

/** Reductions by the copy engine into the same bytes, from several blocks and beside updates by threads. */
class CopyReductionsTest {

    private static void fill(Body body) {
        move(body, "fill", mine(SOURCE), TILE.at(T.times(4)));
        body.purpose("seen by the engine").proxyFence(FenceProxyAsync.Memory.SHARED);
        sync(body, "all have filled");
    }

    private static void reduce(Body b) {
        b.purpose("reduce").issue(new BulkReduce(AtomicOp.ADD, DataType.U32), Input.of(at(WORK, Expr.of(0))),
                Input.of(TILE.at(0)), Input.of(4 * THREADS));
        b.purpose("a group").bulkCommit();
    }

    /** Every block adds its tile to the same words. The last block reads the sum when the others have counted. */
    private static void addUp(Body body, int counted, boolean waits) {
        fill(body);
        one(body, b -> {
            reduce(b);
            if (waits) {
                b.purpose("it is added").bulkWait(0);
            } else {
                b.purpose("it is read").bulkWaitRead(0);
            }
            b.purpose("count").issue(red(Red.Order.RELEASE, Scope.GPU), Input.of(flag(0)), Input.of(1));
        });
        block(body, 3, last -> {
            one(last, b -> poll(b, "all have", ldAcquire(Scope.GPU), flag(0), v -> v.atLeast(counted)));
            sync(last, "it is known");
            read(last, "read", at(WORK, T), at(RESULT, T));
        });
    }

    @Test
    void severalBlocksAddToTheSameWords() {
        Twins.clean(inManyOrders(4, 1, body -> addUp(body, 4, true)));
    }

    @Test
    void theSumIsReadTooEarly() {
        Twins.found(HazardCode.WAIT_TOO_SHALLOW, "it is read", check(4, 1, body -> addUp(body, 4, false)));
    }

    /** Only its own block's copy is waited for. */
    @Test
    void theSumIsReadByEachBlock() {
        Twins.found(HazardCode.GLOBAL_RACE, "read", check(2, 1, body -> {
            fill(body);
            one(body, b -> {
                reduce(b);
                b.purpose("it is added").bulkWait(0);
            });
            sync(body, "it is known");
            block(body, 1, last -> read(last, "read", at(WORK, T), at(RESULT, T)));
        }));
    }

    /** The last update is waited for, the one before it is not. */
    @Test
    void oneOfTwoUpdatesIsNotWaitedFor() {
        Twins.found(HazardCode.GLOBAL_RACE, "read", check(3, 1, body -> one(body, b -> {
            b.purpose("the first two").when(BLOCK.lessThan(2), two -> two.purpose("add")
                    .issue(red(Red.Order.RELAXED, Scope.GPU), Input.of(at(WORK, Expr.of(0))), Input.of(1)));
            block(b, 1, second -> second.purpose("say so").issue(red(Red.Order.RELEASE, Scope.GPU),
                    Input.of(flag(0)), Input.of(1)));
            block(b, 2, last -> {
                poll(last, "wait", ldAcquire(Scope.GPU), flag(0), v -> v.atLeast(1));
                read(last, "read", at(WORK, Expr.of(0)), at(RESULT, T));
            });
        })));
    }

    @Test
    void besideUpdatesByThreads() {
        Twins.clean(inManyOrders(3, 1, body -> {
            fill(body);
            body.purpose("add too").issue(red(Red.Order.RELAXED, Scope.GPU), Input.of(at(WORK, T)), Input.of(1));
            one(body, b -> {
                reduce(b);
                b.purpose("it is added").bulkWait(0);
            });
        }));
    }

    @Test
    void tensorReductions() {
        Twins.clean(inManyOrders(4, 1, body -> {
            fill(body);
            move(body, "fill more", mine(SOURCE), TILE.at(T.plus(THREADS).times(4)));
            body.purpose("seen by the engine").proxyFence(FenceProxyAsync.Memory.SHARED);
            sync(body, "all have filled");
            one(body, b -> {
                b.purpose("reduce").issue(new TensorReduce(2, AtomicOp.ADD), Input.of(TO), Input.of(0), Input.of(0),
                        Input.of(TILE.at(0)));
                b.purpose("a group").bulkCommit();
                b.purpose("it is added").bulkWait(0);
            });
        }));
    }
}
