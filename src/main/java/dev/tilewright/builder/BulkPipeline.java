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
        body.purpose("one thread sets up the barriers").when(Builtin.THREAD.isEqualTo(0), one -> {
            one.purpose("a barrier for each stage")
                    .loop("fresh", Expr.of(0), Expr.of(stages), Expr.of(1), (each, fresh) ->
                    each.purpose(arrivals == 1
                            ? "a phase takes one arrival, the loading thread's, and the bytes it announces"
                            : "a phase takes the loading thread's arrival and bytes, and one arrival of each waiting thread")
                            .barrierInit(full.at(fresh), arrivals));
            one.purpose("let the copy engine see them").barrierInitFence();
        });
        body.purpose("no thread touches a barrier before it is set up").syncThreads();
        TilePartition.TileRange mine = share.apply(body);
        body.purpose("one thread starts all bulk copies").when(Builtin.THREAD.isEqualTo(0), one ->
                one.purpose("fill the stages")
                        .loop("first", Expr.of(0), mine.count().min(ahead()), Expr.of(1), (fill, first) ->
                        mover.load(fill, "first_", mine.first().plus(first), first, full.at(first))));
        if (way == StorePath.BULK_ONLY) {
            body.purpose("that thread does the rest too: nothing needs the others")
                    .when(Builtin.THREAD.isEqualTo(0), one -> {
                loop(one, mine, mover);
                one.purpose("everything is written before the block ends").bulkWait(0);
            });
        } else {
            loop(body, mine, mover);
            if (bulkStore()) {
                body.purpose("the storing thread").when(Builtin.THREAD.isEqualTo(0), one ->
                        one.purpose("everything is written before the block ends").bulkWait(0));
            }
        }
    }

    private void loop(Body body, TilePartition.TileRange mine, TileStages mover) {
        body.purpose("one tile a turn").loop("turn", Expr.of(0), mine.count(), Expr.of(1), (each, turn) -> {
            Expr stage = each.purpose("the tile's stage").let("stage", turn.modulo(stages));
            await(each, turn, stage);
            Expr tile = each.purpose("the tile that has landed").let("tile", mine.first().plus(turn));
            switch (way) {
                case BULK_ONLY -> {
                    store(each, mover, tile, stage);
                    refill(each, mover, turn, mine);
                }
                case IN_PLACE -> {
                    mover.work(each, tile, stage);
                    each.purpose("the copy engine sees what this thread wrote")
                            .proxyFence(FenceProxyAsync.Memory.SHARED);
                    each.purpose("every thread has written its share").syncThreads();
                    each.purpose("one thread starts all bulk copies").when(Builtin.THREAD.isEqualTo(0), one -> {
                        store(one, mover, tile, stage);
                        refill(one, mover, turn, mine);
                    });
                }
                case BY_THREADS -> {
                    mover.work(each, tile, stage);
                    each.purpose("every thread is done with the stage").syncThreads();
                    each.purpose("one thread starts all bulk copies").when(Builtin.THREAD.isEqualTo(0),
                            one -> refill(one, mover, turn, mine));
                }
            }
        });
    }

    private void await(Body body, Expr turn, Expr stage) {
        switch (completion) {
            case PARITY -> body.purpose("all bytes of the tile have landed: this use of the stage has the parity of the round")
                    .waitParity(full.at(stage), turn.dividedBy(stages).modulo(2));
            case TOKEN -> {
                Token token = body.purpose("arrive for the tile, and remember the phase")
                        .arrive(full.at(stage)).token("phase");
                body.purpose("all have arrived and all bytes have landed").waitToken(full.at(stage), token);
            }
        }
    }

    private void store(Body body, TileStages mover, Expr tile, Expr stage) {
        mover.store(body, tile, stage);
        body.purpose("close the tile's group").bulkCommit();
    }

    private void refill(Body body, TileStages mover, Expr turn, TilePartition.TileRange mine) {
        Expr next = body.purpose("the turn to load for").let("next", turn.plus(ahead()));
        body.purpose("unless the tiles have run out").when(next.lessThan(mine.count()), more -> {
            if (bulkStore()) {
                more.purpose("the stage's last tile has been read by its store").bulkWaitRead(stages > 1 ? 1 : 0);
            }
            Expr stage = more.purpose("the stage to refill").let("next_stage", next.modulo(stages));
            mover.load(more, "next_", mine.first().plus(next), stage, full.at(stage));
        });
    }
}
