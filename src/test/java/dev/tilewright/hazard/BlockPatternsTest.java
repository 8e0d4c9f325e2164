package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.EMPTY;
import static dev.tilewright.hazard.OrderKernels.FULL;
import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.T;
import static dev.tilewright.hazard.OrderKernels.THREADS;
import static dev.tilewright.hazard.OrderKernels.TILE;
import static dev.tilewright.hazard.OrderKernels.WORK;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.check;
import static dev.tilewright.hazard.OrderKernels.inManyOrders;
import static dev.tilewright.hazard.OrderKernels.mine;
import static dev.tilewright.hazard.OrderKernels.move;
import static dev.tilewright.hazard.OrderKernels.one;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.setUp;
import static dev.tilewright.hazard.OrderKernels.sync;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.fence.FenceProxyAsync.Memory;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import java.util.EnumSet;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** How threads of a block hand bytes to each other and to the copy engine: right kernels, and each with one edit. */
class BlockPatternsTest {
    private static final int TURNS = 6;
    private static final int HALF = THREADS / 2;

    /** An edit of a kernel; each kernel has some of them. */
    enum Edit {
        NONE, NO_WAIT_FULL, NO_WAIT_EMPTY, PARITY_FULL, PARITY_EMPTY, RELAXED_FULL, RELAXED_EMPTY, EARLY_EMPTY,
        NO_SYNC, SHALLOW, NO_FENCE, FENCE_OF_ONE, NO_WAIT_STORE, ONE_BUFFER
    }

    private static void hold(BiConsumer<Body, Edit> kernel, Edit first, Edit... rest) {
        Twins.clean(inManyOrders(2, 1, body -> kernel.accept(body, Edit.NONE)));
        for (Edit edit : EnumSet.of(first, rest)) {
            HazardReport report = check(2, 1, body -> kernel.accept(body, edit));
            assertFalse(report.isClean(), () -> edit + " is not found");
        }
    }

    // ---- one half of the threads stores, the other reads

    private static void storesThroughARing(Body body, Edit edit) {
        setUp(body, HALF, HALF, false);
        body.purpose("producers").when(T.lessThan(HALF), p -> p.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            Expr stage = each.purpose("its stage").let("stage", turn.modulo(2));
            if (edit != Edit.NO_WAIT_EMPTY) {
                each.purpose("free").waitParity(EMPTY.at(stage), turn.dividedBy(2)
                        .plus(edit == Edit.PARITY_EMPTY ? 0 : 1).modulo(2));
            }
            move(each, "write", mine(SOURCE), TILE.at(stage.times(4 * HALF).plus(T.times(4))));
            arrive(each, "written", FULL.at(stage), edit == Edit.RELAXED_FULL);
        }));
        body.purpose("consumers").when(T.atLeast(HALF), c -> c.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            Expr stage = each.purpose("its stage").let("stage", turn.modulo(2));
            if (edit != Edit.NO_WAIT_FULL) {
                each.purpose("written").waitParity(FULL.at(stage), turn.dividedBy(2)
                        .plus(edit == Edit.PARITY_FULL ? 1 : 0).modulo(2));
            }
            if (edit == Edit.EARLY_EMPTY) {
                arrive(each, "read", EMPTY.at(stage), false);
            }
            read(each, "read", TILE.at(stage.times(4 * HALF).plus(T.minus(HALF).times(4))), mine(RESULT));
            if (edit != Edit.EARLY_EMPTY) {
                arrive(each, "read", EMPTY.at(stage), edit == Edit.RELAXED_EMPTY);
            }
        }));
    }

    private static void arrive(Body body, String purpose, dev.tilewright.program.expression.Address.Barrier barrier,
            boolean relaxed) {
        body.purpose(purpose).issue(new MbarrierArrive().withResult(ArriveResult.SINK)
                .withOrder(relaxed ? ArriveOrder.RELAXED_CTA : ArriveOrder.DEFAULT), Input.of(barrier));
    }

    @Test
    void storesThroughARing() {
        hold(BlockPatternsTest::storesThroughARing, Edit.NO_WAIT_FULL, Edit.NO_WAIT_EMPTY, Edit.PARITY_FULL,
                Edit.PARITY_EMPTY, Edit.RELAXED_FULL, Edit.RELAXED_EMPTY, Edit.EARLY_EMPTY);
    }

    // ---- the same by cp.async

    private static void cpAsyncThroughARing(Body body, Edit edit) {
        setUp(body, HALF, HALF, false);
        body.purpose("producers").when(T.lessThan(HALF), p -> p.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            Expr stage = each.purpose("its stage").let("stage", turn.modulo(3));
            if (edit != Edit.NO_WAIT_EMPTY) {
                each.purpose("free").waitParity(EMPTY.at(stage), turn.dividedBy(3)
                        .plus(edit == Edit.PARITY_EMPTY ? 0 : 1).modulo(2));
            }
            each.purpose("copy").cpAsync(TILE.at(stage.times(4 * HALF).plus(T.times(4))), mine(SOURCE), 4);
            each.purpose("copied").issue(new CpAsyncMbarrierArrive().withNoinc(), Input.of(FULL.at(stage)));
        }));
        body.purpose("consumers").when(T.atLeast(HALF), c -> c.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            Expr stage = each.purpose("its stage").let("stage", turn.modulo(3));
            if (edit != Edit.NO_WAIT_FULL) {
                each.purpose("copied").waitParity(FULL.at(stage), turn.dividedBy(3)
                        .plus(edit == Edit.PARITY_FULL ? 1 : 0).modulo(2));
            }
            read(each, "read", TILE.at(stage.times(4 * HALF).plus(T.minus(HALF).times(4))), mine(RESULT));
            arrive(each, "read", EMPTY.at(stage), edit == Edit.RELAXED_EMPTY);
        }));
    }

    @Test
    void cpAsyncThroughARing() {
        hold(BlockPatternsTest::cpAsyncThroughARing, Edit.NO_WAIT_FULL, Edit.NO_WAIT_EMPTY, Edit.PARITY_FULL,
                Edit.PARITY_EMPTY, Edit.RELAXED_EMPTY);
    }

    // ---- cp.async in groups, three stages deep

    private static void cpAsyncInGroups(Body body, Edit edit) {
        for (int s = 0; s < 2; s++) {
            body.purpose("first copies").cpAsync(TILE.at(T.times(4).plus(4 * THREADS * s)), mine(SOURCE), 4);
            body.purpose("a group").cpAsyncCommit();
        }
        body.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            each.purpose("the oldest has landed").cpAsyncWait(edit == Edit.SHALLOW ? 2 : 1);
            if (edit != Edit.NO_SYNC) {
                sync(each, "for all threads, and the last one is read");
            }
            each.purpose("copy").cpAsync(TILE.at(turn.plus(2).modulo(edit == Edit.ONE_BUFFER ? 2 : 3)
                    .times(4 * THREADS).plus(T.times(4))), mine(SOURCE), 4);
            each.purpose("a group").cpAsyncCommit();
            read(each, "read", TILE.at(turn.modulo(edit == Edit.ONE_BUFFER ? 2 : 3).times(4 * THREADS)
                    .plus(T.plus(1).modulo(THREADS).times(4))), mine(RESULT));
        });
        body.purpose("all").cpAsyncWait(0);
    }

    @Test
    void cpAsyncInGroups() {
        hold(BlockPatternsTest::cpAsyncInGroups, Edit.SHALLOW, Edit.NO_SYNC, Edit.ONE_BUFFER);
    }

    // ---- two buffers, one meeting a turn

    private static void twoBuffers(Body body, Edit edit) {
        body.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            Expr buffer = each.purpose("which").let("buffer", turn.modulo(edit == Edit.ONE_BUFFER ? 1 : 2));
            move(each, "write", mine(SOURCE), TILE.at(buffer.times(4 * THREADS).plus(T.times(4))));
            if (edit != Edit.NO_SYNC) {
                sync(each, "all have written");
            }
            read(each, "read", TILE.at(buffer.times(4 * THREADS).plus(T.plus(1).modulo(THREADS).times(4))),
                    mine(RESULT));
        });
    }

    @Test
    void twoBuffers() {
        hold(BlockPatternsTest::twoBuffers, Edit.NO_SYNC, Edit.ONE_BUFFER);
    }

    // ---- computed tiles go out by the copy engine

    private static void storesByTheEngine(Body body, Edit edit) {
        body.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            one(each, b -> {
                if (edit != Edit.NO_WAIT_STORE) {
                    b.purpose("the buffer has been read").bulkWaitRead(edit == Edit.SHALLOW ? 2 : 1);
                }
            });
            if (edit != Edit.NO_SYNC) {
                sync(each, "it is free");
            }
            Expr buffer = each.purpose("which").let("buffer", turn.modulo(2).times(4 * THREADS));
            move(each, "write", mine(SOURCE), TILE.at(buffer.plus(T.times(4))));
            if (edit == Edit.FENCE_OF_ONE) {
                one(each, b -> b.purpose("seen by the engine").proxyFence(Memory.SHARED));
            } else if (edit != Edit.NO_FENCE) {
                each.purpose("seen by the engine").proxyFence(Memory.SHARED);
            }
            if (edit != Edit.ONE_BUFFER) {
                sync(each, "all have written");
            }
            one(each, b -> {
                b.purpose("store").bulkStore(at(RESULT, Builtin.BLOCK.times(TURNS).plus(turn).times(THREADS)),
                        TILE.at(buffer), 4 * THREADS);
                b.purpose("a group").bulkCommit();
            });
        });
        one(body, b -> b.purpose("to the end").bulkWait(0));
    }

    @Test
    void storesByTheEngine() {
        hold(BlockPatternsTest::storesByTheEngine, Edit.NO_WAIT_STORE, Edit.SHALLOW, Edit.NO_SYNC, Edit.NO_FENCE,
                Edit.FENCE_OF_ONE, Edit.ONE_BUFFER);
    }

    // ---- loads by the copy engine of what the kernel wrote

    private static void loadWhatWasWritten(Body body, Edit edit) {
        setUp(body, 1, 1, false);
        move(body, "write", mine(SOURCE), mine(WORK));
        if (edit != Edit.NO_FENCE && edit != Edit.FENCE_OF_ONE) {
            body.purpose("seen by the engine").proxyFence(Memory.GLOBAL);
        } else if (edit == Edit.FENCE_OF_ONE) {
            body.purpose("seen in shared memory alone").proxyFence(Memory.SHARED);
        }
        if (edit != Edit.NO_SYNC) {
            sync(body, "all have written");
        }
        one(body, b -> {
            b.purpose("announce").arriveExpectTx(FULL.at(0), 4 * THREADS);
            b.purpose("load").bulkLoad(TILE.at(0), at(WORK, Builtin.BLOCK.times(THREADS)), 4 * THREADS, FULL.at(0));
        });
        if (edit != Edit.NO_WAIT_FULL) {
            body.purpose("it has landed").waitParity(FULL.at(0), 0);
        }
        read(body, "read", TILE.at(T.times(4)), mine(RESULT));
    }

    @Test
    void loadsWhatWasWritten() {
        hold(BlockPatternsTest::loadWhatWasWritten, Edit.NO_FENCE, Edit.FENCE_OF_ONE, Edit.NO_SYNC,
                Edit.NO_WAIT_FULL);
    }
}
