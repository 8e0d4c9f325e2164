package dev.tilewright.verify.draw;

import static dev.tilewright.verify.draw.PipelineCase.MAP;
import static dev.tilewright.verify.draw.PipelineCase.RESULT;
import static dev.tilewright.verify.draw.PipelineCase.SOURCE;

import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.Arrived;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.ClusterShare;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.GroupPipeline;
import dev.tilewright.builder.pipeline.GroupRing;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.OrderedTurns;
import dev.tilewright.builder.pipeline.RingCursor;
import dev.tilewright.builder.pipeline.RingPosition;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Kernels that copy tiles through pipelines of every kind, as a user would write them. */
public final class PipelineKernels {
    /** Bytes of a tile. */
    public static final int TILE = 512;
    static final int WORDS = TILE / 4;
    static final StageBuffer TILES = StageBuffer.of("tiles", TILE);

    private PipelineKernels() { }

    /** How turns are counted and waited for. */
    public enum Style { TURNS, CURSOR, TRIED, EARLY_ARRIVALS, ONE_BEHIND }

    /** Who starts the copies, and how. */
    public enum Source { BULK, TENSOR, CP_ASYNC, STORES, CP_ASYNC_AND_STORES, BULK_AND_STORES }

    /**
     * Producers and consumers apart.
     *
     * @param producers a warp or more, the first ones; where the copy engine loads, one thread of them
     */
    public record Apart(int stages, int turns, Source source, ThreadRange producers, ThreadRange consumers,
            Arrivals arrivals, Style style, int cluster, boolean fenced, boolean storedByBulk, boolean belowSm90) {

        public Apart(int stages, int turns, Source source, ThreadRange producers, ThreadRange consumers,
                Arrivals arrivals, Style style, int cluster, boolean fenced, boolean storedByBulk) {
            this(stages, turns, source, producers, consumers, arrivals, style, cluster, fenced, storedByBulk, false);
        }

        boolean byCopyEngine() {
            return source == Source.BULK || source == Source.TENSOR;
        }

        public BarrierRing ring() {
            BarrierRing.Builder b = BarrierRing.stages(stages).buffer(TILES).consumers(consumers, arrivals)
                    .cluster(ClusterShare.all(cluster));
            switch (source) {
                case BULK, TENSOR -> b.filledByCopyEngine();
                case CP_ASYNC -> b.filledByCpAsync(producers);
                case STORES -> b.filledByStores(producers, arrivals);
                case CP_ASYNC_AND_STORES -> b.filledByCpAsyncAndStores(producers);
                case BULK_AND_STORES -> b.filledByCopyEngineAndStores(producers);
            }
            if (!fenced) {
                b.unfencedReleases();
            }
            if (belowSm90) {
                b.belowSm90();
            }
            if (storedByBulk && source != Source.CP_ASYNC) {
                b.readByCopyEngine();
            }
            return (style == Style.EARLY_ARRIVALS ? b.consumersArrive() : b).build();
        }

        public PipelineCase build() {
            BarrierRing ring = ring();
            int blocks = 2 * cluster;
            if (source == Source.BULK_AND_STORES && (style == Style.CURSOR || style == Style.TRIED)) {
                return new Apart(stages, turns, source, producers, consumers, arrivals, Style.TURNS, cluster, fenced,
                        storedByBulk, belowSm90).build();
            }
            return kernel("apart", toString(), producers.count() + consumers.count(), ClusterSize.of(Dim3.of(cluster)),
                    Dim3.of(blocks), ring.regions(), blocks * turns * WORDS, body -> write(body, ring),
                    i -> (i / WORDS / turns / cluster * turns + i / WORDS % turns) * WORDS + i % WORDS);
        }

        private void write(Body body, BarrierRing ring) {
            BarrierPipeline pipe = ring.open(body);
            if (byCopyEngine()) {
                producers.one(body, one -> produce(one, pipe));
            } else {
                producers.only(body, all -> produce(all, pipe));
            }
            consumers.only(body, all -> consume(all, pipe));
            pipe.close(body);
        }

        private void produce(Body body, BarrierPipeline pipe) {
            switch (style) {
                case TURNS, EARLY_ARRIVALS, ONE_BEHIND -> {
                    if (source == Source.BULK_AND_STORES) {
                        body.loop("turn", turns, (b, turn) -> {
                            Filling stage = pipe.acquire(b, turn, TILE / 2);
                            fill(b, turn, stage);
                            pipe.commit(b, stage);
                        });
                    } else {
                        pipe.produce(body, turns, this::fill);
                    }
                }
                case CURSOR -> {
                    RingCursor cursor = pipe.cursor(body, "load");
                    // Two loops, of which neither variable counts all turns.
                    body.loop("outer", Math.ceilDiv(turns, 3), (o, outer) -> o.loop("inner",
                            Expr.of(turns).minus(outer.times(3)).min(3), (b, inner) -> {
                        Filling stage = pipe.acquire(b, cursor);
                        fill(b, outer.times(3).plus(inner), stage);
                        pipe.commit(b, stage);
                    }));
                    pipe.tail(body, cursor);
                }
                case TRIED -> {
                    body.loop("turn", turns, (b, turn) -> {
                        RingPosition at = pipe.at(b, turn);
                        Filling stage = pipe.acquire(b, at, pipe.tryAcquire(b, at));
                        fill(b, turn, stage);
                        pipe.commit(b, stage);
                    });
                    pipe.tail(body, turns);
                }
            }
        }

        private void consume(Body body, BarrierPipeline pipe) {
            switch (style) {
                case TURNS -> pipe.consume(body, turns, this::read);
                case CURSOR -> {
                    RingCursor cursor = pipe.cursor(body, "read");
                    body.loop("turn", turns, (b, turn) -> {
                        Landed stage = pipe.await(b, cursor);
                        read(b, turn, stage);
                        pipe.release(b, stage);
                    });
                }
                case TRIED -> body.loop("turn", turns, (b, turn) -> {
                    RingPosition at = pipe.at(b, turn);
                    Landed stage = pipe.await(b, at, pipe.tryAwait(b, at));
                    read(b, turn, stage);
                    pipe.release(b, stage);
                });
                case ONE_BEHIND -> {
                    body.loop("turn", turns, (b, turn) -> {
                        Landed stage = pipe.await(b, turn);
                        read(b, turn, stage);
                        stage.keep();
                        // As for tensor cores, which still read the stage when the thread comes here.
                        b.when(turn.atLeast(1), later -> pipe.release(later,
                                pipe.landedBefore(pipe.at(later, turn.minus(1)))));
                    });
                    pipe.release(body, pipe.landedBefore(pipe.at(body, turns - 1)));
                }
                case EARLY_ARRIVALS -> body.loop("turn", turns, (b, turn) -> {
                    Arrived early = pipe.arrive(b, pipe.at(b, turn));
                    b.let("work", turn.times(3));
                    Landed stage = pipe.await(b, early);
                    read(b, turn, stage);
                    pipe.release(b, stage);
                });
            }
        }

        /** The tile's first byte in the source. */
        private Expr from(Expr turn) {
            return Builtin.BLOCK.dividedBy(cluster).times(turns).plus(turn).times(TILE);
        }

        private void fill(Body body, Expr turn, Filling stage) {
            if (byCopyEngine()) {
                load(body, from(turn), stage, source == Source.TENSOR, cluster);
                return;
            }
            int copied = source == Source.CP_ASYNC ? TILE : source == Source.STORES ? 0 : TILE / 2;
            if (source == Source.BULK_AND_STORES) {
                producers.one(body, one -> one.bulkLoad(stage.start(), new Address.Global(SOURCE, from(turn)),
                        TILE / 2, stage.full()));
            } else if (copied > 0) {
                body.loop("at", producers.number().times(16), copied, 16 * producers.count(),
                        (b, at) -> b.cpAsync(stage.at(at), new Address.Global(SOURCE, from(turn).plus(at)), 16));
            }
            if (copied < TILE) {
                body.loop("at", producers.number().times(4).plus(copied), TILE,
                        4 * producers.count(), (b, at) -> b.store(stage.at(at),
                        b.load("word", ElementType.U32, 1, new Address.Global(SOURCE, from(turn).plus(at)))));
            }
        }

        private void read(Body body, Expr turn, Landed stage) {
            Expr to = Builtin.BLOCK.times(turns).plus(turn).times(TILE);
            if (storedByBulk) {
                consumers.one(body, one -> {
                    one.bulkStore(new Address.Global(RESULT, to), stage.start(), TILE);
                    one.bulkCommit();
                    one.bulkWait(0);
                });
            } else {
                copyOut(body, consumers, TILES, to, stage);
            }
        }
    }

    /** Starts the copies of a tile, in a cluster of this block's part for all blocks. */
    static void load(Body body, Expr from, Filling stage, boolean tensor, int cluster) {
        int part = TILE / cluster;
        Expr mine = cluster == 1 ? Expr.of(0) : Builtin.CLUSTER_RANK.times(part);
        if (tensor) {
            body.tensorLoad(stage.start(), MAP, Expr.list(0, from.dividedBy(128)), stage.full());
        } else {
            var step = body.bulkLoad(stage.at(mine), new Address.Global(SOURCE, from.plus(mine)), part, stage.full());
            if (cluster > 1) {
                step.multicast(ClusterShare.all(cluster).everyone());
            }
        }
    }

    /** Every thread writes words that another has read or written before. */
    static void copyOut(Body body, ThreadRange threads, StageBuffer buffer, Expr to, Landed stage) {
        body.loop("word", threads.number(), WORDS, threads.count(), (b, word) -> {
            Expr at = b.let("at", word.plus(37).modulo(WORDS).times(4));
            Fragment f = b.load("data", ElementType.U32, 1, stage.at(buffer, at));
            b.store(new Address.Global(RESULT, to.plus(at)), f);
        });
    }

    // ---- one group of threads for both roles

    /**
     * All threads of a block read; one of them, or all, fill.
     *
     * @param sync whether {@code __syncthreads} releases stages, else empty barriers
     */
    public record Both(int stages, int ahead, int turns, int threads, boolean tensor, boolean sync) {
        public PipelineCase build() {
            BarrierRing.Builder b = BarrierRing.stages(stages).buffer(TILES).consumers(ThreadRange.first(threads));
            BarrierRing ring = (sync ? b.releasedBySyncThreads() : b).build();
            return kernel("both", toString(), threads, ClusterSize.NONE, Dim3.of(2), ring.regions(), 2 * turns * WORDS,
                    body -> {
                BarrierPipeline pipe = ring.open(body);
                Expr first = Builtin.BLOCK.times(turns);
                pipe.overlap(turns).ahead(ahead).filledWhere(Builtin.THREAD.isEqualTo(0)).write(body,
                        (each, turn, stage) -> load(each, first.plus(turn).times(TILE), stage, tensor, 1),
                        (each, turn, stage) -> copyOut(each, ThreadRange.first(threads), TILES,
                                first.plus(turn).times(TILE), stage));
                pipe.close(body);
            }, i -> i);
        }
    }

    /** Groups of cp.async copies. */
    public record Groups(int stages, int ahead, int turns, int threads, GroupRing.Readers readers) {
        public PipelineCase build() {
            GroupRing ring = GroupRing.stages(stages).ahead(ahead).buffer(TILES).readBy(readers).build();
            ThreadRange all = ThreadRange.first(threads);
            return kernel("groups", toString(), threads, ClusterSize.NONE, Dim3.of(2), ring.regions(),
                    2 * turns * WORDS, body -> {
                GroupPipeline pipe = ring.open(body);
                Expr first = Builtin.BLOCK.times(turns);
                pipe.overlap(body, turns, (each, turn, stage) -> each.loop("at", all.number().times(16),
                        TILE, 16 * threads, (b, at) -> b.cpAsync(stage.at(at),
                        new Address.Global(SOURCE, first.plus(turn).times(TILE).plus(at)), 16)),
                        (each, turn, stage) -> {
                    Expr to = first.plus(turn).times(TILE);
                    if (readers == GroupRing.Readers.THREAD) {
                        each.loop("at", all.number().times(16), TILE, 16 * threads, (b, at) ->
                                b.store(new Address.Global(RESULT, to.plus(at)),
                                b.load("data", ElementType.U32, 4, stage.at(at))));
                    } else {
                        copyOut(each, all, TILES, to, stage);
                    }
                });
                pipe.close();
            }, i -> i);
        }
    }

    // ---- a cluster of a matrix product

    /**
     * Blocks of a row share one operand's tiles, those of a column the other's; one warp loads, the others read.
     *
     * @param shared whether releases order shared memory alone
     */
    public record RowsAndColumns(int x, int y, int stages, int turns, int readers, Arrivals arrivals,
            boolean shared) {
        public PipelineCase build() {
            ClusterShare share = ClusterShare.rowsAndColumns(x, y);
            StageBuffer a = StageBuffer.of("a", TILE);
            StageBuffer b = StageBuffer.of("b", TILE);
            ThreadRange consumers = ThreadRange.warps(1, readers);
            BarrierRing.Builder builder = BarrierRing.stages(stages).buffer(a).buffer(b).consumers(consumers, arrivals)
                    .cluster(share);
            BarrierRing ring = (shared ? builder.releasesOfSharedMemory() : builder).build();
            int blocks = x * y;
            return kernel("rows_and_columns", toString(), 32 + consumers.count(), share.size(), new Dim3(x, y, 1),
                    ring.regions(), blocks * turns * 2 * WORDS, body -> {
                BarrierPipeline pipe = ring.open(body);
                Expr bx = Builtin.CLUSTER_BLOCK_X;
                Expr by = Builtin.CLUSTER_BLOCK_Y;
                ThreadRange.warp(0).one(body, one -> pipe.produce(one, turns, (p, turn, stage) -> {
                    Expr partOfA = bx.times(TILE / x);
                    Expr partOfB = by.times(TILE / y);
                    p.bulkLoad(stage.at(a, partOfA), new Address.Global(SOURCE, by.times(turns).plus(turn).times(TILE)
                            .plus(partOfA)), TILE / x, stage.full()).multicast(share.row());
                    p.bulkLoad(stage.at(b, partOfB), new Address.Global(SOURCE, bx.plus(y).times(turns).plus(turn)
                            .times(TILE).plus(partOfB)), TILE / y, stage.full()).multicast(share.column());
                }));
                consumers.only(body, all -> pipe.consume(all, turns, (c, turn, stage) -> {
                    Expr to = by.times(x).plus(bx).times(turns).plus(turn).times(2 * TILE);
                    copyOut(c, consumers, a, to, stage);
                    copyOut(c, consumers, b, to.plus(TILE), stage);
                }));
                pipe.close(body);
            }, i -> {
                int tile = i / WORDS;
                int turn = tile / 2 % turns;
                int block = tile / 2 / turns;
                int operand = tile % 2 == 0 ? block / x : block % x + y;
                return (operand * turns + turn) * WORDS + i % WORDS;
            });
        }
    }

    // ---- sections in order

    /**
     * Groups of a warp take turns at one place in shared memory: each writes its tile there, and takes it out again.
     *
     * @param turns of each group
     */
    public record PingPong(int groups, int turns) {
        public PipelineCase build() {
            List<ThreadRange> warps = IntStream.range(0, groups).mapToObj(ThreadRange::warp).toList();
            OrderedTurns order = new OrderedTurns("order", warps);
            SharedRegion.Buffer place = new SharedRegion.Buffer("place", TILE, 16);
            return kernel("ping_pong", toString(), 32 * groups, ClusterSize.NONE, Dim3.of(2),
                    List.of(place, order.barriers()), 2 * turns * groups * WORDS, body -> {
                order.open(body);
                for (int g = 0; g < groups; g++) {
                    int group = g;
                    warps.get(g).only(body, b -> b.loop("turn", turns, (each, turn) -> {
                        Expr tile = Builtin.BLOCK.times(turns).plus(turn).times(groups).plus(group).times(TILE)
                                .plus(warps.get(group).number().times(16));
                        order.section(each, group, turn, in -> {
                            Address.Shared mine = place.at(warps.get(group).number().times(16));
                            in.store(mine, in.load("data", ElementType.U32, 4, new Address.Global(SOURCE, tile)));
                            in.store(new Address.Global(RESULT, tile), in.load("back", ElementType.U32, 4, mine));
                        });
                    }));
                }
            }, i -> i);
        }
    }

    public static PipelineCase kernel(String name, String purpose, int threads, ClusterSize cluster, Dim3 grid,
            List<SharedRegion> shared, int words, Consumer<Body> code, IntUnaryOperator from) {
        TileProgram program = new TileProgram(name, purpose, Dim3.of(threads), cluster, PipelineCase.parameters(),
                new SharedLayout(shared), Body.steps(code));
        return new PipelineCase(program, grid, words, from);
    }
}
