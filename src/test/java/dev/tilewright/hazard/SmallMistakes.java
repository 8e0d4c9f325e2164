package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.FLAGS;
import static dev.tilewright.hazard.SmallKernels.MAP;
import static dev.tilewright.hazard.SmallKernels.MAPS;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.RESULT;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.copy;
import static dev.tilewright.hazard.SmallKernels.fill;
import static dev.tilewright.hazard.SmallKernels.from;
import static dev.tilewright.hazard.SmallKernels.load;
import static dev.tilewright.hazard.SmallKernels.setUp;
import static dev.tilewright.hazard.SmallKernels.show;
import static dev.tilewright.hazard.SmallKernels.store;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BiConsumer;

/** For each code the smallest kernel that has the mistake, and the same kernel without it. */
final class SmallMistakes {
    private SmallMistakes() {
    }

    /** A kernel with the mistake, or without it. */
    @FunctionalInterface
    interface Writer extends BiConsumer<Body, Boolean> {
    }

    private record Kernel(int blocks, int cluster, Writer writer) {
    }

    static HazardReport check(HazardCode code, boolean wrong) {
        if (code == HazardCode.REGISTERS_IN_FLIGHT) {
            return wrong ? WgmmaKernel.check(WgmmaKernel.Mistake.SUMS_TOUCHED) : WgmmaKernel.check();
        }
        if (code == HazardCode.WGMMA_NOT_FENCED) {
            return wrong ? WgmmaKernel.check(WgmmaKernel.Mistake.NO_FENCE) : WgmmaKernel.check();
        }
        if (code == HazardCode.WGMMA_FENCE_TOO_EARLY) {
            return AlignedMeetingsTest.products(wrong ? AlignedMeetingsTest.Mistake.FENCE_BEFORE_THE_LOOP
                    : AlignedMeetingsTest.Mistake.NONE);
        }
        if (code == HazardCode.SWIZZLE_MISMATCH) {
            return SwizzleMismatchTest.check(wrong ? Swizzle.NONE : Swizzle.B128, Swizzle.B128, 0);
        }
        if (code == HazardCode.PRIOR_GRID_NOT_AWAITED) {
            return PriorGridTest.check(body -> PriorGridTest.addOne(body, !wrong));
        }
        Kernel k = kernels().get(code);
        return SmallKernels.check(k.blocks, k.cluster, body -> k.writer.accept(body, wrong));
    }

    private static Map<HazardCode, Kernel> kernels() {
        Map<HazardCode, Kernel> all = new EnumMap<>(HazardCode.class);
        all.put(HazardCode.READ_IN_FLIGHT, one(SmallMistakes::readInFlight));
        all.put(HazardCode.OVERWRITE_UNREAD, one(SmallMistakes::overwriteUnread));
        all.put(HazardCode.OVERWRITE_IN_STORE, one(SmallMistakes::overwriteInStore));
        all.put(HazardCode.MISSING_BARRIER, one(SmallMistakes::missingBarrier));
        all.put(HazardCode.MISSING_PROXY_FENCE, one(SmallMistakes::missingProxyFence));
        all.put(HazardCode.BARRIER_NOT_INITIALISED, one(SmallMistakes::barrierNotInitialised));
        all.put(HazardCode.BARRIER_INIT_NOT_VISIBLE, one(SmallMistakes::barrierInitNotVisible));
        all.put(HazardCode.TX_TOO_SMALL, one((body, wrong) -> twoLoads(body, wrong ? 256 : 512)));
        all.put(HazardCode.TX_TOO_LARGE, one((body, wrong) -> twoLoads(body, wrong ? 1024 : 512)));
        all.put(HazardCode.TX_LATE, one(SmallMistakes::txLate));
        all.put(HazardCode.WRONG_PARITY, one(SmallMistakes::wrongParity));
        all.put(HazardCode.WRONG_ARRIVAL_COUNT, one(SmallMistakes::wrongArrivalCount));
        all.put(HazardCode.DEADLOCK, one(SmallMistakes::deadlock));
        all.put(HazardCode.WAIT_TOO_SHALLOW, one(SmallMistakes::waitTooShallow));
        all.put(HazardCode.GROUP_NOT_COMMITTED, one(SmallMistakes::groupNotCommitted));
        all.put(HazardCode.GROUP_NEVER_WAITED, one(SmallMistakes::groupNeverWaited));
        all.put(HazardCode.EXIT_IN_FLIGHT, one(SmallMistakes::exitInFlight));
        all.put(HazardCode.SMEM_MISALIGNED_FOR_SWIZZLE, one(SmallMistakes::misalignedForSwizzle));
        all.put(HazardCode.MULTICAST_MISSING_CTA, new Kernel(2, 2, SmallMistakes::multicastMissingCta));
        all.put(HazardCode.REMOTE_AFTER_EXIT, new Kernel(2, 2, SmallMistakes::remoteAfterExit));
        all.put(HazardCode.MAP_CHANGE_NOT_FENCED, one(SmallMistakes::mapChangeNotFenced));
        all.put(HazardCode.FLAG_NOT_ACQUIRED, new Kernel(2, 1, SmallMistakes::flagNotAcquired));
        all.put(HazardCode.SCOPE_TOO_SMALL, new Kernel(2, 1, SmallMistakes::scopeTooSmall));
        all.put(HazardCode.GLOBAL_RACE, new Kernel(2, 1, SmallMistakes::globalRace));
        all.put(HazardCode.PHASE_NOT_KNOWN, one(SmallMistakes::phaseNotKnown));
        all.put(HazardCode.INVAL_IN_USE, one(SmallMistakes::invalInUse));
        all.put(HazardCode.READ_UNWRITTEN, one((body, wrong) -> {
            fill(body);
            show(body, T.times(4).plus(wrong ? 4 * THREADS : 0));
        }));
        all.put(HazardCode.WARP_DIVERGED, one((body, wrong) -> {
            body.purpose("half of each warp").when(Warp.lane().lessThan(16), half ->
                    half.purpose("they meet").syncWarp(wrong ? -1 : 0xFFFF));
            body.purpose("all meet").syncThreads();
        }));
        all.put(HazardCode.LANE_MISSING, one((body, wrong) ->
                body.purpose("half of each warp").when(Warp.lane().lessThan(16), half -> {
                    Value taken = half.purpose("from above").warp(0xFFFF)
                            .shuffleDown(T.toValue(), 8, wrong ? 32 : 16);
                    half.purpose("show it").store(new Address.Global(RESULT, T.times(4).toS64()), taken);
                })));
        all.put(HazardCode.NAMED_BARRIER_MISMATCH, one((body, wrong) ->
                body.purpose("the first warp").when(T.lessThan(32), first ->
                        first.purpose("they meet").namedBarrier(1, wrong ? 64 : 32).sync())));
        all.put(HazardCode.FAULT, one((body, wrong) -> {
            fill(body);
            body.purpose("all have filled").syncThreads();
            show(body, T.times(4).plus(wrong ? 2 : 0));
        }));
        return all;
    }

    private static Kernel one(Writer writer) {
        return new Kernel(1, 1, writer);
    }

    // ---- the kernels

    private static void readInFlight(Body body, boolean wrong) {
        setUp(body, 1);
        load(body, 0, 256, 256);
        if (!wrong) {
            body.purpose("it has landed").waitParity(READY, 0);
        }
        show(body, T.times(4));
    }

    private static void overwriteUnread(Body body, boolean wrong) {
        setUp(body, 1);
        body.purpose("twice").loop("turn", 0, 2, 1, (each, turn) -> {
            load(each, 0, 256, 256);
            each.purpose("it has landed").waitParity(READY, turn);
            each.purpose("all have waited").syncThreads();
            show(each, T.times(4));
            if (!wrong) {
                each.purpose("all have read").syncThreads();
            }
        });
    }

    private static void overwriteInStore(Body body, boolean wrong) {
        fill(body);
        body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose("all have filled").syncThreads();
        body.purpose("one thread stores").when(T.isEqualTo(0), one -> {
            store(one);
            if (!wrong) {
                one.purpose("it has been read").bulkWaitRead(0);
            }
        });
        body.purpose("may be filled again").syncThreads();
        fill(body);
        body.purpose("one thread waits").when(T.isEqualTo(0), one -> one.purpose("to the end").bulkWait(0));
    }

    private static void missingBarrier(Body body, boolean wrong) {
        fill(body);
        body.purpose("first words are there").syncThreads();
        fill(body);
        if (!wrong) {
            body.purpose("all have filled").syncThreads();
        }
        show(body, T.plus(1).modulo(THREADS).times(4));
    }

    private static void missingProxyFence(Body body, boolean wrong) {
        fill(body);
        if (!wrong) {
            body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
        }
        body.purpose("all have filled").syncThreads();
        body.purpose("one thread stores").when(T.isEqualTo(0), one -> {
            store(one);
            one.purpose("to the end").bulkWait(0);
        });
    }

    private static void barrierNotInitialised(Body body, boolean wrong) {
        if (!wrong) {
            setUp(body, THREADS);
        }
        body.purpose("here").arrive(READY);
    }

    private static void barrierInitNotVisible(Body body, boolean wrong) {
        body.purpose("set up").when(T.isEqualTo(0), one -> one.purpose("for all threads").barrierInit(READY, THREADS));
        if (!wrong) {
            body.purpose("set up").syncThreads();
        }
        body.purpose("here").arrive(READY);
    }

    private static void twoLoads(Body body, int announced) {
        setUp(body, 1);
        body.purpose("one thread loads").when(T.isEqualTo(0), one -> {
            one.purpose("announce").arriveExpectTx(READY, announced);
            copy(one, 0, 256);
            copy(one, 256, 256);
        });
        body.purpose("both have landed").waitParity(READY, 0);
        show(body, T.times(4).plus(256));
    }

    private static void txLate(Body body, boolean wrong) {
        setUp(body, 1);
        body.purpose("one thread loads").when(T.isEqualTo(0), one -> {
            if (wrong) {
                one.purpose("here").arrive(READY);
            }
            one.purpose("announce").expectTx(READY, 256);
            copy(one, 0, 256);
            if (!wrong) {
                one.purpose("here").arrive(READY);
            }
        });
        body.purpose("it has landed").waitParity(READY, 0);
        show(body, T.times(4));
        body.purpose("all have waited").syncThreads();
        body.purpose("the rest").when(T.isEqualTo(0), one -> {
            if (wrong) {
                one.purpose("so that the copy is waited for at all").arrive(READY);
                one.purpose("in the end").waitParity(READY, 1);
            }
        });
    }

    private static void wrongParity(Body body, boolean wrong) {
        setUp(body, 1);
        load(body, 0, 256, 256);
        body.purpose("it has landed").waitParity(READY, wrong ? 1 : 0);
        show(body, T.times(4));
        body.purpose("for certain").waitParity(READY, 0);
    }

    private static void wrongArrivalCount(Body body, boolean wrong) {
        setUp(body, wrong ? THREADS + 1 : THREADS);
        body.purpose("here").arrive(READY);
        body.purpose("all are").waitParity(READY, 0);
    }

    private static void deadlock(Body body, boolean wrong) {
        if (wrong) {
            body.purpose("half of the threads")
                    .when(T.lessThan(THREADS / 2), half -> half.purpose("all of them?").syncThreads());
        } else {
            body.purpose("all of them").syncThreads();
        }
    }

    private static void waitTooShallow(Body body, boolean wrong) {
        for (int i = 0; i < 2; i++) {
            body.purpose("copy " + i).cpAsync(BUFFER.at(T.times(4).plus(256 * i)), from(T.times(4).plus(256 * i)), 4);
            body.purpose("a group").cpAsyncCommit();
        }
        body.purpose("landed").cpAsyncWait(wrong ? 1 : 0);
        show(body, T.times(4).plus(256));
        body.purpose("all").cpAsyncWait(0);
    }

    private static void groupNotCommitted(Body body, boolean wrong) {
        body.purpose("copy").cpAsync(BUFFER.at(T.times(4)), from(T.times(4)), 4);
        if (!wrong) {
            body.purpose("a group").cpAsyncCommit();
        }
        body.purpose("landed").cpAsyncWait(0);
        show(body, T.times(4));
    }

    private static void groupNeverWaited(Body body, boolean wrong) {
        body.purpose("copy").cpAsync(BUFFER.at(T.times(4)), from(T.times(4)), 4);
        body.purpose("a group").cpAsyncCommit();
        if (!wrong) {
            body.purpose("landed").cpAsyncWait(0);
        }
        show(body, T.times(4));
    }

    private static void exitInFlight(Body body, boolean wrong) {
        fill(body);
        body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose("all have filled").syncThreads();
        body.purpose("one thread stores").when(T.isEqualTo(0), one -> {
            store(one);
            if (!wrong) {
                one.purpose("it has been read").bulkWaitRead(0);
            }
        });
    }

    private static void misalignedForSwizzle(Body body, boolean wrong) {
        setUp(body, 1);
        body.purpose("one thread loads").when(T.isEqualTo(0), one -> {
            one.purpose("announce").arriveExpectTx(READY, 512);
            one.purpose("load")
                    .tensorLoad(BUFFER.at(wrong ? 128 : 1024), MAP, Expr.list(0, 0), READY);
        });
        body.purpose("it has landed").waitParity(READY, 0);
    }

    private static void multicastMissingCta(Body body, boolean wrong) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("one arrival").barrierInit(READY, 1);
            one.purpose("known to the cluster").barrierInitFence();
        });
        body.purpose("set up everywhere").clusterSync();
        body.purpose("one thread a block").when(T.isEqualTo(0), one -> {
            one.purpose("announce").arriveExpectTx(READY, 256);
            one.purpose("the first block loads for both")
                    .when(Builtin.CLUSTER_RANK.isEqualTo(0), first -> first.purpose("load")
        .issue(new BulkLoad().withMulticast(), Input.of(BUFFER.at(0)), Input.of(from(Expr.of(0))),
                    Input.of(256), Input.of(READY), Input.of(wrong ? 1 : 3)));
        });
        body.purpose("it has landed").waitParity(READY, 0);
        body.purpose("nobody leaves").clusterSync();
    }

    private static void remoteAfterExit(Body body, boolean wrong) {
        Expr there = body.purpose("my place in the other block").issue("there", Mapa.ofShared(),
                Input.of(BUFFER.at(T.times(4))),
                Input.of(Expr.of(1).minus(Builtin.CLUSTER_RANK)));
        body.purpose("both have started").clusterSync();
        body.purpose("leave a number there").issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.B32),
                Input.of(there), Input.of(T));
        if (!wrong) {
            body.purpose("nobody leaves").clusterSync();
        }
    }

    private static void mapChangeNotFenced(Body body, boolean wrong) {
        setUp(body, 1);
        body.purpose("eight threads copy the map").when(T.lessThan(8), b -> {
            Fragment data = b.purpose("read 16 bytes")
                    .load("chunk", ElementType.U32, 4, new Address.MapBytes(MAP, T.times(16)));
            b.purpose("write 16 bytes").store(MAPS.at(T.times(16)), data);
        });
        body.purpose("the copy is whole").syncThreads();
        Address.Global published = new Address.Global(FLAGS, 1024);
        body.purpose("a warp publishes it")
                .when(T.lessThan(32), warp -> warp.purpose("publish").publishMap(published, MAPS.at(0)));
        body.purpose("one thread loads").when(T.isEqualTo(0), one -> {
            if (!wrong) {
                one.purpose("as published").acquireMap(published);
            }
            one.purpose("announce").arriveExpectTx(READY, 512);
            one.purpose("load")
                    .tensorLoad(BUFFER.at(0), new MapSource.InMemory(published, 2), Expr.list(0, 0), READY);
        });
        body.purpose("it has landed").waitParity(READY, 0);
    }

    private static void flagNotAcquired(Body body, boolean wrong) {
        Address.Global flag = new Address.Global(FLAGS, 0);
        Address.Global data = new Address.Global(RESULT, 0);
        body.purpose("one thread a block")
                .when(T.isEqualTo(0), one -> one.purpose("the first block").when(Builtin.BLOCK.isEqualTo(0), first -> {
            Fragment number = first.purpose("a number").load("number", ElementType.U32, 1, from(Expr.of(0)));
            first.purpose("leave it").store(data, number);
            first.purpose("say so")
                    .issue(St.release(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(flag), Input.of(1));
        }, second -> {
            second.purpose("it is there").waitUntil("state", ValueType.U32, flag, v -> v.isEqualTo(1))
                    .order(wrong ? Ld.Order.RELAXED : Ld.Order.ACQUIRE);
            Fragment number = second.purpose("take it").load("taken", ElementType.U32, 1, data);
            second.purpose("show it").store(new Address.Global(RESULT, 4), number);
        }));
    }

    private static void phaseNotKnown(Body body, boolean wrong) {
        setUp(body, 2);
        body.purpose("two threads").when(T.lessThan(2), two -> two.purpose("twice").loop("turn", 2, (each, turn) -> {
            each.purpose("here").arrive(READY);
            if (wrong) {
                each.purpose("the first waits").when(T.isEqualTo(0), b ->
                        b.purpose("both are").waitParity(READY, turn));
            } else {
                each.purpose("both are").waitParity(READY, turn);
            }
        }));
    }

    private static void invalInUse(Body body, boolean wrong) {
        setUp(body, THREADS);
        body.purpose("here").arrive(READY);
        body.purpose("all are").waitParity(READY, 0);
        if (!wrong) {
            body.purpose("all have waited").syncThreads();
        }
        body.purpose("the last thread")
                .when(T.isEqualTo(THREADS - 1), one -> one.purpose("ends it")
                .issue(new MbarrierInval(), Input.of(READY)));
    }

    private static void scopeTooSmall(Body body, boolean wrong) {
        body.purpose("one thread a block").when(T.isEqualTo(0), one -> one.purpose("count")
                .issue(Red.relaxed(wrong ? Scope.CTA : Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32),
                        Input.of(new Address.Global(FLAGS, 0)), Input.of(1)));
    }

    private static void globalRace(Body body, boolean wrong) {
        Fragment word = body.purpose("a word").load("word", ElementType.U32, 1, from(T.times(4)));
        body.purpose("write it")
                .store(new Address.Global(RESULT, T.times(4).plus(wrong ? Expr.of(0) : Builtin.BLOCK.times(4 * THREADS))
                .toS64()), word);
    }
}
