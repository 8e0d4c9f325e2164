package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.FULL;
import static dev.tilewright.hazard.OrderKernels.RANK;
import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.T;
import static dev.tilewright.hazard.OrderKernels.THREADS;
import static dev.tilewright.hazard.OrderKernels.TILE;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.check;
import static dev.tilewright.hazard.OrderKernels.inManyOrders;
import static dev.tilewright.hazard.OrderKernels.mine;
import static dev.tilewright.hazard.OrderKernels.move;
import static dev.tilewright.hazard.OrderKernels.one;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.setUp;
import static dev.tilewright.hazard.OrderKernels.sync;
import static dev.tilewright.hazard.OrderKernels.thread;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceProxyAsync.Memory;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.memory.St;
import org.junit.jupiter.api.Test;

/** Who must perform a proxy fence, for what memory, and which copies need none. */
class ProxiesTest {
    private static final Expr PEER = Expr.of(1).minus(RANK);

    private static void fill(Body body) {
        move(body, "fill", mine(SOURCE), TILE.at(T.times(4)));
    }

    private static void store(Body b) {
        b.purpose("store").bulkStore(at(RESULT, Builtin.BLOCK.times(THREADS)), TILE.at(0), 4 * THREADS);
        b.purpose("a group").bulkCommit();
        b.purpose("to the end").bulkWait(0);
    }

    // ---- a fence of another thread

    /** All fill, a thread fences, thread 0 stores. */
    private static void fenceByAnother(Body body, boolean meetsBefore, boolean meetsAfter) {
        fill(body);
        if (meetsBefore) {
            sync(body, "all have filled");
        }
        thread(body, 40, b -> b.purpose("fence").proxyFence(Memory.SHARED));
        if (meetsAfter) {
            sync(body, "it is fenced");
        }
        one(body, ProxiesTest::store);
    }

    @Test
    void aFenceThatAnotherThreadPerformsBetweenTwoMeetings() {
        Twins.clean(inManyOrders(1, 1, body -> fenceByAnother(body, true, true)));
        Twins.found(HazardCode.MISSING_PROXY_FENCE, "store", check(1, 1, body -> fenceByAnother(body, true, false)));
        Twins.found(HazardCode.MISSING_PROXY_FENCE, "fence", check(1, 1, body -> fenceByAnother(body, false, true)));
    }

    // ---- a fence among those of a release pattern

    /** All fill and arrive, relaxed; thread 0 waits and stores. */
    private static void relaxedHandOver(Body body, boolean fencesFirst) {
        setUp(body, THREADS, 1, true);
        fill(body);
        if (fencesFirst) {
            body.purpose("shown").proxyFence(Memory.SHARED);
        }
        body.purpose("released").issue(new Fence(Scope.CTA));
        if (!fencesFirst) {
            body.purpose("shown").proxyFence(Memory.SHARED);
        }
        body.purpose("arrive").arrive(FULL.at(0)).order(ArriveOrder.RELAXED_CTA);
        one(body, b -> {
            b.purpose("all have filled").waitParity(FULL.at(0), 0);
            store(b);
        });
    }

    @Test
    void aFenceBetweenTheReleasingOneAndTheRelaxedArrivalIsNotPartOfTheRelease() {
        Twins.clean(inManyOrders(1, 1, body -> relaxedHandOver(body, true)));
        HazardReport report = check(1, 1, body -> relaxedHandOver(body, false));
        Twins.found(HazardCode.MISSING_PROXY_FENCE, "shown", report);
        assertTrue(report.findings().getFirst().fix().matches("put step \\d+ before step \\d+"), report::toString);
    }

    // ---- bytes in another block

    /** Each block fills the other's tile, and stores its own. */
    private static void fillThere(Body body, Memory fenceOfWriter, Memory fenceOfOwner) {
        Expr there = body.purpose("there").issue("there", Mapa.ofShared(), Input.of(TILE.at(T.times(4))),
                Input.of(PEER));
        body.purpose("both run").clusterSync();
        body.purpose("fill there").issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.B32),
                Input.of(there), Input.of(T));
        if (fenceOfWriter != null) {
            body.purpose("fence").proxyFence(fenceOfWriter);
        }
        body.purpose("both have filled").clusterSync();
        one(body, b -> {
            if (fenceOfOwner != null) {
                b.purpose("fence of the owner").proxyFence(fenceOfOwner);
            }
            store(b);
        });
    }

    @Test
    void aFenceForTheBlocksOwnMemoryAndBytesInAnother() {
        Twins.clean(inManyOrders(2, 2, body -> fillThere(body, Memory.SHARED_CLUSTER, null)));
        Twins.clean(inManyOrders(2, 2, body -> fillThere(body, Memory.ALL, null)));
        Twins.clean(inManyOrders(2, 2, body -> fillThere(body, null, Memory.SHARED)));
        Twins.found(HazardCode.MISSING_PROXY_FENCE, "fence",
                check(2, 2, body -> fillThere(body, Memory.SHARED, null)));
        Twins.found(HazardCode.MISSING_PROXY_FENCE, "fence",
                check(2, 2, body -> fillThere(body, Memory.GLOBAL, Memory.GLOBAL)));
    }

    // ---- stores and reductions into a block by threads of another, which are no copies of the engine

    /** Each thread adds to a word of the other block that it has zeroed, without a proxy fence. */
    private static void addThere(Body body, boolean ordered, boolean shown) {
        setUp(body, 1, 1, true);
        body.purpose("zero").issue(St.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32), Input.of(TILE.at(T.times(4))),
                Input.of(0));
        one(body, b -> b.purpose("so much comes").arriveExpectTx(FULL.at(0), 4 * THREADS));
        if (ordered) {
            body.purpose("all zeroed").clusterSync();
        }
        Expr there = body.purpose("there").issue("there", Mapa.ofShared(), Input.of(TILE.at(T.times(4))),
                Input.of(PEER));
        Expr full = body.purpose("its barrier").issue("full", Mapa.ofShared(), Input.of(FULL.at(0)),
                Input.of(PEER));
        body.purpose("add").issue(new RedAsync(AtomicOp.ADD, DataType.U32), Input.of(there), Input.of(T),
                Input.of(full));
        body.purpose("it has come").waitParity(FULL.at(0), 0);
        if (shown) {
            read(body, "read", TILE.at(T.times(4)), mine(RESULT));
        }
        body.purpose("nobody leaves").clusterSync();
    }

    @Test
    void redAsyncNeedsNoProxyFence() {
        Twins.clean(inManyOrders(2, 2, body -> addThere(body, true, true)));
        Twins.found(HazardCode.MISSING_BARRIER, "add", check(2, 2, body -> addThere(body, false, true)));
    }

    /** What came by st.async goes on by the copy engine. */
    private static void sendAndStore(Body body, boolean fences) {
        setUp(body, 1, 1, true);
        one(body, b -> b.purpose("so much comes").arriveExpectTx(FULL.at(0), 4 * THREADS));
        Expr there = body.purpose("there").issue("there", Mapa.ofShared(), Input.of(TILE.at(T.times(4))),
                Input.of(PEER));
        Expr full = body.purpose("its barrier").issue("full", Mapa.ofShared(), Input.of(FULL.at(0)),
                Input.of(PEER));
        body.purpose("send").issue(new StAsync(DataType.B32), Input.of(there), Input.of(T), Input.of(full));
        one(body, b -> {
            b.purpose("it has come").waitParity(FULL.at(0), 0);
            if (fences) {
                b.purpose("seen by the engine").proxyFence(Memory.SHARED);
            }
            store(b);
        });
        body.purpose("nobody leaves").clusterSync();
    }

    @Test
    void whatStAsyncBroughtNeedsAProxyFenceForTheEngine() {
        Twins.clean(inManyOrders(2, 2, body -> sendAndStore(body, true)));
        HazardReport report = check(2, 2, body -> sendAndStore(body, false));
        Twins.found(HazardCode.MISSING_PROXY_FENCE, "store", report);
        assertTrue(report.findings().getFirst().fix().startsWith("st.async writes as"), report::toString);
    }

    /** A block that only threads send to need not make its barriers known to the copy engine. */
    @Test
    void barriersOfStAsyncAloneAreInitialisedWithoutTheFence() {
        Twins.clean(inManyOrders(2, 2, body -> {
            one(body, b -> b.purpose("full").barrierInit(FULL.at(0), 1));
            body.purpose("set up").clusterSync();
            one(body, b -> b.purpose("so much comes").arriveExpectTx(FULL.at(0), 4 * THREADS));
            Expr there = body.purpose("there").issue("there", Mapa.ofShared(), Input.of(TILE.at(T.times(4))),
                    Input.of(PEER));
            Expr full = body.purpose("its barrier").issue("full", Mapa.ofShared(), Input.of(FULL.at(0)),
                    Input.of(PEER));
            body.purpose("send").issue(new StAsync(DataType.B32), Input.of(there), Input.of(T), Input.of(full));
            body.purpose("it has come").waitParity(FULL.at(0), 0);
            read(body, "read", TILE.at(T.times(4)), mine(RESULT));
            body.purpose("nobody leaves").clusterSync();
        }));
    }
}
