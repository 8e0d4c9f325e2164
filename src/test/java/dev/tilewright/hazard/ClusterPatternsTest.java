package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.EMPTY;
import static dev.tilewright.hazard.OrderKernels.FULL;
import static dev.tilewright.hazard.OrderKernels.RANK;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.T;
import static dev.tilewright.hazard.OrderKernels.THREADS;
import static dev.tilewright.hazard.OrderKernels.TILE;
import static dev.tilewright.hazard.OrderKernels.arriveThere;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.check;
import static dev.tilewright.hazard.OrderKernels.inManyOrders;
import static dev.tilewright.hazard.OrderKernels.mine;
import static dev.tilewright.hazard.OrderKernels.one;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.setUp;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import java.util.EnumSet;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** How blocks of a cluster work in each other's shared memory: right kernels, and each with one edit. */
class ClusterPatternsTest {
    private static final int TURNS = 4;
    private static final Expr PEER = Expr.of(1).minus(RANK);

    /** An edit of a kernel; each kernel has some of them. */
    enum Edit {
        NONE, NO_MEETING, NO_MEETING_AT_END, RELAXED_ARRIVAL, FENCE_OF_BLOCK, NO_FENCE, BLOCK_SCOPE, NO_WAIT_EMPTY,
        NO_WAIT_FULL, OWN_ARRIVAL_ONLY, PARITY_EMPTY, WAIT_OF_BLOCK
    }

    private static void hold(BiConsumer<Body, Edit> kernel, Edit first, Edit... rest) {
        Twins.clean(inManyOrders(4, 2, body -> kernel.accept(body, Edit.NONE)));
        for (Edit edit : EnumSet.of(first, rest)) {
            HazardReport report = check(4, 2, body -> kernel.accept(body, edit));
            assertFalse(report.isClean(), () -> edit + " is not found");
        }
    }

    // ---- words left in the other block, and a cluster barrier in two halves

    private static void leaveWords(Body body, Edit edit) {
        Expr there = body.purpose("there").issue("there", Mapa.ofShared(), Input.of(TILE.at(T.times(4))),
                Input.of(PEER));
        body.purpose("both run").clusterSync();
        body.purpose("leave a word").issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.B32),
                Input.of(there), Input.of(T));
        boolean relaxed = edit == Edit.RELAXED_ARRIVAL || edit == Edit.FENCE_OF_BLOCK || edit == Edit.NO_FENCE;
        if (edit == Edit.FENCE_OF_BLOCK) {
            body.purpose("release").fence(Scope.CTA);
        } else if (edit == Edit.RELAXED_ARRIVAL) {
            body.purpose("release").fence(Scope.CLUSTER);
        }
        if (edit != Edit.NO_MEETING) {
            body.purpose("left").issue(new BarrierClusterArrive().withOrder(relaxed
                    ? BarrierClusterArrive.Order.RELAXED : BarrierClusterArrive.Order.RELEASE).withAligned());
            body.purpose("all have").issue(new BarrierClusterWait().withAcquire().withAligned());
        }
        read(body, "read", TILE.at(T.times(4)), mine(RESULT));
        if (edit != Edit.NO_MEETING_AT_END) {
            body.purpose("nobody leaves").clusterSync();
        }
    }

    @Test
    void wordsLeftInTheOtherBlock() {
        hold(ClusterPatternsTest::leaveWords, Edit.NO_MEETING, Edit.FENCE_OF_BLOCK, Edit.NO_FENCE);
        Twins.clean(inManyOrders(4, 2, body -> leaveWords(body, Edit.RELAXED_ARRIVAL)));
        Twins.found(HazardCode.FLAG_NOT_ACQUIRED, "left", check(4, 2, body -> leaveWords(body, Edit.NO_FENCE)));
    }

    // ---- one copy for both blocks, handed back by both

    private static void multicast(Body body, Edit edit) {
        setUp(body, 1, edit == Edit.OWN_ARRIVAL_ONLY ? THREADS : 2 * THREADS, true);
        body.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            Expr stage = each.purpose("its stage").let("stage", turn.modulo(2));
            Expr round = turn.dividedBy(2);
            one(each, b -> {
                if (edit != Edit.NO_WAIT_EMPTY) {
                    b.purpose("free in both").waitParity(EMPTY.at(stage), round
                            .plus(edit == Edit.PARITY_EMPTY ? 0 : 1).modulo(2)).order(WaitOrder.ACQUIRE_CLUSTER);
                }
                b.purpose("two halves come").arriveExpectTx(FULL.at(stage), 512);
                b.purpose("mine goes to both").issue(new BulkLoad().withMulticast(),
                        Input.of(TILE.at(stage.times(512).plus(RANK.times(256)))), Input.of(at(SOURCE, RANK.times(64))),
                        Input.of(256), Input.of(FULL.at(stage)), Input.of(3));
            });
            if (edit != Edit.NO_WAIT_FULL) {
                each.purpose("landed").waitParity(FULL.at(stage), round.modulo(2));
            }
            read(each, "read", TILE.at(stage.times(512).plus(T.times(8))), mine(RESULT));
            ArriveOrder order = edit == Edit.BLOCK_SCOPE ? ArriveOrder.RELEASE_CTA
                    : edit == Edit.RELAXED_ARRIVAL ? ArriveOrder.RELAXED_CLUSTER : ArriveOrder.RELEASE_CLUSTER;
            arriveThere(each, "read here", EMPTY.at(stage), RANK, order);
            if (edit != Edit.OWN_ARRIVAL_ONLY) {
                arriveThere(each, "read there", EMPTY.at(stage), PEER, order);
            }
        });
        body.purpose("nobody leaves").clusterSync();
    }

    @Test
    void multicasts() {
        hold(ClusterPatternsTest::multicast, Edit.NO_WAIT_EMPTY, Edit.NO_WAIT_FULL, Edit.OWN_ARRIVAL_ONLY,
                Edit.PARITY_EMPTY, Edit.BLOCK_SCOPE, Edit.RELAXED_ARRIVAL);
    }

    // ---- a ring through st.async

    private static void send(Body body, Edit edit) {
        setUp(body, 1, THREADS, true);
        Expr full = body.purpose("its barriers").issue("full_there", Mapa.ofShared(),
                Input.of(FULL.at(0)), Input.of(PEER));
        Expr tile = body.purpose("its tile").issue("tile_there", Mapa.ofShared(), Input.of(TILE.at(T.times(4))),
                Input.of(PEER));
        body.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            one(each, b -> b.purpose("so much comes").arriveExpectTx(FULL.at(0), 4 * THREADS));
            if (edit != Edit.NO_WAIT_EMPTY) {
                each.purpose("the other has read").waitParity(EMPTY.at(0), turn.plus(1).modulo(2))
                        .order(edit == Edit.WAIT_OF_BLOCK ? WaitOrder.ACQUIRE_CTA : WaitOrder.ACQUIRE_CLUSTER);
            }
            each.purpose("send").issue(new StAsync(DataType.B32), Input.of(tile), Input.of(turn), Input.of(full));
            if (edit != Edit.NO_WAIT_FULL) {
                each.purpose("it has come").waitParity(FULL.at(0), turn.modulo(2));
            }
            read(each, "read", TILE.at(T.times(4)), mine(RESULT));
            arriveThere(each, "have read", EMPTY.at(0), PEER, edit == Edit.BLOCK_SCOPE
                    ? ArriveOrder.RELEASE_CTA : ArriveOrder.RELEASE_CLUSTER);
        });
        body.purpose("nobody leaves").clusterSync();
    }

    @Test
    void aRingThroughStAsync() {
        hold(ClusterPatternsTest::send, Edit.NO_WAIT_EMPTY, Edit.NO_WAIT_FULL, Edit.BLOCK_SCOPE, Edit.WAIT_OF_BLOCK);
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "have read", check(4, 2, body -> send(body, Edit.BLOCK_SCOPE)));
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "the other has read",
                check(4, 2, body -> send(body, Edit.WAIT_OF_BLOCK)));
    }

    // ---- sums in the first block's shared memory

    private static void sums(Body body, Edit edit) {
        body.purpose("zero").issue(St.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32), Input.of(TILE.at(T.times(4))),
                Input.of(0));
        Expr there = body.purpose("there").issue("there", Mapa.ofShared(), Input.of(TILE.at(T.times(4))), Input.of(0));
        if (edit != Edit.NO_FENCE) {
            body.purpose("all are zero").clusterSync();
        }
        body.purpose("add").issue(new Red(Red.Order.RELAXED, edit == Edit.BLOCK_SCOPE ? Scope.CTA : Scope.CLUSTER,
                Space.SHARED_CLUSTER, AtomicOp.ADD, DataType.U32), Input.of(there), Input.of(T));
        if (edit != Edit.NO_MEETING) {
            body.purpose("all have added").clusterSync();
        }
        body.purpose("the first block").when(RANK.isEqualTo(0),
                b -> read(b, "read", TILE.at(T.times(4)), mine(RESULT)));
    }

    @Test
    void sumsInTheFirstBlock() {
        hold(ClusterPatternsTest::sums, Edit.NO_FENCE, Edit.NO_MEETING, Edit.BLOCK_SCOPE);
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "add", check(4, 2, body -> sums(body, Edit.BLOCK_SCOPE)));
    }
}
