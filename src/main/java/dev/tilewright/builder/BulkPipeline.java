package dev.tilewright.builder;

import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.Overlap;
import dev.tilewright.builder.pipeline.RingPosition;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.program.Body;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.cache.CreatePolicyFractional;
import dev.tilewright.ptx.cache.EvictionPriority;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The frame of a kernel that loads tiles by TMA: a ring of stages, one thread that starts every bulk copy, and a loop
 * over the block's tiles.
 *
 * <p>What differs between kernels (which tiles a block takes, how one is loaded, processed and stored) is
 * {@link TileStages}.
 */
final class BulkPipeline {

    /**
     * The use that one kernel makes of its tiles.
     *
     * @param range names the block's tiles; every thread runs this
     * @param bytes a tile's in one source, as the barrier counts them
     * @param load starts the copies that bring a tile; one thread runs this
     * @param process applies the step to the landed tile; every consuming thread runs this
     * @param store starts the bulk copies that write the tile back; one thread runs this, and none without a bulk store
     */
    record TileStages(Function<Body, TilePartition.TileRange> range, BiFunction<Body, Expr, Expr> bytes, Load load,
            OnTile process, OnTile store) { }

    /** Steps that load a tile into a stage. @param bytes of the tile */
    interface Load {
        void write(Body body, Expr tile, Filling stage, Expr bytes);
    }

    /** Steps about a tile that is in a stage. */
    interface OnTile {
        void write(Body body, Expr tile, Landed stage);
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

    /** The thread that starts all bulk copies. */
    private static final ThreadRange LOADER = ThreadRange.thread(0);

    private final BarrierWait barrierWait;
    private final StorePath storePath;
    private final Roles roles;
    private final CachePriority cache;
    private final int workers;
    /** One for each source; the result takes the place of the first. */
    private final List<StageBuffer> buffers;
    private final BarrierRing ring;

    BulkPipeline(int stages, BarrierWait barrierWait, StorePath storePath, Roles roles, CachePriority cache,
            int threads, List<StageBuffer> buffers) {
        this.barrierWait = barrierWait;
        this.storePath = storePath;
        this.roles = roles;
        this.cache = cache;
        this.workers = roles == Roles.SPECIALISED ? threads - Warp.LANES : threads;
        this.buffers = buffers;
        BarrierRing.Builder builder = BarrierRing.stages(Expr.named("stages", stages));
        buffers.forEach(builder::buffer);
        if (storePath == StorePath.BULK_ONLY) {
            builder.consumers(LOADER).releasedBySameThread();
        } else if (roles == Roles.SPECIALISED) {
            builder.consumers(ThreadRange.first(workers), Arrivals.EACH_WARP);
        } else {
            builder.consumers(ThreadRange.first(threads)).releasedBySyncThreads();
        }
        this.ring = barrierWait == BarrierWait.TOKEN ? builder.consumersArrive().build() : builder.build();
    }

    BarrierWait barrierWait() {
        return barrierWait;
    }

    StorePath storePath() {
        return storePath;
    }

    /** The advice for L2 that copies get, if any, for the steps that follow. */
    Optional<Expr> cachePolicy(Body body) {
        return cache == CachePriority.NORMAL ? Optional.empty()
                : Optional.of(body.purpose("the data is used once, so evict it first").issue("policy",
                new CreatePolicyFractional(EvictionPriority.EVICT_FIRST)));
    }

    /** Threads that work on a tile: all of the block, or all but the last warp. */
    int workers() {
        return workers;
    }

    /** The number of {@link #workers} under the name that the kernel gives it. */
    Expr namedWorkers() {
        return Expr.named(roles == Roles.SPECIALISED ? "workers" : "threads", workers);
    }

    /** What a stage has room for, one for each source. */
    List<StageBuffer> buffers() {
        return buffers;
    }

    /** One byte of a stage, in the tile of each source. */
    List<Address.Shared> staged(Landed stage, Expr at) {
        return buffers.stream().map(buffer -> stage.at(buffer, at)).toList();
    }

    /** Where the result's bytes overwrite the loaded ones. */
    Address.Shared inPlace(Landed stage, Expr at) {
        return stage.at(buffers.getFirst(), at);
    }

    /** The first of the result's bytes. */
    Address.Shared result(Landed stage) {
        return stage.at(buffers.getFirst());
    }

    /** What it has in shared memory. */
    List<SharedRegion> regions() {
        return ring.regions();
    }

    private boolean bulkStore() {
        return storePath != StorePath.BY_THREADS;
    }

    void write(Body body, TileStages tileStages) {
        BarrierPipeline pipe = ring.open(body);
        TilePartition.TileRange mine = tileStages.range().apply(body);
        if (storePath == StorePath.BULK_ONLY) {
            LOADER.one(body.purpose("one thread does everything; the others have nothing to do"), one -> {
                turns(one, pipe, pipe.overlap(mine.count()), mine, tileStages);
                written(one);
            });
        } else if (roles == Roles.SPECIALISED) {
            specialised(body, pipe, mine, tileStages);
        } else {
            turns(body, pipe, pipe.overlap(mine.count()).filledWhere(LOADER.isFirst()), mine, tileStages);
            if (bulkStore()) {
                LOADER.one(body.purpose("the storing thread"), BulkPipeline::written);
            }
        }
        pipe.close(body);
    }

    private void specialised(Body body, BarrierPipeline pipe, TilePartition.TileRange mine, TileStages tileStages) {
        Procedure load = load(pipe, tileStages);
        ThreadRange.warp(workers / Warp.LANES).one(body.purpose("one thread of the last warp moves the tiles"), one -> {
            if (bulkStore()) {
                moveBothWays(one, pipe, load, mine, tileStages);
            } else {
                one.purpose("load a tile a turn").loop("turn", mine.count(), (each, turn) -> {
                    RingPosition at = pipe.at(each, turn);
                    each.call(load, mine.tile(turn), at.stage(), at.parity());
                });
            }
        });
        ThreadRange.first(workers).only(body.purpose("the others work on them"), all ->
                pipe.consume(all, mine.count(), (each, turn, stage) ->
                        process(each, mine.tile(turn), stage, tileStages)));
    }

    /** The thread that moves tiles stores each when all are done with it, and fills its stage again. */
    private void moveBothWays(Body one, BarrierPipeline pipe, Procedure load, TilePartition.TileRange mine,
            TileStages tileStages) {
        Expr stages = Expr.named("stages", ring.stages());
        Expr ahead = ring.stages() == 1 ? stages : stages.minus(1);
        one.purpose("fill the first stages").loop("turn", mine.count().min(ahead),
                (each, turn) -> each.call(load, mine.tile(turn), turn, 0));
        one.purpose("one tile a turn").loop("turn", mine.count(), (each, turn) -> {
            Landed stage = pipe.awaitReleased(each, pipe.at(each, turn));
            tileStages.store().write(each, mine.tile(turn), stage);
            each.purpose("close the tile's group").bulkCommit();
            Expr next = each.purpose("the turn whose stage is filled next").let("next", turn.plus(ahead));
            each.purpose("if there is such a turn").when(next.lessThan(mine.count()), more -> {
                more.purpose("the store of the stage's previous tile has read it")
                        .bulkWaitRead(ring.stages() == 1 ? 0 : 1);
                more.call(load, mine.tile(next), next.modulo(stages), next.dividedBy(stages).modulo(2));
            });
        });
        written(one);
    }

    private static void written(Body body) {
        body.purpose("the block must not exit before its last tiles have been read").bulkWaitRead(0);
    }

    /** A stage whose store is still being read is not loaded yet. */
    private void turns(Body body, BarrierPipeline pipe, Overlap overlap, TilePartition.TileRange mine,
            TileStages tileStages) {
        Procedure load = load(pipe, tileStages);
        if (bulkStore()) {
            overlap.ahead(Math.max(1, ring.stages() - 1))
                    .afterRelease((b, turn, stage) -> {
                        tileStages.store().write(b, mine.tile(turn), stage);
                        b.purpose("close the tile's group").bulkCommit();
                    })
                    .beforeRefill(b -> b.purpose("the store of the stage's previous tile has read it")
                            .bulkWaitRead(ring.stages() == 1 ? 0 : 1));
        }
        overlap.writeAcquiring(body, (b, turn, at) -> b.call(load, mine.tile(turn), at.stage()),
                (b, turn, stage) -> process(b, mine.tile(turn), stage, tileStages));
    }

    private void process(Body body, Expr tile, Landed stage, TileStages tileStages) {
        if (storePath == StorePath.BULK_ONLY) {
            return;
        }
        tileStages.process().write(body, tile, stage);
        if (storePath == StorePath.IN_PLACE) {
            body.purpose("the copy engine sees what this thread wrote").proxyFence(FenceProxyAsync.Memory.SHARED);
        }
    }

    /** What fills a stage, at first and again. */
    private Procedure load(BarrierPipeline pipe, TileStages tileStages) {
        Expr.Var tile = new Expr.Var("tile", IntType.S32);
        Expr.Var stage = new Expr.Var("stage", IntType.S32);
        Expr.Var parity = new Expr.Var("parity", IntType.S32);
        boolean waits = roles == Roles.SPECIALISED && storePath != StorePath.BULK_ONLY;
        return Procedure.of("load_tile", "Loads a tile into a stage; one thread runs this.",
                waits ? List.of(tile, stage, parity) : List.of(tile, stage), body -> {
                    Expr bytes = tileStages.bytes().apply(body, tile);
                    Filling filling = pipe.acquire(body, new RingPosition(stage, waits ? parity : Expr.of(0)),
                            buffers.size() == 1 ? bytes : bytes.times(buffers.size()));
                    tileStages.load().write(body, tile, filling, bytes);
                    pipe.commit(body, filling);
                });
    }
}
