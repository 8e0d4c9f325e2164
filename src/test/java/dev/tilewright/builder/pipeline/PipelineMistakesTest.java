package dev.tilewright.builder.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Mistakes that are known when a kernel is built: the whole message of each. */
class PipelineMistakesTest {
    private static final StageBuffer TILES = StageBuffer.of("tiles", 512);
    private static final Expr ZERO = Expr.of(0);

    private static BarrierRing.Builder ring() {
        return BarrierRing.stages(3).named("kv").buffer(TILES).consumers(ThreadRange.warp(1));
    }

    private static void refused(String message, Executable code) {
        Exception e = assertThrows(RuntimeException.class, code);
        assertEquals(message, e.getMessage());
        assertEquals(true, e instanceof IllegalStateException || e instanceof IllegalArgumentException, e::toString);
    }

    private static void refused(String message, BarrierRing ring, BiConsumer<Body, BarrierPipeline> code) {
        refused(message, () -> Body.steps(body -> code.accept(body, ring.open(body))));
    }

    // ---- in use

    @Test
    void aStageThatIsCommittedTwice() {
        refused("a stage of ring 'kv' is committed twice: each turn of it ends once", ring().build(), (b, pipe) -> {
            Filling stage = pipe.acquire(b, ZERO);
            pipe.commit(b, stage);
            pipe.commit(b, stage);
        });
    }

    @Test
    void aStageThatIsReleasedTwice() {
        refused("a stage of ring 'kv' is released twice: each turn of it ends once", ring().build(), (b, pipe) -> {
            Landed stage = pipe.await(b, ZERO);
            pipe.release(b, stage);
            pipe.release(b, stage);
        });
    }

    @Test
    void aStageThatIsNeverCommitted() {
        refused("a stage of ring 'kv' is acquired and never committed: those who wait for it would wait for ever",
                ring().build(), (b, pipe) -> {
            pipe.acquire(b, ZERO);
            pipe.close(b);
        });
    }

    @Test
    void aStageThatIsNeverReleased() {
        refused("a stage of ring 'kv' is waited for and never released: those who fill it would wait for ever",
                ring().build(), (b, pipe) -> {
            pipe.await(b, ZERO);
            pipe.close(b);
        });
    }

    @Test
    void anAcquireBehindTheTail() {
        refused("a stage of ring 'kv' is acquired behind the tail, which waits for all stages to be free for good: put "
                + "the tail last", ring().build(), (b, pipe) -> {
            pipe.tail(b, 4);
            pipe.acquire(b, ZERO);
        });
    }

    @Test
    void twoTails() {
        refused("ring 'kv' has two tails", ring().build(), (b, pipe) -> {
            pipe.tail(b, 4);
            pipe.tail(b, 4);
        });
    }

    @Test
    void anythingBehindTheEnd() {
        for (BiConsumer<Body, BarrierPipeline> code : List.<BiConsumer<Body, BarrierPipeline>>of(
                (b, pipe) -> pipe.await(b, ZERO), (b, pipe) -> pipe.tryAwait(b, pipe.at(b, ZERO)),
                (b, pipe) -> pipe.consume(b, ZERO, (_, _, _) -> { }))) {
            refused("ring 'kv' is closed, and no stage of it can be waited for any more", ring().build(), (b, pipe) -> {
                pipe.close(b);
                code.accept(b, pipe);
            });
        }
        refused("ring 'kv' is closed, and no stage of it can be acquired any more", ring().build(), (b, pipe) -> {
            pipe.close(b);
            pipe.acquire(b, ZERO);
        });
        refused("ring 'kv' is closed, and no stage of it can be closed any more", ring().build(), (b, pipe) -> {
            pipe.close(b);
            pipe.close(b);
        });
    }

    @Test
    void aStageOfAnotherRing() {
        BarrierRing other = ring().named("q").build();
        refused("a stage of ring 'kv' cannot be committed in ring 'q'", ring().build(), (b, pipe) ->
                other.open(b).commit(b, pipe.acquire(b, ZERO)));
        refused("a cursor of ring 'q' is none of ring 'kv'", ring().build(), (b, pipe) ->
                pipe.acquire(b, other.open(b).cursor(b, "c")));
    }

    @Test
    void aTailWithoutEmptyBarriers() {
        refused("stages of ring 'kv' cannot be waited for at the end: no empty barriers say when they are free",
                ring().releasedBySyncThreads().build(), (b, pipe) -> pipe.tail(b, ZERO));
    }

    @Test
    void arrivalsThatNoneExpects() {
        refused("consumers of ring 'kv' do not arrive for a stage: they wait by its parity, or choose "
                + "consumersArrive()",
                ring().build(), (b, pipe) -> pipe.arrive(b, pipe.at(b, ZERO)));
        refused("consumers of ring 'kv' wait with the token of their own arrival: arrive first",
                ring().consumersArrive().build(), (b, pipe) -> pipe.tryAwait(b, pipe.at(b, ZERO)));
        refused("a stage of ring 'kv' is waited for twice with one arrival: arrive again",
                ring().consumersArrive().build(), (b, pipe) -> {
            Arrived early = pipe.arrive(b, pipe.at(b, ZERO));
            pipe.await(b, early);
            pipe.await(b, early);
        });
    }

    @Test
    void aStageThatIsKeptWhereThereIsNoOther() {
        refused("ring 'kv' has one stage, which is not filled again before it is released: release it in its own turn, "
                + "or have 2 stages", BarrierRing.stages(1).named("kv").build(),
                (b, pipe) -> pipe.landedBefore(pipe.at(b, ZERO)));
        refused("a stage of ring 'kv' is released twice: each turn of it ends once", ring().build(), (b, pipe) -> {
            Landed stage = pipe.await(b, ZERO);
            stage.keep();
            pipe.release(b, stage);
        });
    }

    @Test
    void bytesOfARingThatThreadsFill() {
        BarrierRing ring = ring().filledByCpAsync(ThreadRange.warp(0)).build();
        refused("only copies of the copy engine are announced, ring 'kv' is filled by CP_ASYNC", ring,
                (b, pipe) -> pipe.acquire(b, ZERO, 512));
        refused("copies into ring 'kv' complete on no barrier: fill it by COPY_ENGINE", ring,
                (b, pipe) -> pipe.acquire(b, ZERO).full());
    }

    @Test
    void bytesOfARingThatIsFilledInTwoWays() {
        refused("of a stage of ring 'kv' the copy engine fills a part: say how many bytes, with acquire(body, "
                + "turn, bytes)",
                ring().filledByCopyEngineAndStores(ThreadRange.warp(0)).build(), (b, pipe) -> pipe.acquire(b, ZERO));
    }

    @Test
    void aBufferOfAnotherRing() {
        StageBuffer other = StageBuffer.of("others", 64);
        refused("'others' is no buffer of ring 'kv', which has [tiles]", ring().build(),
                (b, pipe) -> pipe.await(b, ZERO).at(other));
        refused("ring 'kv' has 2 buffers: say which is meant", ring().buffer(other).build(),
                (b, pipe) -> pipe.await(b, ZERO).start());
        refused("ring 'kv' has two buffers named 'tiles'", () -> ring().buffer(TILES).build());
    }

    @Test
    void moreTurnsAheadThanStages() {
        refused("of 3 stages, 1 to 3 can be filled ahead, got 4", ring().build(),
                (_, pipe) -> pipe.overlap(ZERO).ahead(4));
        refused("of 3 stages, 1 to 3 can be filled ahead, got 4", () -> GroupRing.stages(3).ahead(4).build());
    }

    @Test
    void groupsThatAreNotEnded() {
        GroupRing ring = GroupRing.stages(2).buffer(TILES).build();
        refused("a stage of ring 'ring' is acquired and never committed: those who wait for it would wait for ever",
                () -> Body.steps(b -> {
            GroupPipeline pipe = ring.open(b);
            pipe.acquire(b, ZERO);
            pipe.close();
        }));
        refused("a stage of ring 'ring' is committed twice: each turn of it ends once", () -> Body.steps(b -> {
            GroupPipeline pipe = ring.open(b);
            Filling stage = pipe.acquire(b, ZERO);
            pipe.commit(b, stage);
            pipe.commit(b, stage);
        }));
    }

    // ---- choices that do not go together

    @Test
    void ringsThatCannotBe() {
        refused("ring 'ring' has 1 to 1024 stages, got 0", () -> BarrierRing.stages(0).build());
        refused("ring 'ring' has 1 to 1024 stages, got 0", () -> GroupRing.stages(0).build());
        refused("the copy engine and clusters need sm_90: a ring for GPUs below is filled by cp.async or stores, in "
                + "one block", () -> ring().belowSm90().build());
        refused("blocks that load for each other do so by the copy engine, and release stages on empty barriers, got "
                + "STORES and EMPTY_BARRIERS", () -> ring().cluster(ClusterShare.all(2))
                .filledByStores(ThreadRange.warp(0), Arrivals.EACH_THREAD).build());
        refused("one thread fills and reads a ring that its own order releases, got as readers threads 32 to 63",
                () -> ring().releasedBySameThread().build());
        refused("an arrival for each warp takes whole warps, whose first thread and count are multiples of 32, got "
                + "threads 0 to 39", () -> ring().consumers(ThreadRange.first(40), Arrivals.EACH_WARP).build());
        refused("cp.async copies land after the commit, so that no fence of the committing thread can come behind "
                + "them: let consumers fence once they have waited",
                () -> ring().filledByCpAsync(ThreadRange.warp(0)).readByCopyEngine().build());
        refused("blocks per cluster must be in [1, 8] or 16, got 3 x 3 = 9", () -> ClusterShare.rowsAndColumns(3, 3));
    }

    @Test
    void rangesAndBuffersThatCannotBe() {
        refused("a range has 1 or more of a block's threads 0 to 1023, got 32 from 1000 on",
                () -> new ThreadRange(1000, 32));
        refused("a stage of 'x' has 1 byte or more, and stages are as far apart and at most 232448, got 64 bytes, 32 "
                + "apart", () -> new StageBuffer("x", Expr.of(64), Expr.of(32), 16));
        refused("a stage's bytes is a constant: its memory is set apart when the kernel is compiled",
                () -> new StageBuffer("x", Expr.Builtin.BLOCK, Expr.of(32), 16));
    }

    @Test
    void groupsInOrderThatCannotBe() {
        refused("two groups or more take turns, got 1", () -> new OrderedTurns("o", List.of(ThreadRange.warp(0))));
        refused("a thread is in one group: threads 0 to 31 and threads 0 to 63 have some in common",
                () -> new OrderedTurns("o", List.of(ThreadRange.warp(0), ThreadRange.first(64))));
        OrderedTurns order = new OrderedTurns("o", List.of(ThreadRange.warp(0), ThreadRange.warp(1)));
        refused("groups are 0 to 1, got 2", () -> Body.steps(b -> order.pass(b, 2)));
    }
}
