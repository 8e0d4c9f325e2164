package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.explore.Exploration;
import dev.tilewright.hazard.explore.Explorer;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The explorer by itself: a mistake of each kind is seen, and gone when it is mended. Two threads a block. */
class ExplorerTest {
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", 2 * PIECE, 16);
    private static final SharedRegion.Barriers READY = new SharedRegion.Barriers("ready", 1);
    private static final Expr ZERO = Expr.of(0);

    private static Exploration explore(int cluster, int blocks, Consumer<Body> code) {
        Sample sample = new Sample("", 2, cluster, blocks, List.of(BUFFER, READY), Body.steps(code));
        return Explorer.explore(sample.launch(), Sample.memory(), 5000);
    }

    private static Exploration one(Consumer<Body> code) {
        return explore(1, 1, code);
    }

    private static void fill(Body body) {
        Plan.move(body, Plan.from(T.times(PIECE)), BUFFER.at(T.times(PIECE)));
    }

    private static void show(Body body) {
        Plan.move(body, BUFFER.at(T.plus(1).modulo(2).times(PIECE)), Plan.to(T.times(PIECE)));
    }

    private static void first(Body body, Consumer<Body> code) {
        body.when(T.isEqualTo(0), code);
    }

    private static void setUp(Body body, int arrivals) {
        first(body, one -> {
            one.barrierInit(READY.at(ZERO), arrivals);
            one.barrierInitFence();
        });
        body.syncThreads();
    }

    private static void load(Body body, int announced) {
        first(body, one -> {
            one.arriveExpectTx(READY.at(ZERO), announced);
            one.bulkLoad(BUFFER.at(ZERO), Plan.from(ZERO), 2 * PIECE, READY.at(ZERO));
        });
    }

    private static void assertWhy(String why, Exploration verdict) {
        assertTrue(verdict.isWrong(), verdict::toString);
        assertEquals(why, verdict.why());
    }

    @Test
    void theNeighboursPieceMayNotBeThereYet() {
        Consumer<Body> again = body -> {
            fill(body);
            body.syncThreads();
            Plan.move(body, Plan.from(T.times(PIECE).plus(64)), BUFFER.at(T.times(PIECE)));
        };
        assertWhy("bytes differ", one(again.andThen(ExplorerTest::show)));
        Exploration right = one(again.andThen(Body::syncThreads).andThen(ExplorerTest::show));
        assertTrue(right.isRight() && right.races().isEmpty(), right::toString);
        assertEquals(1, right.states());
    }

    @Test
    void whatNothingWroteMayBeReadButNotStored() {
        assertWhy(Explorer.UNDEFINED, one(ExplorerTest::show));
        assertTrue(one(body -> body.load("junk", dev.tilewright.layout.ElementType.U32, 4, BUFFER.at(ZERO))).isRight());
    }

    @Test
    void aCopyMayStillBeOnItsWay() {
        assertTrue(one(body -> {
            setUp(body, 1);
            load(body, 2 * PIECE);
            show(body);
            body.waitParity(READY.at(ZERO), ZERO);
        }).isWrong());
        assertTrue(one(body -> {
            setUp(body, 1);
            load(body, 2 * PIECE);
            body.waitParity(READY.at(ZERO), ZERO);
            show(body);
        }).isRight());
        assertWhy("a block ends while a copy uses its shared memory", one(body -> {
            setUp(body, 1);
            load(body, 2 * PIECE);
        }));
        assertWhy("threads wait for ever", one(body -> {
            setUp(body, 1);
            load(body, 3 * PIECE);
            body.waitParity(READY.at(ZERO), ZERO);
        }));
    }

    /** Whether or not a thread needs the bytes; and the check says so of the very kernels. */
    @Test
    void aCopyOfAGroupMayOutliveItsBlock() {
        Map<Consumer<Body>, Boolean> ends = new LinkedHashMap<>();
        ends.put(_ -> { }, false);
        ends.put(Body::cpAsyncCommit, false);
        ends.put(body -> {
            body.cpAsyncWait(0);
            body.cpAsyncCommit();
        }, false);
        ends.put(body -> {
            body.cpAsyncCommit();
            body.cpAsyncWait(1);
        }, false);
        ends.put(body -> {
            body.cpAsyncCommit();
            body.cpAsyncWait(0);
        }, true);
        ends.put(Body::cpAsyncWaitAll, true);
        Consumer<Body> arrival = body -> body.issue(new CpAsyncMbarrierArrive().withNoinc(), Input.of(READY.at(ZERO)));
        ends.put(arrival, false);
        ends.put(arrival.andThen(body -> body.waitParity(READY.at(ZERO), ZERO)), true);
        List<SharedRegion> shared = List.of(BUFFER, READY);
        ends.forEach((end, waits) -> {
            Sample sample = new Sample("", 2, 1, 1, shared, Body.steps(body -> {
                setUp(body, 2);
                body.cpAsync(BUFFER.at(T.times(PIECE)), Plan.from(T.times(PIECE)), PIECE);
                end.accept(body);
            }));
            Comparison both = Comparison.of(sample, 5000);
            assertEquals(waits ? Comparison.Result.BOTH_RIGHT : Comparison.Result.BOTH_WRONG, both.result(),
                    both::toString);
            if (!waits) {
                assertWhy("a block ends while a copy uses its shared memory", both.verdict());
            }
        });
    }

    @Test
    void theCopyEngineMayNotSeeAnOrdinaryWrite() {
        for (boolean fenced : new boolean[] {false, true}) {
            Exploration verdict = one(body -> {
                fill(body);
                if (fenced) {
                    body.proxyFence(FenceProxyAsync.Memory.SHARED);
                }
                body.syncThreads();
                first(body, one -> {
                    one.bulkStore(Plan.to(ZERO), BUFFER.at(ZERO), 2 * PIECE);
                    one.bulkCommit();
                    one.bulkWaitRead(0);
                });
            });
            assertEquals(fenced, verdict.isRight(), verdict::toString);
        }
    }

    @Test
    void aFlagHandsOnOnlyWhatItReleases() {
        for (boolean released : new boolean[] {false, true}) {
            for (Scope scope : List.of(Scope.CTA, Scope.GPU)) {
                Expr sender = Builtin.BLOCK.isEqualTo(0).and(T.isEqualTo(0));
                Exploration verdict = explore(1, 2, body -> body.when(sender, one -> {
                    Plan.move(one, Plan.from(ZERO), Plan.to(ZERO));
                    one.issue(released ? St.release(scope, Space.GLOBAL, DataType.U32)
                            : St.relaxed(scope, Space.GLOBAL, DataType.U32), Input.of(Plan.flagAt(0)), Input.of(1));
                }, rest -> rest.when(T.isEqualTo(1).and(Builtin.BLOCK.isEqualTo(1)), other -> {
                    other.waitUntil("flag", ValueType.U32, Plan.flagAt(0), v -> v.isEqualTo(1));
                    Plan.move(other, Plan.to(ZERO), Plan.to(Expr.of(PIECE)));
                })));
                assertEquals(released && scope == Scope.GPU, verdict.isRight(), verdict::toString);
                assertFalse(verdict.bounded());
            }
        }
    }

    /** Block 1 polls in a loop, with a count of its turns or none, until block 0 has set a flag, or for ever. */
    @Test
    void aLoopThatPollsGoesOnWhenThereIsSomethingNew() {
        Input flag = Input.of(Plan.flagAt(0));
        for (boolean counted : new boolean[] {false, true}) {
            for (int value = 1; value < 4; value++) {
                int last = value;
                Consumer<Body> look = again -> again.when(again.issue("seen", Ld.acquire(Scope.GPU, Space.GLOBAL,
                        DataType.U32), flag).isEqualTo(2), Body::breakLoop);
                Exploration verdict = explore(1, 2, body -> body.when(T.isEqualTo(0), one ->
                        one.when(Builtin.BLOCK.isEqualTo(0), b -> {
                            Plan.move(b, Plan.from(ZERO), Plan.to(ZERO));
                            for (int v = 1; v <= last; v++) {
                                b.issue(St.release(Scope.GPU, Space.GLOBAL, DataType.U32), flag, Input.of(v));
                            }
                        }, b -> {
                            if (counted) {
                                b.loop("attempt", ZERO, 1 << 30, 1, (again, _) -> look.accept(again));
                            } else {
                                b.repeatWhile(ZERO.isEqualTo(0), look);
                            }
                            Plan.move(b, Plan.to(ZERO), Plan.to(Expr.of(PIECE)));
                        })));
                assertFalse(verdict.bounded());
                assertTrue(verdict.states() < 50, verdict::toString);
                // Who looks too late where the value is another one again waits for ever.
                assertEquals(value == 2, verdict.isRight(), verdict::toString);
                assertTrue(value == 2 || verdict.why().equals("threads wait for ever"), verdict::toString);
            }
        }
    }

    /** An arrival that is added to a phase which may end without it: the wait need not be for the copies. */
    @Test
    void anAddedArrivalComesAfterTheEndOfThePhase() {
        for (boolean first : new boolean[] {true, false}) {
            Consumer<Body> added = body -> body.issue(new CpAsyncMbarrierArrive(), Input.of(READY.at(ZERO)));
            Consumer<Body> own = body -> body.arrive(READY.at(ZERO));
            Sample sample = new Sample("", 2, 1, 1, List.of(BUFFER, READY), Body.steps(body -> {
                setUp(body, 2);
                body.cpAsync(BUFFER.at(T.times(PIECE)), Plan.from(T.times(PIECE)), PIECE);
                (first ? added.andThen(own) : own.andThen(added)).accept(body);
                body.waitParity(READY.at(ZERO), ZERO);
                show(body);
            }));
            Comparison both = Comparison.of(sample, 5000);
            assertEquals(first ? Comparison.Result.BOTH_RIGHT : Comparison.Result.BOTH_WRONG, both.result(),
                    both::toString);
        }
    }

    /** A kernel whose states need too much memory is left before they take it. */
    @Test
    void statesThatNeedTooMuchMemoryAreNotKept() {
        Sample sample = new Sample("", 8, 1, 1, List.of(BUFFER), Body.steps(body -> {
            Plan.move(body, Plan.from(ZERO), BUFFER.at(ZERO));
            Plan.move(body, Plan.from(ZERO), BUFFER.at(ZERO));
        }));
        for (long bytes : new long[] {1, 100_000}) {
            Exploration verdict = Explorer.explore(sample.launch(), Sample.memory(), 5000, bytes);
            assertEquals(Exploration.Limit.MEMORY, verdict.limit(), verdict::toString);
            assertFalse(verdict.isRight() || verdict.isWrong(), verdict::toString);
        }
        assertEquals(Exploration.Limit.STATES, Explorer.explore(sample.launch(), Sample.memory(), 50).limit());
    }

    /** What one block does by itself before it stores a flag comes before or after the other's look at that flag. */
    @Test
    void aStepThatIsApartDoesNotKeepWhatFollowsItFromComingFirst() {
        Exploration verdict = explore(1, 2, body -> first(body, one -> one.when(Builtin.BLOCK.isEqualTo(0), looks -> {
            Expr seen = looks.issue("seen", Ld.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32),
                    Input.of(Plan.flagAt(0)));
            looks.issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(Plan.to(ZERO)), Input.of(seen));
        }, stores -> {
            stores.barrierInit(READY.at(ZERO), 1);
            stores.issue(new MbarrierInval(), Input.of(READY.at(ZERO)));
            stores.issue(St.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(Plan.flagAt(0)), Input.of(1));
        })));
        assertWhy("bytes differ", verdict);
    }

    @Test
    void aBlockOfTheClusterMayNotHaveBegunOrMayHaveEnded() {
        for (int meetings = 0; meetings < 4; meetings++) {
            boolean before = (meetings & 1) != 0;
            boolean after = (meetings & 2) != 0;
            Exploration verdict = explore(2, 2, body -> {
                Expr there = body.issue("there", Mapa.ofShared(), Input.of(BUFFER.at(T.times(PIECE))),
                        Input.of(Expr.of(1).minus(Builtin.CLUSTER_RANK)));
                if (before) {
                    body.clusterSync();
                }
                body.issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.U32), Input.of(there), Input.of(1));
                if (after) {
                    body.clusterSync();
                }
            });
            assertEquals(before && after, verdict.isRight(), verdict::toString);
            assertTrue(verdict.isRight() || verdict.why().startsWith("shared memory of a block that"),
                    verdict::toString);
        }
    }
}
