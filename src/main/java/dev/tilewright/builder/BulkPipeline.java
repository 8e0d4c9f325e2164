package dev.tilewright.builder;

import dev.tilewright.program.Address;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.Token;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.function.Function;

/**
 * The frame of a kernel that loads tiles by TMA: a ring of stages, each with an mbarrier that counts the bytes that
 * land in it; one thread that starts every bulk copy; and a loop over the block's tiles.
 *
 * <p>What differs between kernels (how a tile is loaded, worked on and stored) is {@link TileStages}.
 */
final class BulkPipeline {

    /** What one kernel does with one tile. */
    interface TileStages {
        /** Announces the tile's bytes on the barrier and starts the copies that bring them. One thread runs this. */
        void load(Body body, String prefix, Expr tile, Expr stage, Address.Barrier full);

        /** Works on the landed tile; every consuming thread runs this. */
        void work(Body body, Expr tile, Expr stage);

        /** Starts the bulk copies that write the tile back. One thread runs this; not called without a bulk store. */
        void store(Body body, Expr tile, Expr stage);
    }

    /** How the finished tile leaves shared memory, and with that what has to be waited for. */
    enum StorePath {
        /** Untouched: one thread loads by bulk copy and stores by bulk copy. */
        BULK_ONLY,
        /** All threads change the tile in shared memory, then one thread stores it by bulk copy. */
        IN_PLACE,
        /** All threads read the tile and write the result themselves. */
        BY_THREADS
    }

    private final int stages;
    private final BarrierWait completion;
    private final StorePath way;
    private final int threads;
    private final Function<Body, TilePartition.TileRange> share;
    private final SharedRegion.Barriers full;

    BulkPipeline(int stages, BarrierWait completion, StorePath way, int threads, TilePartition share) {
        this(stages, completion, way, threads, share::define);
    }

    /** @param share names the block's tiles */
    BulkPipeline(int stages, BarrierWait completion, StorePath way, int threads, Function<Body, TilePartition.TileRange> share) {
        this.stages = stages;
        this.completion = completion;
        this.way = way;
        this.threads = threads;
        this.share = share;
        this.full = new SharedRegion.Barriers("full", stages);
    }

    SharedRegion.Barriers barriers() {
        return full;
    }

    private boolean bulkStore() {
        return way != StorePath.BY_THREADS;
    }

    /** Tiles that are loading while one is worked on: a stage whose store is still being read stays out of it. */
    private int ahead() {
        return bulkStore() && stages > 1 ? stages - 1 : stages;
    }

    /** Threads that wait for a tile, and in the token form arrive for it. */
    private int consumers() {
        return way == StorePath.BULK_ONLY ? 1 : threads;
    }

    void write(Body body, TileStages mover) {
        int arrivals = completion == BarrierWait.TOKEN ? 1 + consumers() : 1;
        body.when("one thread sets up the barriers", Builtin.THREAD.isEqualTo(0), one -> {
            one.loop("a barrier for each stage", "fresh", Expr.of(0), Expr.of(stages), Expr.of(1), (each, fresh) ->
                    each.barrierInit(arrivals == 1
                            ? "a phase takes one arrival, the loading thread's, and the bytes it announces"
                            : "a phase takes the loading thread's arrival and bytes, and one arrival of each waiting thread",
                            full.at(fresh), arrivals));
            one.barrierInitFence("let the copy engine see them");
        });
        body.syncThreads("no thread touches a barrier before it is set up");
        TilePartition.TileRange mine = share.apply(body);
        body.when("one thread starts all bulk copies", Builtin.THREAD.isEqualTo(0), one ->
                one.loop("fill the stages", "first", Expr.of(0), mine.count().min(ahead()), Expr.of(1), (fill, first) ->
                        mover.load(fill, "first_", mine.first().plus(first), first, full.at(first))));
        if (way == StorePath.BULK_ONLY) {
            body.when("that thread does the rest too: nothing needs the others", Builtin.THREAD.isEqualTo(0), one -> {
                loop(one, mine, mover);
                one.bulkWait("everything is written before the block ends", 0);
            });
        } else {
            loop(body, mine, mover);
            if (bulkStore()) {
                body.when("the storing thread", Builtin.THREAD.isEqualTo(0), one ->
                        one.bulkWait("everything is written before the block ends", 0));
            }
        }
    }

    private void loop(Body body, TilePartition.TileRange mine, TileStages mover) {
        body.loop("one tile a turn", "turn", Expr.of(0), mine.count(), Expr.of(1), (each, turn) -> {
            Expr stage = each.let("the tile's stage", "stage", turn.modulo(stages));
            await(each, turn, stage);
            Expr tile = each.let("the tile that has landed", "tile", mine.first().plus(turn));
            switch (way) {
                case BULK_ONLY -> {
                    store(each, mover, tile, stage);
                    refill(each, mover, turn, mine);
                }
                case IN_PLACE -> {
                    mover.work(each, tile, stage);
                    each.proxyFence("the copy engine sees what this thread wrote", FenceProxyAsync.Memory.SHARED);
                    each.syncThreads("every thread has written its share");
                    each.when("one thread starts all bulk copies", Builtin.THREAD.isEqualTo(0), one -> {
                        store(one, mover, tile, stage);
                        refill(one, mover, turn, mine);
                    });
                }
                case BY_THREADS -> {
                    mover.work(each, tile, stage);
                    each.syncThreads("every thread is done with the stage");
                    each.when("one thread starts all bulk copies", Builtin.THREAD.isEqualTo(0),
                            one -> refill(one, mover, turn, mine));
                }
            }
        });
    }

    private void await(Body body, Expr turn, Expr stage) {
        switch (completion) {
            case PARITY -> body.waitParity("all bytes of the tile have landed: this use of the stage has the parity of the round",
                    full.at(stage), turn.dividedBy(stages).modulo(2));
            case TOKEN -> {
                Token token = body.arrive("arrive for the tile, and remember the phase", full.at(stage), "phase");
                body.waitToken("all have arrived and all bytes have landed", full.at(stage), token);
            }
        }
    }

    private void store(Body body, TileStages mover, Expr tile, Expr stage) {
        mover.store(body, tile, stage);
        body.bulkCommit("close the tile's group");
    }

    private void refill(Body body, TileStages mover, Expr turn, TilePartition.TileRange mine) {
        Expr next = body.let("the turn to load for", "next", turn.plus(ahead()));
        body.when("unless the tiles have run out", next.lessThan(mine.count()), more -> {
            if (bulkStore()) {
                more.bulkWaitRead("the stage's last tile has been read by its store", stages > 1 ? 1 : 0);
            }
            Expr stage = more.let("the stage to refill", "next_stage", next.modulo(stages));
            mover.load(more, "next_", mine.first().plus(next), stage, full.at(stage));
        });
    }
}
