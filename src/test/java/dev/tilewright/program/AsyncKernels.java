package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Getctarank;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkClusterCopy;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.ArriveOp;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveNoComplete;
import dev.tilewright.ptx.mbarrier.MbarrierCompleteTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.mbarrier.MbarrierPendingCount;
import dev.tilewright.ptx.mbarrier.MbarrierTestWait;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.TxOrder;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.AddressSpace;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Cvta;
import dev.tilewright.ptx.memory.Isspacep;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.ptx.warp.ElectSync;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.ptx.warp.Stmatrix;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;

/**
 * Kernels in which threads and blocks wait for each other in every way there is. Each takes the same parameters, has 64
 * threads a block, and leaves one known 32-bit word in each place of the result that it writes.
 */
public final class AsyncKernels {
    /** Bytes that every parameter points to; the flags start as zeros. */
    public static final int BYTES = 32768;
    public static final int THREADS = 64;
    public static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    public static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    public static final Parameter.Pointer FLAGS = new Parameter.Pointer("flags", true);
    /** Of 32 by 256 floats, in boxes of 32 by 8, on the source. */
    public static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 2);

    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", 4096, 1024);
    private static final SharedRegion.Barriers BARRIERS = new SharedRegion.Barriers("ready", 4);
    private static final Expr T = Builtin.THREAD;
    private static final Expr BLOCK = Builtin.BLOCK;
    private static final Expr RANK = Builtin.CLUSTER_RANK;

    /**
     * One of the kernels.
     *
     * @param wordsPerBlock words of the result that a block writes, from {@code block * wordsPerBlock} on
     * @param expected the word in each place, given the words of the source
     */
    public record Case(TileProgram program, int blocks, int wordsPerBlock, Expected expected) {
        /** The name of the program. */
        @Override
        public String toString() {
            return program.name();
        }
    }

    /** What a place of the result holds. */
    @FunctionalInterface
    public interface Expected {
        int word(IntUnaryOperator source, int place);
    }

    private AsyncKernels() {
    }

    public static List<Case> all() {
        return List.of(remoteStore(), genericRemoteStore(), multicastBulk(), multicastTensor(), stAsync(), redAsync(),
                clusterCopy(), remoteArrive(), remoteBytes(), flags(), workStealing(), cpAsyncArrive(), arriveDrop(),
                bulkWaitRead(), barrierStates(), addresses(), matrices());
    }

    // ---- clusters

    /** Every thread leaves a number with the next block of its cluster. */
    static Case remoteStore() {
        return new Case(program("remote_store", 4, body -> {
            Expr next = body.purpose("my place in the next block").issue("next", Mapa.ofShared(),
                    Input.of(BUFFER.at(T.times(4))),
                    Input.of(RANK.plus(1).modulo(4)));
            body.purpose("every block of the cluster runs").clusterSync();
            body.purpose("leave it there").issue(store(Scope.CLUSTER, Space.SHARED_CLUSTER), Input.of(next),
                    Input.of(BLOCK.times(1000).plus(T)));
            body.purpose("all have left theirs").clusterSync();
            showBuffer(body, "mine", T, T);
        }), 8, THREADS, (_, i) -> (i / THREADS / 4 * 4 + (i / THREADS + 3) % 4) * 1000 + i % THREADS);
    }

    /** Remote stores by generic addresses, and read back from there. */
    static Case genericRemoteStore() {
        return new Case(program("generic_remote_store", 2, body -> {
            Expr here = body.purpose("as a number").issue("here", Mapa.ofShared(), Input.of(BUFFER.at(T.times(4))),
                    Input.of(RANK));
            Expr generic = body.purpose("as a generic address")
                    .issue("generic", Cvta.from(AddressSpace.SHARED_CLUSTER),
                    Input.of(here.toS64()));
            Expr there = body.purpose("of the other block").issue("there", Mapa.ofGeneric(), Input.of(generic),
                    Input.of(Expr.of(1).minus(RANK)));
            body.purpose("both run").clusterSync();
            body.purpose("store")
                    .issue(store(Scope.CLUSTER, Space.GENERIC), Input.of(there), Input.of(BLOCK.times(100).plus(T)));
            body.purpose("both have stored").clusterSync();
            Expr own = body.purpose("mine").issue("own", load(Scope.CLUSTER, Space.GENERIC), Input.of(generic));
            Expr other = body.purpose("what I stored")
                    .issue("other", load(Scope.CLUSTER, Space.GENERIC), Input.of(there));
            body.purpose("nobody leaves before the others have read").clusterSync();
            show(body, "what the other left", T.times(2), own, 2 * THREADS);
            show(body, "what I left", T.times(2).plus(1), other, 2 * THREADS);
        }), 4, 2 * THREADS, (_, i) -> {
            int block = i / (2 * THREADS);
            return (i % 2 == 0 ? block ^ 1 : block) * 100 + i % (2 * THREADS) / 2;
        });
    }

    /** Each block of a cluster loads a quarter of a slice for all four. */
    static Case multicastBulk() {
        return new Case(program("multicast_bulk", 4, body -> {
            initForCluster(body, 1);
            body.purpose("one thread a block").when(T.isEqualTo(0), one -> {
                one.purpose("four quarters come").arriveExpectTx(barrier(0), 1024);
                one.purpose("mine goes to all").issue(new BulkLoad().withMulticast(),
                        Input.of(BUFFER.at(RANK.times(256))),
                        Input.of(from(BLOCK.dividedBy(4).times(1024).plus(RANK.times(256)))), Input.of(256),
                        Input.of(barrier(0)), Input.of(0xF));
            });
            body.purpose("all four").waitParity(barrier(0), 0);
            body.purpose("show")
                    .loop("i", T, 256, THREADS, (each, i) -> showBuffer(each, "word", i, i, 256));
            body.purpose("nobody leaves before the others have got theirs").clusterSync();
        }), 8, 256, (source, i) -> source.applyAsInt(i / 1024 * 256 + i % 256));
    }

    /** Two blocks load a box each for both. */
    static Case multicastTensor() {
        return new Case(program("multicast_tensor", 2, List.of(SOURCE, RESULT, FLAGS, MAP), body -> {
            initForCluster(body, 1);
            body.purpose("one thread a block").when(T.isEqualTo(0), one -> {
                one.purpose("two boxes come").arriveExpectTx(barrier(0), 2048);
                one.purpose("mine goes to both").issue(new TensorLoad(2).withMulticast(),
                        Input.of(BUFFER.at(RANK.times(1024))), Input.of(MAP),
                        Input.of(0), Input.of(BLOCK.times(8)), Input.of(barrier(0)), Input.of(3));
            });
            body.purpose("both").waitParity(barrier(0), 0);
            body.purpose("show")
                    .loop("i", T, 512, THREADS, (each, i) -> showBuffer(each, "word", i, i, 512));
            body.purpose("nobody leaves before the other has got its boxes").clusterSync();
        }), 4, 512, (source, i) -> source.applyAsInt(i / 1024 * 512 + i % 512));
    }

    /** Every thread sends four words to the other block, whose barrier counts their bytes. */
    static Case stAsync() {
        return new Case(program("st_async", 2, body -> {
            initForCluster(body, 1);
            body.purpose("one thread a block")
                    .when(T.isEqualTo(0), one -> one.purpose("so much comes")
                    .arriveExpectTx(barrier(0), 16 * THREADS));
            Expr to = body.purpose("there").issue("to", Mapa.ofShared(), Input.of(BUFFER.at(T.times(16))),
                    Input.of(Expr.of(1).minus(RANK)));
            Expr mbar = body.purpose("its barrier").issue("mbar", Mapa.ofShared(), Input.of(barrier(0)),
                    Input.of(Expr.of(1).minus(RANK)));
            Expr value = body.purpose("a number").let("value", BLOCK.times(4096).plus(T.times(4)));
            body.purpose("send").issue(new StAsync(DataType.B32).withVector(StAsync.Vector.V4).withExplicitSpace(),
                    Input.of(to), Input.of(value),
                    Input.of(value.plus(1)), Input.of(value.plus(2)), Input.of(value.plus(3)), Input.of(mbar));
            body.purpose("it has come").waitParity(barrier(0), 0);
            body.purpose("show")
                    .loop("i", T, 4 * THREADS, THREADS, (each, i) -> showBuffer(each, "word", i, i, 4 * THREADS));
            body.purpose("nobody leaves before the other has what it was sent").clusterSync();
        }), 6, 4 * THREADS, (_, i) -> (i / (4 * THREADS) ^ 1) * 4096 + i % (4 * THREADS));
    }

    /** All threads of a cluster add to the same words of its first block. */
    static Case redAsync() {
        return new Case(program("red_async", 4, body -> {
            body.purpose("zero")
                    .issue(store(Scope.CTA, Space.SHARED_CTA), Input.of(BUFFER.at(T.times(4))), Input.of(0));
            body.purpose("seen by what comes").proxyFence(FenceProxyAsync.Memory.ALL);
            initForCluster(body, 1);
            body.purpose("one thread of the first block").when(T.plus(RANK.times(THREADS)).isEqualTo(0),
                    one -> one.purpose("so much comes").arriveExpectTx(barrier(0), 4 * 4 * THREADS));
            Expr to = body.purpose("there").issue("to", Mapa.ofShared(), Input.of(BUFFER.at(T.times(4))), Input.of(0));
            Expr mbar = body.purpose("its barrier").issue("mbar", Mapa.ofShared(), Input.of(barrier(0)), Input.of(0));
            body.purpose("add").issue(new RedAsync(AtomicOp.ADD, DataType.U32).withExplicitSpace(), Input.of(to),
                    Input.of(RANK.plus(1).times(T)), Input.of(mbar));
            body.purpose("the first block").when(RANK.isEqualTo(0), first -> {
                first.purpose("all have come").waitParity(barrier(0), 0);
                showBuffer(first, "sum", T, T);
            }, others -> show(others, "others have none", T, T));
            body.purpose("the first block is there until the end").clusterSync();
        }), 8, THREADS, (_, i) -> i / THREADS % 4 == 0 ? 10 * (i % THREADS) : i % THREADS);
    }

    /** The copy engine takes a block's shared memory to the other's. */
    static Case clusterCopy() {
        return new Case(program("cluster_copy", 2, body -> {
            initForCluster(body, 1);
            body.purpose("fill")
                    .issue(store(Scope.CTA, Space.SHARED_CTA), Input.of(BUFFER.at(T.times(4))),
                    Input.of(BLOCK.times(100).plus(T)));
            body.purpose("seen by the copy engine").proxyFence(FenceProxyAsync.Memory.SHARED);
            body.purpose("all filled").syncThreads();
            body.purpose("one thread a block").when(T.isEqualTo(0), one -> {
                one.purpose("so much comes").arriveExpectTx(barrier(0), 4 * THREADS);
                Expr peer = Expr.of(1).minus(RANK);
                Expr to = one.purpose("there").issue("to", Mapa.ofShared(), Input.of(BUFFER.at(2048)),
                        Input.of(peer));
                Expr mbar = one.purpose("its barrier")
                        .issue("mbar", Mapa.ofShared(), Input.of(barrier(0)), Input.of(peer));
                one.purpose("copy")
                        .issue(new BulkClusterCopy(), Input.of(to), Input.of(BUFFER.at(0)),
                        Input.of(4 * THREADS), Input.of(mbar));
            });
            body.purpose("it has come").waitParity(barrier(0), 0);
            showBuffer(body, "came", T.plus(512), T);
            body.purpose("nobody leaves before the other has its bytes").clusterSync();
        }), 4, THREADS, (_, i) -> (i / THREADS ^ 1) * 100 + i % THREADS);
    }

    /** All threads of a cluster store into its first block and arrive at its barrier, some of them for several. */
    static Case remoteArrive() {
        return new Case(program("remote_arrive", 4, body -> {
            initForCluster(body, 4 * (THREADS - 1 + 3));
            Expr to = body.purpose("there").issue("to", Mapa.ofShared(),
                    Input.of(BUFFER.at(RANK.times(4 * THREADS).plus(T.times(4)))), Input.of(0));
            Expr mbar = body.purpose("its barrier").issue("mbar", Mapa.ofShared(), Input.of(barrier(0)), Input.of(0));
            body.purpose("store")
                    .issue(store(Scope.CLUSTER, Space.SHARED_CLUSTER), Input.of(to),
                    Input.of(RANK.times(1000).plus(T)));
            body.purpose("one thread a block").when(T.isEqualTo(7),
                    one -> one.purpose("arrives for three")
                            .issue(new MbarrierArrive().withOrder(ArriveOrder.RELEASE_CLUSTER)
                            .withSpace(Space.SHARED_CLUSTER).withCount(), Input.of(mbar), Input.of(3)),
                    others -> others.purpose("arrive once")
                            .issue(new MbarrierArrive().withOrder(ArriveOrder.RELEASE_CLUSTER)
                            .withSpace(Space.SHARED_CLUSTER), Input.of(mbar)));
            body.purpose("the first block").when(RANK.isEqualTo(0), first -> {
                first.purpose("all have arrived").waitParity(barrier(0), 0).order(WaitOrder.ACQUIRE_CLUSTER);
                first.purpose("show")
                        .loop("i", T, 4 * THREADS, THREADS, (each, i) -> showBuffer(each, "word", i, i, 4 * THREADS));
            }, others -> others.purpose("others have none")
                    .loop("j", T, 4 * THREADS, THREADS, (each, j) ->
                    show(each, "a number", j, j, 4 * THREADS)));
            body.purpose("the first block is there until the end").clusterSync();
        }), 4, 4 * THREADS, (_, i) -> i < 4 * THREADS ? i / THREADS * 1000 + i % THREADS : i % (4 * THREADS));
    }

    /** Bytes are announced and completed on a barrier of the other block, without a copy. */
    static Case remoteBytes() {
        return new Case(program("remote_bytes", 2, body -> {
            initForCluster(body, 1);
            body.purpose("one thread a block").when(T.isEqualTo(0), one -> {
                Expr mbar = one.purpose("its barrier").issue("mbar", Mapa.ofShared(), Input.of(barrier(0)),
                        Input.of(Expr.of(1).minus(RANK)));
                one.purpose("announce").issue(new MbarrierExpectTx().withOrder(TxOrder.RELAXED_CLUSTER)
                        .withSpace(Space.SHARED_CLUSTER), Input.of(mbar), Input.of(48));
                one.purpose("arrive").issue(new MbarrierArrive().withOrder(ArriveOrder.RELEASE_CLUSTER)
                        .withSpace(Space.SHARED_CLUSTER), Input.of(mbar));
                one.purpose("they have come").issue(new MbarrierCompleteTx().withOrder(TxOrder.RELAXED_CLUSTER)
                        .withSpace(Space.SHARED_CLUSTER), Input.of(mbar),
                        Input.of(48));
            });
            body.purpose("all").waitParity(barrier(0), 0).order(WaitOrder.ACQUIRE_CLUSTER);
            show(body, "done", T, T.plus(BLOCK));
            body.purpose("barriers are there until the end").clusterSync();
        }), 2, THREADS, (_, i) -> i % THREADS + i / THREADS);
    }

    // ---- blocks of the grid

    /** Every block publishes numbers, and takes those of the block behind it. */
    static Case flags() {
        return new Case(program("neighbours", 1, body -> {
            Address.Global mine = new Address.Global(FLAGS, BLOCK.times(256).plus(T.times(4)).plus(4096).toS64());
            body.purpose("publish a number")
                    .issue(store(Scope.GPU, Space.GLOBAL), Input.of(mine), Input.of(BLOCK.times(100).plus(T)));
            body.purpose("all have").syncThreads();
            body.purpose("one thread").when(T.isEqualTo(0), one -> {
                one.purpose("say so").issue(St.release(Scope.GPU, Space.GLOBAL, DataType.U32),
                        Input.of(flag(BLOCK)), Input.of(1));
                one.purpose("count").issue(Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32),
                        Input.of(flag(Expr.of(8))), Input.of(1));
            });
            Expr next = BLOCK.plus(1).modulo(Builtin.GRID);
            body.purpose("the next block has").waitUntil("state", ValueType.U32, flag(next), v -> v.isEqualTo(1));
            Expr theirs = body.purpose("take its number").issue("theirs", load(Scope.GPU, Space.GLOBAL),
                    Input.of(new Address.Global(FLAGS, next.times(256).plus(T.times(4)).plus(4096).toS64())));
            Expr count = body.purpose("all have counted")
                    .waitUntil("count", ValueType.I32, flag(Expr.of(8)), v -> v.atLeast(Builtin.GRID)).value();
            show(body, "show", T, theirs.plus(count));
        }), 8, THREADS, (_, i) -> (i / THREADS + 1) % 8 * 100 + i % THREADS + 8);
    }

    /** Blocks take tiles from a counter, until there are none. */
    static Case workStealing() {
        return new Case(program("work_stealing", 1, body -> body.purpose("until there are none")
                .loop("turn", 0, 17, 1, (each, turn) -> {
            each.purpose("one thread").when(T.isEqualTo(0), one -> {
                Expr tile = one.purpose("take a tile").issue("tile",
                        Atom.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32),
                        Input.of(flag(Expr.of(0))), Input.of(1));
                one.purpose("tell the others")
                        .issue(store(Scope.CTA, Space.SHARED_CTA), Input.of(BUFFER.at(0)), Input.of(tile));
            });
            each.purpose("it is known").syncThreads();
            Expr mine = each.purpose("which")
                    .issue("mine", load(Scope.CTA, Space.SHARED_CTA), Input.of(BUFFER.at(0)));
            each.purpose("there is one")
                    .when(mine.lessThan(16), work -> work.purpose("do it").issue(store(Scope.GPU, Space.GLOBAL),
                    Input.of(to(mine.times(THREADS).plus(T).times(4))), Input.of(mine.times(7).plus(T))));
            each.purpose("read by all").syncThreads();
        })), 4, 4 * THREADS, (_, i) -> i / THREADS * 7 + i % THREADS);
    }

    // ---- one block

    /** Arrivals that follow cp.async copies, counted beforehand and in addition. */
    static Case cpAsyncArrive() {
        return new Case(program("cp_async_arrive", 1, body -> {
            body.purpose("set up").when(T.isEqualTo(0), one -> {
                one.purpose("an arrival for each thread's copies").barrierInit(barrier(0), THREADS);
                one.purpose("an arrival for each thread").barrierInit(barrier(1), THREADS);
            });
            body.purpose("set up").syncThreads();
            body.purpose("copy").cpAsync(BUFFER.at(T.times(16)), from(BLOCK.times(1024).plus(T.times(16))), 16);
            body.purpose("arrive when it has landed")
                    .issue(new CpAsyncMbarrierArrive().withNoinc(), Input.of(barrier(0)));
            body.purpose("copy behind it")
                    .cpAsync(BUFFER.at(T.times(16).plus(1024)), from(BLOCK.times(1024).plus(T.times(16)).plus(8192)),
                    16);
            body.purpose("arrive in addition").issue(new CpAsyncMbarrierArrive(), Input.of(barrier(1)));
            body.purpose("arrive").arrive(barrier(1));
            body.purpose("the first copies have landed").waitParity(barrier(0), 0);
            body.purpose("show")
                    .loop("i", T, 256, THREADS, (each, i) -> showBuffer(each, "word", i, i, 512));
            body.purpose("and the second").waitParity(barrier(1), 0);
            body.purpose("show more")
                    .loop("j", T.plus(256), 512, THREADS, (each, j) -> showBuffer(each, "more", j, j, 512));
        }), 3, 512, (source, i) -> source.applyAsInt(i / 512 * 256 + i % 256 + (i % 512 < 256 ? 0 : 2048)));
    }

    /** Half of the threads leave a barrier after its first phase; the rest go on with it. */
    static Case arriveDrop() {
        return new Case(program("arrive_drop", 1, body -> {
            body.purpose("set up")
                    .when(T.isEqualTo(0), one -> one.purpose("all threads").barrierInit(barrier(0), THREADS));
            body.purpose("a number")
                    .issue(store(Scope.CTA, Space.SHARED_CTA), Input.of(BUFFER.at(T.times(4))), Input.of(T.times(3)));
            body.purpose("set up").syncThreads();
            body.purpose("half of them")
                    .when(T.atLeast(THREADS / 2), half -> half.purpose("leave").issue(dropSink(), Input.of(barrier(0))),
                    rest -> {
                rest.purpose("three phases").loop("phase", 0, 3, 1, (each, phase) -> {
                    each.purpose("arrive").arrive(barrier(0));
                    each.purpose("all have").waitParity(barrier(0), phase.modulo(2));
                });
                Expr other = rest.purpose("of a thread that left").issue("other", load(Scope.CTA, Space.SHARED_CTA),
                        Input.of(BUFFER.at(T.plus(THREADS / 2).times(4))));
                show(rest, "show it", T, other, THREADS / 2);
            });
        }), 2, THREADS / 2, (_, i) -> (i % (THREADS / 2) + THREADS / 2) * 3);
    }

    private static MbarrierArrive dropSink() {
        return new MbarrierArrive().withKind(ArriveOp.ARRIVE_DROP).withResult(ArriveResult.SINK);
    }

    /** A buffer is filled anew as soon as the copy engine has read it. */
    static Case bulkWaitRead() {
        return new Case(program("bulk_wait_read", 1, body -> {
            for (int round = 0; round < 4; round++) {
                int number = round;
                body.purpose("fill " + round)
                        .issue(store(Scope.CTA, Space.SHARED_CTA), Input.of(BUFFER.at(T.times(4))),
                        Input.of(BLOCK.times(1000).plus(T).plus(100 * round)));
                body.purpose("seen by the copy engine").proxyFence(FenceProxyAsync.Memory.SHARED);
                body.purpose("all have filled").syncThreads();
                body.purpose("one thread").when(T.isEqualTo(0), one -> {
                    one.purpose("store")
                            .bulkStore(to(BLOCK.times(4).plus(number).times(4 * THREADS)), BUFFER.at(0), 4 * THREADS);
                    one.purpose("a group").bulkCommit();
                    one.purpose("read").bulkWaitRead(0);
                });
                body.purpose("free again").syncThreads();
            }
            body.purpose("one thread").when(T.isEqualTo(0), one -> one.purpose("written").bulkWait(0));
        }), 3, 4 * THREADS, (_, i) -> i / (4 * THREADS) * 1000 + i % THREADS + 100 * (i % (4 * THREADS) / THREADS));
    }

    /** What one thread sees of a barrier from its start to its end, and of the next one in its place. */
    static Case barrierStates() {
        List<Integer> seen = List.of(5, 3, 0, 0, 1, 1, 0, 2, 0, 1);
        return new Case(program("barrier_states", 1, body -> body.purpose("one thread").when(T.isEqualTo(0), one -> {
            Input mbar = Input.of(barrier(2));
            Expr count = Expr.of(5);
            one.purpose("for five").issue(new MbarrierInit(), mbar, Input.of(count));
            Expr first = one.purpose("two that complete nothing").issue("first", new MbarrierArriveNoComplete(), mbar,
                    Input.of(2));
            Expr second = one.purpose("two more").issue("second", new MbarrierArrive().withCount(), mbar, Input.of(2));
            one.purpose("bytes come before they are announced").issue(new MbarrierCompleteTx(),
                    mbar, Input.of(32));
            see(one, 0, "first_pending", new MbarrierPendingCount(), Input.of(first));
            see(one, 1, "second_pending", new MbarrierPendingCount(), Input.of(second));
            see(one, 2, "second_done", new MbarrierTestWait(), mbar, Input.of(second));
            one.purpose("the last one leaves").issue(dropSink(), mbar);
            see(one, 3, "parity_early", new MbarrierTestWaitParity(), mbar, Input.of(0));
            one.purpose("the bytes are announced").issue(new MbarrierExpectTx(), mbar, Input.of(32));
            see(one, 4, "parity_done", new MbarrierTestWaitParity(), mbar, Input.of(0));
            see(one, 5, "token_done", new MbarrierTestWait(), mbar, Input.of(first));
            see(one, 6, "next_parity", new MbarrierTestWaitParity(), mbar, Input.of(1));
            one.purpose("two of the four that are left").issue(dropless(), mbar, Input.of(2));
            Expr third = one.purpose("look").issue("third", new MbarrierArrive().withCount(), mbar, Input.of(2));
            see(one, 7, "third_pending", new MbarrierPendingCount(), Input.of(third));
            one.purpose("the end of it").issue(new MbarrierInval(), mbar);
            one.purpose("another in its place").issue(new MbarrierInit(), mbar, Input.of(1));
            see(one, 8, "fresh", new MbarrierTestWaitParity(), mbar, Input.of(0));
            see(one, 9, "before_fresh", new MbarrierTestWaitParity(), mbar, Input.of(1));
        })), 1, seen.size(), (_, i) -> seen.get(i));
    }

    private static MbarrierArrive dropless() {
        return new MbarrierArrive().withResult(ArriveResult.SINK).withCount();
    }

    private static void see(Body body, int place, String name, PtxInstruction form, Input... inputs) {
        Expr value = body.purpose("look at " + name).issue(name, form, inputs);
        body.purpose("show " + name)
                .issue(store(Scope.GPU, Space.GLOBAL), Input.of(to(Expr.of(4 * place))), Input.of(value));
    }

    /** Numbers of blocks behind addresses, what spaces addresses are in, and one thread chosen of each warp. */
    static Case addresses() {
        return new Case(program("addresses", 2, body -> {
            Expr peer = body.purpose("the other block's")
                    .issue("peer", Mapa.ofShared(), Input.of(BUFFER.at(64)),
                    Input.of(Expr.of(1).minus(RANK)));
            Expr rank = body.purpose("whose").issue("rank", Getctarank.ofShared(), Input.of(peer));
            Expr generic = body.purpose("generic").issue("generic", Cvta.from(AddressSpace.SHARED_CLUSTER),
                    Input.of(peer.toS64()));
            Expr back = body.purpose("and back")
                    .issue("back", Cvta.to(AddressSpace.SHARED_CLUSTER), Input.of(generic));
            Expr cluster = body.purpose("in the cluster")
                    .issue("cluster", new Isspacep(AddressSpace.SHARED_CLUSTER), Input.of(generic));
            Expr own = body.purpose("in the own block")
                    .issue("own", new Isspacep(AddressSpace.SHARED_CTA), Input.of(generic));
            Expr global = body.purpose("in global memory")
                    .issue("global", new Isspacep(AddressSpace.GLOBAL), Input.of(RESULT.deviceAddress()));
            Expr same = back.isEqualTo(peer.toS64()).choose(1, 0);
            body.purpose("zero")
                    .issue(store(Scope.CTA, Space.SHARED_CTA), Input.of(BUFFER.at(T.times(4))), Input.of(0));
            body.purpose("zeros").syncThreads();
            Expr elected = body.purpose("one of the warp").issue("elected", new ElectSync(), Input.of(-1));
            body.purpose("counts").issue(Red.relaxed(Scope.CTA, Space.SHARED_CTA, AtomicOp.ADD, DataType.U32),
                    Input.of(BUFFER.at(0)),
                    Input.of(elected));
            body.purpose("counted").syncThreads();
            Expr count = body.purpose("how many")
                    .issue("count", load(Scope.CTA, Space.SHARED_CTA), Input.of(BUFFER.at(0)));
            show(body, "all of it", T, rank.plus(cluster.times(10)).plus(own.times(100)).plus(global.times(1000))
                    .plus(same.times(10_000))
                    .plus(count.times(100_000)));
            body.purpose("both are there").clusterSync();
        }), 2, THREADS, (_, i) -> (i / THREADS ^ 1) + 211_010);
    }

    /** Matrices go through shared memory, transposed on one of the ways. */
    static Case matrices() {
        return new Case(program("matrices", 1, body -> {
            body.purpose("fill").loop("f", T, 256, THREADS, (each, f) -> each.purpose("two halves")
        .issue(store(Scope.CTA, Space.SHARED_CTA), Input.of(BUFFER.at(f.times(4))),
        Input.of(f.times(2).plus(f.times(2).plus(1).times(65536)))));
            body.purpose("filled").syncThreads();
            Expr warp = T.dividedBy(32);
            Expr row = T.modulo(32).times(16).plus(warp.times(512));
            Register words = body.purpose("four matrices").registers("words", ValueType.U32, 4);
            body.purpose("load").issue(new Ldmatrix(Ldmatrix.Shape.M8N8_B16, MatrixCount.X4).withTransposed(),
                    Input.of(words), Input.of(BUFFER.at(row)));
            body.purpose("store").issue(new Stmatrix(MatrixCount.X4), Input.of(BUFFER.at(row.plus(1024))),
                    Input.of(words));
            body.purpose("stored").syncThreads();
            body.purpose("show")
                    .loop("i", T, 256, THREADS, (each, i) -> showBuffer(each, "word", i.plus(256), i, 256));
        }), 1, 256, (_, i) -> half(2 * i) | half(2 * i + 1) << 16);
    }

    /** The half at a place of the transposed matrices. */
    private static int half(int place) {
        int matrix = place / 64;
        int row = place % 64 / 8;
        int column = place % 8;
        return matrix * 64 + column * 8 + row;
    }

    // ---- parts

    private static TileProgram program(String name, int clusterBlocks, Consumer<Body> code) {
        return program(name, clusterBlocks, List.of(SOURCE, RESULT, FLAGS), code);
    }

    private static TileProgram program(String name, int clusterBlocks, List<Parameter> parameters,
            Consumer<Body> code) {
        return new TileProgram(name, "waits for others", THREADS, clusterBlocks, parameters,
                new SharedLayout(List.of(BUFFER, BARRIERS)), Body.steps(code));
    }

    private static Address.Barrier barrier(int index) {
        return BARRIERS.at(index);
    }

    /** Barrier 0 of every block of the cluster is there for all of them. */
    private static void initForCluster(Body body, int arrivals) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("the block's own").barrierInit(barrier(0), arrivals);
            one.purpose("known to the cluster").barrierInitFence();
        });
        body.purpose("all barriers are there").clusterSync();
    }

    private static St store(Scope scope, Space space) {
        return St.relaxed(scope, space, DataType.B32);
    }

    private static Ld load(Scope scope, Space space) {
        return Ld.relaxed(scope, space, DataType.B32);
    }

    private static Address.Global flag(Expr number) {
        return new Address.Global(FLAGS, number.times(4).toS64());
    }

    private static Address.Global from(Expr offset) {
        return new Address.Global(SOURCE, offset.toS64());
    }

    private static Address.Global to(Expr offset) {
        return new Address.Global(RESULT, offset.toS64());
    }

    private static void show(Body body, String purpose, Expr place, Expr value) {
        show(body, purpose, place, value, THREADS);
    }

    private static void show(Body body, String purpose, Expr place, Expr value, int wordsPerBlock) {
        body.purpose(purpose)
                .issue(store(Scope.GPU, Space.GLOBAL), Input.of(to(BLOCK.times(wordsPerBlock).plus(place).times(4))),
                Input.of(value));
    }

    private static void showBuffer(Body body, String name, Expr word, Expr place) {
        showBuffer(body, name, word, place, THREADS);
    }

    private static void showBuffer(Body body, String name, Expr word, Expr place, int wordsPerBlock) {
        Fragment f = body.purpose("read " + name).load(name, ElementType.U32, 1, BUFFER.at(word.times(4)));
        body.purpose("write " + name).store(to(BLOCK.times(wordsPerBlock).plus(place).times(4)), f);
    }
}
