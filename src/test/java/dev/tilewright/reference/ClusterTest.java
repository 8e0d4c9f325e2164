package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.barrier;
import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.program.Body;
import dev.tilewright.program.JavaLines;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.cluster.BarrierClusterWait;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.copy.StBulk;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What goes wrong in clusters and between blocks, each with the whole sentence that says so. */
class ClusterTest {
    private static final Expr T = Builtin.THREAD;
    private static final Expr RANK = Builtin.CLUSTER_RANK;
    private static final St REMOTE = St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.B32);
    private static final Ld FLAG = Ld.acquire(Scope.GPU, Space.GLOBAL, DataType.B32);

    private static TileProgram program(int threads, int clusterBlocks, Consumer<Body> code) {
        return new TileProgram("small", "a few steps", threads, clusterBlocks, List.of(SmallKernel.IN, SmallKernel.OUT),
                new SharedLayout(List.of(SmallKernel.BARRIERS, SmallKernel.BUFFER)), Body.steps(code));
    }

    private static void assertComplaint(Kind kind, String message, TileProgram program, int blocks) {
        ReferenceException e = assertThrows(ReferenceException.class, () -> SmallKernel.run(program, blocks));
        assertEquals(message, e.getMessage());
        assertEquals(kind, e.kind());
    }

    private static Expr.Var map(Body body, String name, Input address, Expr rank) {
        return body.purpose("map " + name).issue(name, Mapa.ofShared(), address, Input.of(rank));
    }

    @Test
    void aGridIsMadeOfWholeClusters() {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> SmallKernel.run(program(1, 4, _ -> { }), 6));
        assertEquals("kernel 'small' runs in clusters of 4 blocks: the grid must be a multiple of that, got 6 blocks",
                e.getMessage());
    }

    @Test
    void thereIsNoBlockOfThatRank() {
        assertComplaint(Kind.OUT_OF_BOUNDS, "kernel 'small', block 0, thread 0, step 'map it': mapa asks for the block "
                + "of rank 2, "
                + "and the cluster has 2 blocks",
                program(1, 2, body -> map(body, "it", Input.of(buffer(0)), Expr.of(2))), 2);
    }

    @Test
    void aMaskNamesBlocksThatAreThere() {
        assertComplaint(Kind.OUT_OF_BOUNDS, "kernel 'small', block 0, thread 0, step 'load': the mask of blocks is "
                + "0x5, which names a "
                + "block that is not there: the cluster has 2 blocks, bits 0 to 1", program(1, 2, body -> {
                    body.purpose("init").barrierInit(barrier(0), 1);
                    body.purpose("load").issue(new BulkLoad().withMulticast(), Input.of(buffer(0)), Input.of(in(0)),
                            Input.of(16), Input.of(barrier(0)), Input.of(5));
                }), 2);
    }

    @Test
    void aBarrierOfAnotherBlockMustBeThereBeforeItIsUsed() {
        assertComplaint(Kind.BARRIER_MISUSE, "kernel 'small', block 0, thread 0, step 'load': barrier ready[0] of the "
                + "block of rank 1 is "
                + "not initialised: its block must have initialised it, and a barrier of the cluster must lie in "
                + "between", program(1, 2, body -> {
                    body.purpose("before anything is there").clusterSync();
                    body.purpose("the first block").when(RANK.isEqualTo(0), first -> {
                        first.purpose("init").barrierInit(barrier(0), 1);
                        first.purpose("load")
                                .issue(new BulkLoad().withMulticast(), Input.of(buffer(0)), Input.of(in(0)),
                                Input.of(16), Input.of(barrier(0)), Input.of(3));
                    });
                    body.purpose("the end").clusterSync();
                }), 2);
    }

    @Test
    void theBarrierIsBesideTheDestination() {
        assertComplaint(Kind.BARRIER_MISUSE, "kernel 'small', block 1, thread 0, step 'send': the destination is in "
                + "the shared memory of "
                + "the block of rank 0 and the barrier in that of rank 1: the barrier must be in the same block as the "
                + "destination", program(1, 2, body -> {
                    body.purpose("init").barrierInit(barrier(0), 1);
                    body.purpose("there").clusterSync();
                    Expr to = map(body, "to", Input.of(buffer(0)), Expr.of(1).minus(RANK));
                    body.purpose("send")
                            .issue(new StAsync(DataType.B32).withExplicitSpace(), Input.of(to), Input.of(1),
                            Input.of(barrier(0)));
                }), 2);
    }

    @Test
    void theSharedMemoryOfABlockThatHasEndedIsGone() {
        assertComplaint(Kind.BLOCK_ENDED, "kernel 'small', block 0, thread 0, step 'store': block 1 (rank 1 of its "
                + "cluster) has ended, and "
                + "its shared memory with it: let no block end before the others are done with it, with a barrier of "
                + "the cluster at "
                + "the end", program(1, 2, body -> {
                    Expr there = map(body, "there", Input.of(buffer(0)), Expr.of(1));
                    body.purpose("all run").clusterSync();
                    body.purpose("the first block")
                            .when(RANK.isEqualTo(0), first -> first.purpose("store")
                            .issue(REMOTE, Input.of(there), Input.of(1)));
                }), 2);
    }

    @Test
    void aBlockMayNotHaveStarted() {
        assertComplaint(Kind.BLOCK_NOT_STARTED, "kernel 'small', block 0, thread 0, step 'store': block 1 (rank 1 of "
                + "its cluster) may not have "
                + "started: put a barrier of the cluster before the first use of another block's shared memory",
                program(1, 2, body -> {
                    Expr there = map(body, "there", Input.of(buffer(0)), Expr.of(1).minus(RANK));
                    body.purpose("store").issue(REMOTE, Input.of(there), Input.of(1));
                    body.purpose("the end").clusterSync();
                }), 2);
    }

    @Test
    void whatIsOutsideSharedMemoryIsNamedByItsBlock() {
        assertComplaint(Kind.OUT_OF_BOUNDS, "kernel 'small', block 1, thread 0, step 'store': shared address 0x1000830 "
                + "is byte 1072 of the "
                + "block of rank 1, which has 1072 bytes of shared memory", program(1, 2, body -> {
                    Expr there = map(body, "there", Input.of(buffer(0)), Expr.of(1));
                    body.purpose("all run").clusterSync();
                    body.purpose("store").issue(REMOTE, Input.of(there.plus(1056)), Input.of(1));
                }), 2);
    }

    @Test
    void whoArrivesAtTheClustersBarrierMustWaitBeforeTheNextTime() {
        BarrierClusterArrive arrive = new BarrierClusterArrive().withOrder(BarrierClusterArrive.Order.RELAXED);
        assertComplaint(Kind.BARRIER_MISUSE, "kernel 'small', block 0, thread 0, step 'again': thread 0 arrives at the "
                + "cluster's barrier a "
                + "second time without having waited for it: each barrier.cluster.arrive needs its "
                + "barrier.cluster.wait", program(1, 2, body -> {
                    body.purpose("arrive").issue(arrive);
                    body.purpose("again").issue(arrive);
                }), 2);
        assertComplaint(Kind.BARRIER_MISUSE, "kernel 'small', block 0, thread 0, step 'wait': thread 0 waits for the "
                + "cluster's barrier "
                + "without having arrived at it: put barrier.cluster.arrive before barrier.cluster.wait",
                program(1, 2, body -> body.purpose("wait").issue(new BarrierClusterWait())), 2);
    }

    @Test
    void aThreadThatHasExitedIsNotMissedAtTheClustersBarrier() {
        SmallKernel.run(program(8, 2, body -> body.purpose("some").when(T.plus(RANK).atLeast(3), some -> {
            some.purpose("arrive").issue(new BarrierClusterArrive());
            some.purpose("wait").issue(new BarrierClusterWait().withAcquire());
        })), 4);
    }

    @Test
    void aWholeWarpComesToAnAlignedBarrier() {
        assertComplaint(Kind.WARP, "kernel 'small', block 0, thread 1, step 'meet': not every thread of the warp "
                + "reaches this step: in block 0, "
                + "threads 1-3 wait for the rest of the warp in step 'meet'; thread 0 has exited; in block 1, threads "
                + "1-3 wait for the rest "
                + "of the warp in step 'meet'; thread 0 has exited",
                program(4, 2, body -> body.purpose("some")
                        .when(T.atLeast(1), some -> some.purpose("meet").clusterSync())), 2);
    }

    @Test
    void aClusterThatIsStuckIsDescribedWhole() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'small', block 2, thread 0, step 'wait': the kernel would wait "
                + "forever: in block 2, barrier "
                + "ready[0] stays in phase 0 (parity 0) with 1 of 3 arrivals pending, 16 bytes expected and 0 bytes "
                + "that came, and thread 0 "
                + "waits for it; thread 1 waits for the cluster's barrier in step 'the end', at which 1 thread is "
                + "missing; in block 3, "
                + "threads 0-1 wait for the cluster's barrier in step 'the end', at which 1 thread is missing",
                program(2, 2, body -> {
                    body.purpose("set up").when(T.isEqualTo(0), one -> one.purpose("init").barrierInit(barrier(0), 3));
                    body.purpose("there").clusterSync();
                    body.purpose("the second cluster").when(Builtin.BLOCK.atLeast(2).and(T.isEqualTo(0)), second -> {
                        Expr mbar = map(second, "mbar", Input.of(barrier(0)), Expr.of(0));
                        second.purpose("arrive").issue(new MbarrierArrive().withOrder(ArriveOrder.RELEASE_CLUSTER)
                                .withSpace(Space.SHARED_CLUSTER), Input.of(mbar));
                        second.purpose("the first block").when(RANK.isEqualTo(0), first -> {
                            first.purpose("announce").expectTx(barrier(0), 16);
                            first.purpose("wait").waitParity(barrier(0), 0);
                        });
                    });
                    body.purpose("the end")
                            .issue(new BarrierClusterArrive().withOrder(BarrierClusterArrive.Order.RELEASE));
                    body.purpose("the end").issue(new BarrierClusterWait().withAcquire());
                }), 4);
    }

    @Test
    void aCopyIntoAnotherBlockIsLeftInFlight() {
        assertComplaint(Kind.LEFT_IN_FLIGHT, "kernel 'small', block 1, thread 0, step 'send': the block ends while "
                + "this copy of 4 bytes into "
                + "the shared memory of block 0 is still in flight; wait for barrier ready[0] before the last thread "
                + "exits", program(1, 2, body -> {
                    body.purpose("init").barrierInit(barrier(0), 1);
                    body.purpose("there").clusterSync();
                    body.purpose("the second block").when(RANK.isEqualTo(1), second -> {
                        Expr to = map(second, "to", Input.of(buffer(0)), Expr.of(0));
                        Expr mbar = map(second, "mbar", Input.of(barrier(0)), Expr.of(0));
                        second.purpose("send")
                                .issue(new StAsync(DataType.B32).withExplicitSpace(), Input.of(to), Input.of(1),
                                Input.of(mbar));
                    });
                    body.purpose("the end").clusterSync();
                }), 2);
    }

    // ---- blocks that wait for each other

    private static TileProgram chain() {
        return program(1, 1, body -> {
            body.purpose("not the last")
                    .when(Builtin.BLOCK.lessThan(Builtin.GRID.minus(1)), others -> others.purpose("the next block")
                    .waitUntil("state", ValueType.U32,
                    new Address.Global(SmallKernel.OUT, Builtin.BLOCK.plus(1).times(4).toS64()), v -> v.isEqualTo(1)));
            body.purpose("say so").issue(St.release(Scope.GPU, Space.GLOBAL, DataType.B32),
                    Input.of(new Address.Global(SmallKernel.OUT, Builtin.BLOCK.times(4).toS64())), Input.of(1));
        });
    }

    @Test
    void blocksMayWaitForLaterOnes() {
        byte[] out = SmallKernel.run(chain(), 16);
        for (int i = 0; i < 64; i++) {
            assertEquals(i % 4 == 0 ? 1 : 0, out[i]);
        }
    }

    @Test
    void aGpuThatHoldsTooFewBlocksHangs() {
        ReferenceException e = assertThrows(ReferenceException.class, () -> SmallKernel.run(chain(), 5,
                ReferenceOptions.DEFAULT.withResidentBlocks(2)));
        assertEquals("kernel 'small', block 0, thread 0, step 'the next block': the kernel would wait forever: in "
                + "block 0, thread 0 waits "
                + "for the value at byte 4 of 'out', which stays 0, in step 'the next block'; in block 1, thread 0 "
                + "waits for the value at "
                + "byte 8 of 'out', which stays 0, in step 'the next block'; the last 3 blocks of the grid are not "
                + "started before others end", e.getMessage());
        assertEquals(Kind.WOULD_HANG, e.kind());
        assertThrows(ReferenceException.class, () -> SmallKernel.run(chain(), 5,
                ReferenceOptions.DEFAULT.withResidentBlocks(2).withSeed(1)));
        SmallKernel.run(chain(), 5, ReferenceOptions.DEFAULT.withResidentBlocks(5).withSeed(1));
    }

    @Test
    void aValueThatNobodyStoresIsWaitedForInVain() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'small', block 0, thread 1, step 'wait': the kernel would wait "
                + "forever: threads 1-2 wait for "
                + "the value at byte 8 of 'out', which stays 0, in step 'wait'; thread 0 has exited",
                program(3, 1, body -> body.purpose("some")
                        .when(T.atLeast(1), some -> some.purpose("wait")
                        .waitUntil("v", ValueType.U32, out(8), v -> v.isEqualTo(1)))), 1);
    }

    @Test
    void whatOnlyNewerGpusHaveIsNamed() {
        assertComplaint(Kind.NOT_MODELLED, "kernel 'small', block 0, thread 0, step 'zero': st.bulk.weak.shared::cta "
                + "is for sm_100 and later: "
                + "it is emitted, not run on the CPU",
                program(1, 1, body -> body.purpose("zero").issue(new StBulk().withWeak(),
                Input.of(buffer(0)), Input.of(16L))), 1);
    }

    @Test
    void aClusterHasOneToEightBlocksOrSixteen() {
        for (int blocks : new int[] {0, 9, 15, 17}) {
            assertEquals("blocks per cluster must be in [1, 8] or 16, got " + blocks,
                    assertThrows(IllegalArgumentException.class, () -> program(1, blocks, _ -> { })).getMessage());
        }
        SmallKernel.run(program(1, 16, body -> body.purpose("all").clusterSync()), 32);
        assertEquals("CLUSTER_RANK is for kernels that run in clusters, this one does not: give it clusters of 2 or "
                + "more blocks (step: x)",
                JavaLines.without(assertThrows(IllegalArgumentException.class,
                () -> program(1, 1, body -> body.purpose("x")
                        .let("x", RANK))).getMessage()));
    }
}
