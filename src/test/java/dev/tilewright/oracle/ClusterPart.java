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
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkClusterCopy;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;

/** The two blocks of a cluster give each other a tile, in one of the ways there are. */
final class ClusterPart implements Part {
    private static final int WORDS = 1;

    private enum Way { STORE, READ, ST_ASYNC, RED_ASYNC, MULTICAST, RING, SIGNAL, COPY, ENGINE }

    private final Plan plan;
    private final Way way;
    private final int tiles;
    private final boolean split;
    private final SharedRegion.Buffer buffer;
    private final SharedRegion.Buffer own;
    private final SharedRegion.Barriers full;
    private final SharedRegion.Barriers empty;
    private final Expr source;
    private final Expr result;

    ClusterPart(Plan plan) {
        this.plan = plan;
        way = Way.values()[plan.pick(Way.values().length)];
        tiles = way == Way.RING ? 2 : 1;
        split = plan.maybe();
        buffer = plan.buffer(plan.tile());
        own = way == Way.COPY ? plan.buffer(plan.tile()) : null;
        full = switch (way) {
            case ST_ASYNC, RED_ASYNC, MULTICAST, RING, COPY -> plan.barriers(1, 1);
            case SIGNAL -> plan.barriers(1, plan.threads);
            case STORE, READ, ENGINE -> null;
        };
        empty = way == Way.RING ? plan.barriers(1, plan.threads * 2) : null;
        source = plan.source(tiles * plan.tile());
        result = plan.result(tiles * plan.tile());
    }

    private Expr other() {
        return Expr.of(1).minus(Builtin.CLUSTER_RANK);
    }

    private void meet(Body body) {
        if (split) {
            body.issue(new BarrierClusterArrive());
            body.issue(new BarrierClusterWait());
        } else {
            body.clusterSync();
        }
    }

    private void show(Body body, Expr place, Expr at) {
        Plan.move(body, buffer.at(place.times(PIECE)), Plan.to(result.plus(at).plus(T.times(PIECE))));
    }

    private Expr fullThere(Body body) {
        return body.issue("full_there", Mapa.ofShared(), Input.of(full.at(0)), Input.of(other()));
    }

    private Expr pieceThere(Body body) {
        return body.issue("there", Mapa.ofShared(), Input.of(buffer.at(T.times(PIECE))), Input.of(other()));
    }

    /** Words of a thread's own. */
    private static Expr word(int i) {
        return Builtin.BLOCK.times(1000).plus(T.times(10)).plus(i);
    }

    private void storeThere(Body body) {
        Expr there = pieceThere(body);
        for (int i = 0; i < WORDS; i++) {
            body.issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.U32), Input.of(there.plus(4 * i)),
                    Input.of(word(i)));
        }
    }

    private void readWords(Body body) {
        for (int i = 0; i < WORDS; i++) {
            Expr value = body.issue("word", Ld.relaxed(Scope.CLUSTER, Space.SHARED_CTA, DataType.U32),
                    Input.of(buffer.at(plan.neighbour(1).times(PIECE).plus(4 * i))));
            body.issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32),
                    Input.of(Plan.to(result.plus(T.times(PIECE)).plus(4 * i))), Input.of(value));
        }
    }

    @Override
    public void write(Body body) {
        Expr zero = Expr.of(0);
        switch (way) {
            case STORE -> {
                storeThere(body);
                meet(body);
                readWords(body);
            }
            case READ -> {
                Plan.move(body, Plan.from(source.plus(T.times(PIECE))), buffer.at(T.times(PIECE)));
                Expr there = pieceThere(body);
                meet(body);
                for (int i = 0; i < WORDS; i++) {
                    Expr value = body.issue("word", Ld.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.U32),
                            Input.of(there.plus(4 * i)));
                    body.issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32),
                            Input.of(Plan.to(result.plus(T.times(PIECE)).plus(4 * i))), Input.of(value));
                }
                meet(body);
            }
            case ST_ASYNC -> {
                body.when(T.isEqualTo(0), one -> one.arriveExpectTx(full.at(zero), 4 * plan.threads));
                Expr there = pieceThere(body);
                Expr mbar = fullThere(body);
                body.issue(new StAsync(DataType.U32), Input.of(there), Input.of(word(0)), Input.of(mbar));
                body.waitParity(full.at(zero), zero);
                var piece = body.load("word", dev.tilewright.layout.ElementType.U32, 1,
                        buffer.at(plan.neighbour(1).times(PIECE)));
                body.store(Plan.to(result.plus(T.times(PIECE))), piece);
            }
            case RED_ASYNC -> {
                Plan.move(body, Plan.from(source.plus(T.times(PIECE))), buffer.at(T.times(PIECE)));
                body.when(T.isEqualTo(0), one -> one.arriveExpectTx(full.at(zero), 4 * plan.threads));
                meet(body);
                // All threads add to one word of the other block.
                Expr there = body.issue("there", Mapa.ofShared(), Input.of(buffer.at(zero)), Input.of(other()));
                Expr mbar = fullThere(body);
                body.issue(new RedAsync(AtomicOp.ADD, DataType.U32), Input.of(there), Input.of(word(0)),
                        Input.of(mbar));
                body.waitParity(full.at(zero), zero);
                var piece = body.load("word", dev.tilewright.layout.ElementType.U32, 1, buffer.at(zero));
                body.store(Plan.to(result.plus(T.times(PIECE))), piece);
            }
            case MULTICAST -> {
                body.when(T.isEqualTo(0), one -> {
                    one.arriveExpectTx(full.at(zero), plan.tile());
                    one.when(Builtin.CLUSTER_RANK.isEqualTo(0), first -> first.bulkLoad(buffer.at(zero),
                            Plan.from(source), plan.tile(), full.at(zero)).multicast(3));
                });
                body.waitParity(full.at(zero), zero);
                show(body, plan.neighbour(1), zero);
            }
            case RING -> ring(body);
            case SIGNAL -> {
                storeThere(body);
                Expr mbar = fullThere(body);
                body.issue(new MbarrierArrive().withOrder(ArriveOrder.RELEASE_CLUSTER)
                        .withSpace(Space.SHARED_CLUSTER), Input.of(mbar));
                body.waitParity(full.at(zero), zero).order(WaitOrder.ACQUIRE_CLUSTER);
                readWords(body);
            }
            case ENGINE -> {
                Expr there = pieceThere(body);
                for (int i = 0; i < 4; i++) {
                    body.issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.U32),
                            Input.of(there.plus(4 * i)), Input.of(word(i)));
                }
                if (!split) {
                    body.proxyFence(FenceProxyAsync.Memory.SHARED_CLUSTER);
                }
                meet(body);
                body.when(T.isEqualTo(0), one -> {
                    if (split) {
                        one.proxyFence(FenceProxyAsync.Memory.SHARED);
                    }
                    one.bulkStore(Plan.to(result), buffer.at(zero), plan.tile());
                    one.bulkCommit();
                    one.bulkWaitRead(0);
                });
            }
            case COPY -> {
                Plan.move(body, Plan.from(source.plus(T.times(PIECE))), own.at(T.times(PIECE)));
                body.proxyFence(FenceProxyAsync.Memory.SHARED);
                body.syncThreads();
                body.when(T.isEqualTo(0), one -> {
                    one.arriveExpectTx(full.at(zero), plan.tile());
                    Expr there = one.issue("there", Mapa.ofShared(), Input.of(buffer.at(zero)), Input.of(other()));
                    one.issue(new BulkClusterCopy(), Input.of(there), Input.of(own.at(zero)),
                            Input.of(plan.tile()), Input.of(fullThere(one)));
                });
                body.waitParity(full.at(zero), zero);
                show(body, plan.neighbour(1), zero);
                meet(body);
            }
        }
    }

    /** The first block loads tile after tile for both into one stage, when both have handed it back. */
    private void ring(Body body) {
        Expr zero = Expr.of(0);
        for (int tile = 0; tile < tiles; tile++) {
            int turn = tile;
            body.when(T.isEqualTo(0), one -> {
                one.arriveExpectTx(full.at(zero), plan.tile());
                one.when(Builtin.CLUSTER_RANK.isEqualTo(0), first -> {
                    if (turn > 0) {
                        first.waitParity(empty.at(zero), turn + 1 & 1).order(WaitOrder.ACQUIRE_CLUSTER);
                    }
                    first.bulkLoad(buffer.at(zero), Plan.from(source.plus(turn * plan.tile())),
                            plan.tile(), full.at(zero)).multicast(3);
                });
            });
            body.waitParity(full.at(zero), turn & 1);
            show(body, plan.neighbour(1), Expr.of(turn * plan.tile()));
            if (turn + 1 < tiles) {
                Expr there = body.issue("empty_there", Mapa.ofShared(), Input.of(empty.at(zero)), Input.of(zero));
                body.issue(new MbarrierArrive().withOrder(ArriveOrder.RELEASE_CLUSTER)
                        .withSpace(Space.SHARED_CLUSTER), Input.of(there));
            }
        }
    }

    @Override
    public String toString() {
        return "cluster " + way + (split ? " split" : "");
    }
}
