package dev.tilewright.bench.kernel;

import dev.tilewright.builder.collective.BlockReduction;
import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.ClusterShare;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Adds an array up and writes nothing else: one warp of a block has the copy engine fill a ring of tiles, the others
 * read them. Where several blocks are readers of each tile, each adds all of it to a total of its own; by multicast
 * they load a part of it each, for all. What is behind the last whole tile is read by ordinary loads: a block whose
 * part of a tile were empty would send nothing by which the others know that it has the stage free.
 *
 * @param tile bytes of a tile
 * @param stages of the ring
 * @param warps that read
 * @param readers blocks that read each tile: 1, 2, 4 or 8
 * @param multicast whether these are a cluster and load for each other
 * @param floats whether elements are f32, else words, whose sum is modulo 2^32
 */
public record RingSum(int tile, int stages, int warps, int readers, boolean multicast, boolean floats) {
    private static final int WORDS = 4;
    private static final int CHUNK = 16;

    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer TOTALS = new Parameter.Pointer("totals", true);
    private static final Parameter.Int BYTES = new Parameter.Int("bytes", IntType.S64);
    private static final Parameter.Int TILES = new Parameter.Int("tile_count", IntType.S32);

    public RingSum {
        if (readers < 1 || readers > ClusterSize.PORTABLE || Integer.bitCount(readers) != 1
                || multicast && readers == 1) {
            throw new IllegalArgumentException("a tile is read by 1, 2, 4 or 8 blocks, with multicast by more than "
                    + "one, got "
                    + readers);
        }
        if (warps < 1 || tile < 1 || tile % (warps * 32 * CHUNK) != 0 || tile / readers % CHUNK != 0) {
            throw new IllegalArgumentException("a tile has as many chunks of 16 bytes for each thread that reads, got "
                    + tile
                    + " bytes for " + warps + " warps");
        }
    }

    /** One that reads an array of words once. */
    public static RingSum of(int tile, int stages, int warps) {
        return new RingSum(tile, stages, warps, 1, false, false);
    }

    private int threads() {
        return warps * 32;
    }

    private ClusterShare share() {
        return multicast ? ClusterShare.all(readers) : ClusterShare.NONE;
    }

    /** The kernel. Needs sm_90. */
    public TileProgram program() {
        StageBuffer tiles = StageBuffer.of("tiles", tile);
        BarrierRing ring = BarrierRing.stages(stages).buffer(tiles).cluster(share())
                .consumers(ThreadRange.first(threads()), Arrivals.EACH_WARP).build();
        BlockReduction reduction = new BlockReduction("sums", Totals.type(floats), threads() + 32);
        List<SharedRegion> regions = new ArrayList<>(ring.regions());
        regions.add(reduction.scratch());
        return new TileProgram("ring_sum", "the sum of an array, " + readers + " times", Dim3.of(threads() + 32),
                share().size(), List.of(SOURCE, TOTALS, BYTES, TILES), new SharedLayout(regions),
                Body.steps(body -> write(body, ring, tiles, reduction)));
    }

    /**
     * A launch on buffers 0 (source) and 1 (a word for each reader, to which sums are added).
     *
     * @param bytes of the source, a multiple of 16
     * @param blocks at most; a multiple of the readers
     */
    public Launch launch(long bytes, int blocks) {
        if (bytes < CHUNK || bytes % CHUNK != 0) {
            throw new IllegalArgumentException("bulk copies move multiples of 16 bytes, got " + bytes);
        }
        int tiles = Math.toIntExact(bytes / tile);
        int groups = Math.clamp(blocks / readers, 1, Math.max(1, tiles));
        return Launch.of(program(), groups * readers, Map.of(SOURCE, new Argument.Buffer(0), TOTALS,
                new Argument.Buffer(1), BYTES, new Argument.Int(bytes), TILES, new Argument.Int(tiles)));
    }

    private void write(Body body, BarrierRing ring, StageBuffer tiles, BlockReduction reduction) {
        BarrierPipeline pipe = ring.open(body);
        Expr groups = body.purpose("blocks that read different tiles").let("groups", Builtin.GRID.dividedBy(readers));
        Expr group = body.purpose("which of them").let("group", Builtin.BLOCK.dividedBy(readers));
        Expr reader = body.purpose("which reader of its tiles").let("reader", Builtin.BLOCK.modulo(readers));
        Expr turns = body.purpose("how many tiles it reads").let("turns",
                TILES.value().minus(group).plus(groups).minus(1).dividedBy(groups));
        Register sum = body.variable("sum", Totals.zero(floats));
        ThreadRange.warp(warps).one(body.purpose("one thread of the last warp loads"),
                one -> one.loop("turn", turns, (b, turn) -> {
            Expr at = b.purpose("the tile's first byte").let("at", group.plus(turn.times(groups)).toS64().times(tile));
            var stage = pipe.acquire(b, turn);
            if (multicast) {
                int part = tile / readers;
                Expr begin = b.purpose("this block's part").let("begin", reader.times(part));
                b.bulkLoad(stage.at(tiles, begin), new Address.Global(SOURCE, at.plus(begin.toS64())), part,
                        stage.full()).multicast(share().everyone());
            } else {
                b.bulkLoad(stage.at(tiles), new Address.Global(SOURCE, at), tile, stage.full());
            }
            pipe.commit(b, stage);
        }));
        ThreadRange.first(threads()).only(body.purpose("the others read"), all -> {
            Register held = all.registers("held", Totals.type(floats), tile / threads() / Integer.BYTES > 64 ? 64
                    : tile / threads() / Integer.BYTES);
            pipe.consume(all, turns, (b, _, stage) -> read(b, tiles, stage, sum, held));
            all.purpose("what is behind the last whole tile").when(group.isEqualTo(0), first -> first.loop("at",
                    TILES.value().toS64().times(tile).plus(Builtin.THREAD.times(CHUNK).toS64()), BYTES.value(),
                    Expr.of((long) threads() * CHUNK), (each, at) -> {
                        each.load(held, 0, WORDS, new Address.Global(SOURCE, at));
                        Totals.add(each, sum, held, Expr.of(0));
                    }));
        });
        pipe.close(body);
        Totals.addUp(body, reduction, sum.get(), TOTALS, reader.times(Integer.BYTES).toS64());
    }

    /** As many loads as there is room for before the first addition. */
    private void read(Body body, StageBuffer tiles, Landed stage, Register sum, Register held) {
        int chunks = tile / threads() / CHUNK;
        int together = held.count() / WORDS;
        for (int first = 0; first < chunks; first += together) {
            int from = first;
            int count = Math.min(together, chunks - first);
            body.unrolled("k", count, (each, k) -> each.load(held, k.times(WORDS), WORDS, stage.at(tiles,
                    Builtin.THREAD.plus(k.plus(from).times(threads())).times(CHUNK))));
            body.unrolled("k", count, (each, k) -> Totals.add(each, sum, held, k.times(WORDS)));
        }
    }
}
