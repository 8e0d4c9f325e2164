package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.FLAGS;
import static dev.tilewright.hazard.SmallKernels.MAP;
import static dev.tilewright.hazard.SmallKernels.MAPS;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.RESULT;
import static dev.tilewright.hazard.SmallKernels.SPARE;
import static dev.tilewright.hazard.SmallKernels.T;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.copy.TensorPrefetch;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.fence.FenceProxyTensormapAcquire;
import dev.tilewright.ptx.fence.FenceProxyTensormapRelease;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Tensor maps in global memory that are published by one thread and handed on to another by all that orders threads: an
 * mbarrier, a flag, the cluster's barrier; within a block and between blocks, once and tile after tile. Each correct
 * kernel is clean, and with one step left out or weakened the step at fault is found.
 */
class MapHandOverTest {
    private static final long PUBLISHED_AT = 1024;
    private static final Address.Global PUBLISHED = new Address.Global(FLAGS, PUBLISHED_AT);
    private static final Address.Global FLAG = new Address.Global(FLAGS, 0);
    private static final int BOX_BYTES = 512;
    /** Of a warp that does not publish. */
    private static final int USER = 40;

    private static void clean(HazardReport report) {
        assertTrue(report.isClean() && report.complete(), report::toString);
    }

    private static void found(String purpose, String sentence, HazardReport report) {
        List<Finding> maps = report.findings().stream().filter(f -> f.code() == HazardCode.MAP_CHANGE_NOT_FENCED)
                .toList();
        assertTrue(maps.stream().anyMatch(f -> f.purpose().equals(purpose) && f.message().contains(sentence)),
                report::toString);
    }

    // ---- parts

    private static void setUp(Body body) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.barrierInit(READY, 1);
            one.barrierInit(SPARE, 32);
            one.barrierInitFence();
        });
        body.purpose("eight threads copy the map").when(T.lessThan(8), b -> {
            Fragment data = b.load("chunk", ElementType.U32, 4, new Address.MapBytes(MAP, T.times(16)));
            b.store(MAPS.at(T.times(16)), data);
        });
        body.purpose("the copy is whole").syncThreads();
        body.purpose("one thread changes it").when(T.isEqualTo(0), one ->
                one.purpose("fewer rows").replaceMapField(MAPS.at(0), new MapEdit.GlobalDim(1, 20)));
        body.purpose("all is set up").syncThreads();
    }

    /** A warp publishes the map. */
    private static void publish(Body warp) {
        warp.purpose("publish").publishMap(PUBLISHED, MAPS.at(0));
    }

    private static void load(Body one) {
        one.purpose("announce").arriveExpectTx(READY, BOX_BYTES);
        one.purpose("load").tensorLoad(BUFFER.at(0), new MapSource.InMemory(PUBLISHED, 2), Expr.list(0, 0), READY);
        one.purpose("landed").waitParity(READY, 0);
    }

    // ---- within a block

    private static HazardReport byMbarrier(boolean arrives, boolean waits, boolean acquires) {
        return SmallKernels.one(body -> {
            setUp(body);
            body.when(T.lessThan(32), warp -> {
                publish(warp);
                if (arrives) {
                    warp.purpose("published").arrive(SPARE);
                }
            });
            body.when(T.isEqualTo(USER), one -> {
                if (waits) {
                    one.purpose("is it?").waitParity(SPARE, 0);
                }
                if (acquires) {
                    one.purpose("acquire").acquireMap(PUBLISHED);
                }
                load(one);
            });
        });
    }

    @Test
    void anMbarrierHandsAMapOn() {
        clean(byMbarrier(true, true, true));
        found("acquire", "nothing orders that after the release in step", byMbarrier(true, false, true));
        found("load", "no thread of the block has acquired the map since", byMbarrier(true, true, false));
    }

    // ---- to another block

    /** @param arms what stands between: see {@link #aFlagHandsAMapOnToAnotherBlock} */
    private static HazardReport byFlag(Consumer<Body> release, Consumer<Body> store, Consumer<Body> wait,
            Consumer<Body> acquire) {
        return SmallKernels.check(2, 1, body -> {
            setUp(body);
            body.when(Builtin.BLOCK.isEqualTo(0), first -> first.when(T.isEqualTo(USER), one -> {
                one.loop("at", 0, 128, 16, (each, at) -> each.purpose("write").store(
                        new Address.Global(FLAGS, at.plus((int) PUBLISHED_AT).toS64()),
                        each.load("piece", ElementType.U32, 4, MAPS.at(at))));
                release.accept(one);
                store.accept(one);
            }), second -> second.when(T.isEqualTo(0), one -> {
                wait.accept(one);
                acquire.accept(one);
                load(one);
            }));
        });
    }

    private static final Consumer<Body> NOTHING = _ -> { };
    private static final Consumer<Body> RELEASE = b -> b.purpose("release").releaseMaps();
    private static final Consumer<Body> ACQUIRE = b -> b.purpose("acquire").acquireMap(PUBLISHED);
    private static final Consumer<Body> STORE = b ->
            b.purpose("say so").issue(St.release(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(FLAG), Input.of(1));
    private static final Consumer<Body> STORE_RELAXED = b ->
            b.purpose("say so").issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(FLAG), Input.of(1));
    private static final Consumer<Body> WAIT = b -> b.purpose("is it?").waitUntil("state",
            ValueType.U32, FLAG, v -> v.isEqualTo(1));
    private static final Consumer<Body> WAIT_RELAXED = b -> b.purpose("is it?").waitUntil("state",
            ValueType.U32, FLAG, v -> v.isEqualTo(1)).order(Ld.Order.RELAXED);

    @Test
    void aFlagHandsAMapOnToAnotherBlock() {
        clean(byFlag(RELEASE, STORE, WAIT, ACQUIRE));
        // The two fences synchronise by themselves.
        clean(byFlag(RELEASE, STORE_RELAXED, WAIT_RELAXED, ACQUIRE));
        found("load", "no thread has released the change", byFlag(NOTHING, STORE, WAIT, ACQUIRE));
        found("load", "no thread of the block has acquired the map since", byFlag(RELEASE, STORE, WAIT, NOTHING));
        // The fences in the wrong places.
        found("acquire", "nothing orders that after the release in step", byFlag(NOTHING, b -> {
            STORE.accept(b);
            RELEASE.accept(b);
        }, WAIT, ACQUIRE));
        found("acquire", "nothing orders that after the release in step", byFlag(RELEASE, STORE, b -> {
            ACQUIRE.accept(b);
            WAIT.accept(b);
        }, NOTHING));
    }

    @Test
    void scopesReachTheOtherBlock() {
        found("release", "for scope cta, which does not include the other thread", byFlag(
                b -> b.purpose("release").issue(new FenceProxyTensormapRelease(Scope.CTA)), STORE, WAIT, ACQUIRE));
        found("acquire", "for scope cluster, which does not include the other thread", byFlag(RELEASE, STORE, WAIT,
                b -> b.purpose("acquire").issue(new FenceProxyTensormapAcquire(Scope.CLUSTER), Input.of(PUBLISHED))));
        clean(byFlag(b -> b.purpose("release").issue(new FenceProxyTensormapRelease(Scope.SYS)), STORE, WAIT, ACQUIRE));
    }

    private static HazardReport byCluster(boolean meets, boolean acquires) {
        return SmallKernels.check(2, 2, body -> {
            setUp(body);
            body.when(Builtin.CLUSTER_RANK.isEqualTo(0).and(T.lessThan(32)), warp -> publish(warp));
            if (meets) {
                body.clusterSync();
            }
            body.when(Builtin.CLUSTER_RANK.isEqualTo(1).and(T.isEqualTo(USER)), one -> {
                if (acquires) {
                    one.purpose("acquire").acquireMap(PUBLISHED);
                }
                load(one);
            });
            body.purpose("the end").syncThreads();
        });
    }

    @Test
    void theClusterBarrierHandsAMapOn() {
        clean(byCluster(true, true));
        found("acquire", "nothing orders that after the release in step", byCluster(false, true));
        found("load", "no thread of the block has acquired the map since", byCluster(true, false));
    }

    /** Another block's acquire does nothing for this one: it is at another multiprocessor. */
    @Test
    void eachBlockAcquires() {
        HazardReport report = SmallKernels.check(2, 2, body -> {
            setUp(body);
            body.when(Builtin.CLUSTER_RANK.isEqualTo(0).and(T.lessThan(32)), warp -> {
                publish(warp);
                warp.purpose("acquire").acquireMap(PUBLISHED);
            });
            body.clusterSync();
            body.when(T.isEqualTo(USER), MapHandOverTest::load);
        });
        found("load", "no thread of the block has acquired the map since", report);
        assertEquals(1, report.findings().size(), report::toString);
        assertEquals(1, report.findings().getFirst().block());
    }

    // ---- tile after tile

    /** What may be left out of {@link #grouped}. */
    private enum Step { PUBLISH, ACQUIRE, WAIT_FOR_LOAD, MEET_BEFORE, MEET, NONE }

    /**
     * A grouped kernel: for each problem a warp sets the map's rows and publishes it anew where the last one was, and a
     * thread of another warp loads a box through it.
     *
     * @param without left out from the second problem on
     */
    private static HazardReport grouped(Step without) {
        return SmallKernels.one(body -> {
            setUp(body);
            body.purpose("each problem").loop("problem", 0, 3, 1, (each, problem) -> {
                each.purpose("one thread changes it").when(T.isEqualTo(0), one -> one.purpose("change")
                        .replaceMapField(MAPS.at(0), new MapEdit.GlobalDim(1, problem.plus(2))));
                if (without != Step.MEET_BEFORE) {
                    each.purpose("it is changed").syncThreads();
                }
                each.when(T.lessThan(32), MapHandOverTest::publish);
                if (without != Step.MEET) {
                    each.purpose("it is published").syncThreads();
                }
                each.when(T.isEqualTo(USER), one -> {
                    Consumer<Body> acquire = b -> b.purpose("acquire").acquireMap(PUBLISHED);
                    if (without == Step.ACQUIRE) {
                        one.purpose("once").when(problem.isEqualTo(0), acquire);
                    } else {
                        acquire.accept(one);
                    }
                    if (without == Step.WAIT_FOR_LOAD) {
                        one.when(problem.atLeast(1), b -> b.purpose("too late")
                                .waitParity(READY, problem.plus(1).bitAnd(1)));
                    }
                    one.purpose("announce").arriveExpectTx(READY, BOX_BYTES);
                    one.purpose("load").tensorLoad(BUFFER.at(0), new MapSource.InMemory(PUBLISHED, 2),
                            Expr.list(0, 0), READY);
                });
                if (without != Step.WAIT_FOR_LOAD) {
                    each.purpose("landed").waitParity(READY, problem.bitAnd(1));
                }
            });
            if (without == Step.WAIT_FOR_LOAD) {
                body.when(T.isEqualTo(USER), one -> one.purpose("the last").waitParity(READY, 0));
            }
        });
    }

    @Test
    void aMapIsRewrittenForEachProblem() {
        clean(grouped(Step.NONE));
        found("load", "no thread of the block has acquired the map since", grouped(Step.ACQUIRE));
        found("publish", "nothing waits until that copy is over", grouped(Step.WAIT_FOR_LOAD));
        found("acquire", "nothing orders that after the release in step", grouped(Step.MEET));
        // Changed by a thread of the very warp that publishes: that it comes together orders nothing before.
        assertEquals(Set.of(HazardCode.MISSING_BARRIER), grouped(Step.MEET_BEFORE).codes());
    }

    /** Rewritten in place, in global memory; left out from the second problem on. */
    private static HazardReport inPlace(Set<Step> without) {
        return SmallKernels.one(body -> {
            setUp(body);
            body.when(T.lessThan(32), warp -> publish(warp));
            body.purpose("it is published").syncThreads();
            body.when(T.isEqualTo(USER), one -> {
                one.purpose("acquire").acquireMap(PUBLISHED);
                load(one);
                one.purpose("fewer rows").issue(new TensormapReplace(TensormapReplace.Field.GLOBAL_DIM, 1)
                        .withSpace(Space.GLOBAL), Input.of(PUBLISHED), Input.of(3));
                if (!without.contains(Step.PUBLISH)) {
                    one.purpose("release").releaseMaps();
                }
                if (!without.contains(Step.ACQUIRE)) {
                    one.purpose("acquire again").acquireMap(PUBLISHED);
                }
                one.purpose("announce").arriveExpectTx(READY, BOX_BYTES);
                one.purpose("load again").tensorLoad(BUFFER.at(0), new MapSource.InMemory(PUBLISHED, 2),
                        Expr.list(0, 0), READY);
                one.purpose("landed again").waitParity(READY, 1);
            });
        });
    }

    @Test
    void aMapIsChangedAfterItsFirstUse() {
        clean(inPlace(Set.of()));
        found("load again", "no thread has released the change", inPlace(Set.of(Step.PUBLISH)));
        found("load again", "no thread of the block has acquired the map since", inPlace(Set.of(Step.ACQUIRE)));
        found("load again", "no thread has released the change", inPlace(Set.of(Step.PUBLISH, Step.ACQUIRE)));
    }

    // ---- stores through a map, and prefetches

    private static HazardReport storeThrough(boolean waitsForRead) {
        return SmallKernels.one(body -> {
            setUp(body);
            body.when(T.lessThan(32), warp -> {
                publish(warp);
                warp.when(T.isEqualTo(0), one -> {
                    one.purpose("acquire").acquireMap(PUBLISHED);
                    load(one);
                    one.purpose("store").tensorStore(new MapSource.InMemory(PUBLISHED, 2),
                            Expr.list(0, 4), BUFFER.at(0));
                    one.bulkCommit();
                    if (waitsForRead) {
                        one.purpose("read").bulkWaitRead(0);
                    }
                });
                warp.purpose("publish again").publishMap(PUBLISHED, MAPS.at(0));
                warp.when(T.isEqualTo(0), one -> one.purpose("all is stored").bulkWait(0));
            });
        });
    }

    /** That its source has been read is enough: the map has been read by then. */
    @Test
    void aStoreReadsItsMapUntilItHasReadItsSource() {
        clean(storeThrough(true));
        found("publish again", "nothing waits until that copy is over", storeThrough(false));
    }

    @Test
    void aPrefetchUsesTheMapToo() {
        List<HazardReport> reports = new ArrayList<>();
        for (boolean acquires : new boolean[] {true, false}) {
            reports.add(SmallKernels.one(body -> {
                setUp(body);
                body.when(T.lessThan(32), warp -> {
                    publish(warp);
                    if (acquires) {
                        warp.purpose("acquire").acquireMap(PUBLISHED);
                    }
                    warp.purpose("prefetch").issue(new TensorPrefetch(2),
                            Input.of(new MapSource.InMemory(PUBLISHED, 2)), Input.of(0), Input.of(0));
                });
            }));
        }
        clean(reports.getFirst());
        found("prefetch", "no thread of the block has acquired the map since", reports.getLast());
    }

    /** The result of a check shows nothing of how a map came to be. */
    @Test
    void whoWritesAMapByTheCopyEngineWaitsBeforeTheRelease() {
        for (boolean waits : new boolean[] {true, false}) {
            HazardReport report = SmallKernels.one(body -> {
                setUp(body);
                body.when(T.isEqualTo(0), one -> {
                    one.proxyFence(FenceProxyAsync.Memory.SHARED);
                    one.purpose("bulk").bulkStore(PUBLISHED, MAPS.at(0), 128);
                    one.bulkCommit();
                    if (waits) {
                        one.bulkWait(0);
                    }
                    one.purpose("release").releaseMaps();
                    one.purpose("acquire").acquireMap(PUBLISHED);
                    load(one);
                    one.bulkWait(0);
                    one.store(new Address.Global(RESULT, 0), one.load("word", ElementType.U32, 1, BUFFER.at(0)));
                });
            });
            if (waits) {
                clean(report);
            } else {
                found("load", "no thread has released the change", report);
            }
        }
    }
}
