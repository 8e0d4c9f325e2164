package dev.tilewright.builder;

import dev.tilewright.program.Address;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.Token;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.List;
import java.util.function.Function;

/**
 * The frame of a kernel that loads tiles by TMA: a ring of stages, each with an mbarrier that counts the bytes that
 * land in it; one thread that starts every bulk copy; and a loop over the block's tiles.
 *
 * <p>What differs between kernels (which tiles a block takes, how one is loaded, processed and stored) is
 * {@link TileStages}.
 */
final class BulkPipeline {

    /**
     * What one kernel does with its tiles.
     *
     * @param range names the block's tiles; every thread runs this
     * @param load announces a tile's bytes on the barrier and starts the copies that bring them; one thread runs this
     * @param process applies the step to the landed tile; every consuming thread runs this
     * @param store starts the bulk copies that write the tile back; one thread runs this, and none without a bulk store
     */
    record TileStages(Function<Body, TilePartition.TileRange> range, Load load, OnTile process, OnTile store) {
    }

    /** Steps that load a tile into a stage. */
    interface Load {
        void write(Body body, Expr tile, Expr stage, Address.Barrier full);
    }

    /** Steps about a tile that is in a stage. */
    interface OnTile {
        void write(Body body, Expr tile, Expr stage);
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
    private final BarrierWait barrierWait;
    private final StorePath storePath;
    private final int threads;
    private final Expr namedStages;
    private final SharedRegion.Barriers full;

    BulkPipeline(int stages, BarrierWait barrierWait, StorePath storePath, int threads) {
        this.stages = stages;
        this.barrierWait = barrierWait;
        this.storePath = storePath;
        this.threads = threads;
        this.namedStages = Expr.named("stages", stages);
        this.full = new SharedRegion.Barriers("full", stages);
    }

    BarrierWait barrierWait() {
        return barrierWait;
    }

    StorePath storePath() {
        return storePath;
    }

    SharedRegion.Barriers barriers() {
        return full;
    }

    private boolean bulkStore() {
        return storePath != StorePath.BY_THREADS;
    }

    /** Tiles that are loading while one is worked on: a stage whose store is still being read stays out of it. */
    private Expr ahead() {
        return bulkStore() && stages > 1 ? namedStages.minus(1) : namedStages;
    }

    /** Threads that wait for a tile, and in the token form arrive for it. */
    private int consumers() {
        return storePath == StorePath.BULK_ONLY ? 1 : threads;
    }

    void write(Body body, TileStages tileStages) {
        int arrivals = barrierWait == BarrierWait.TOKEN ? 1 + consumers() : 1;
        body.purpose("one thread sets up the barriers").when(Builtin.THREAD.isEqualTo(0), one -> {
            one.purpose("a barrier for each stage")
                    .loop("stage", namedStages, (each, stage) -> each.purpose(arrivals == 1
                            ? "a phase takes one arrival, the loading thread's, and the bytes it announces"
                            : "a phase takes the loading thread's arrival and bytes, and one arrival of each waiting "
                                    + "thread")
                            .barrierInit(full.at(stage), arrivals));
            one.purpose("let the copy engine see them").barrierInitFence();
        });
        body.purpose("no thread touches a barrier before it is set up").syncThreads();
        TilePartition.TileRange mine = tileStages.range().apply(body);
        Procedure load = load(tileStages);
        body.purpose("one thread starts all bulk copies").when(Builtin.THREAD.isEqualTo(0), one ->
                one.purpose("fill the stages").loop("turn", mine.count().min(ahead()),
                        (fill, turn) -> fill.call(load, mine.first().plus(turn), turn)));
        if (storePath == StorePath.BULK_ONLY) {
            body.purpose("that thread does the rest too: nothing needs the others")
                    .when(Builtin.THREAD.isEqualTo(0), one -> {
                loop(one, mine, tileStages, load);
                one.purpose("everything is written before the block ends").bulkWait(0);
            });
        } else {
            loop(body, mine, tileStages, load);
            if (bulkStore()) {
                body.purpose("the storing thread").when(Builtin.THREAD.isEqualTo(0), one ->
                        one.purpose("everything is written before the block ends").bulkWait(0));
            }
        }
    }

    /** What fills a stage, at first and again. */
    private Procedure load(TileStages tileStages) {
        Expr.Var tile = new Expr.Var("tile", IntType.S32);
        Expr.Var stage = new Expr.Var("stage", IntType.S32);
        return Procedure.of("load_tile", "Loads a tile into a stage; one thread runs this.", List.of(tile, stage),
                body -> tileStages.load().write(body, tile, stage, full.at(stage)));
    }

    private void loop(Body body, TilePartition.TileRange mine, TileStages tileStages, Procedure load) {
        body.purpose("one tile a turn").loop("turn", mine.count(), (each, turn) -> {
            Expr stage = each.purpose("the tile's stage").let("stage", turn.modulo(namedStages));
            await(each, turn, stage);
            Expr tile = each.purpose("the tile that has landed").let("tile", mine.first().plus(turn));
            switch (storePath) {
                case BULK_ONLY -> {
                    store(each, tileStages, tile, stage);
                    refill(each, load, turn, mine);
                }
                case IN_PLACE -> {
                    tileStages.process().write(each, tile, stage);
                    each.purpose("the copy engine sees what this thread wrote")
                            .proxyFence(FenceProxyAsync.Memory.SHARED);
                    each.purpose("every thread has written its share").syncThreads();
                    each.purpose("one thread starts all bulk copies").when(Builtin.THREAD.isEqualTo(0), one -> {
                        store(one, tileStages, tile, stage);
                        refill(one, load, turn, mine);
                    });
                }
                case BY_THREADS -> {
                    tileStages.process().write(each, tile, stage);
                    each.purpose("every thread is done with the stage").syncThreads();
                    each.purpose("one thread starts all bulk copies").when(Builtin.THREAD.isEqualTo(0),
                            one -> refill(one, load, turn, mine));
                }
            }
        });
    }

    private void await(Body body, Expr turn, Expr stage) {
        switch (barrierWait) {
            case PARITY -> body
                    .purpose("all bytes of the tile have landed: this use of the stage has the parity of the round")
                    .waitParity(full.at(stage), turn.dividedBy(namedStages).modulo(2));
            case TOKEN -> {
                Token token = body.purpose("arrive for the tile, and remember the phase")
                        .arrive(full.at(stage)).token("phase");
                body.purpose("all have arrived and all bytes have landed").waitToken(full.at(stage), token);
            }
        }
    }

    private void store(Body body, TileStages tileStages, Expr tile, Expr stage) {
        tileStages.store().write(body, tile, stage);
        body.purpose("close the tile's group").bulkCommit();
    }

    private void refill(Body body, Procedure load, Expr turn, TilePartition.TileRange mine) {
        Expr next = body.purpose("the turn to load for").let("next", turn.plus(ahead()));
        body.purpose("unless the tiles have run out").when(next.lessThan(mine.count()), more -> {
            if (bulkStore()) {
                more.purpose("the stage's last tile has been read by its store").bulkWaitRead(stages > 1 ? 1 : 0);
            }
            more.purpose("refill its stage").call(load, mine.first().plus(next), next.modulo(namedStages));
        });
    }
}
