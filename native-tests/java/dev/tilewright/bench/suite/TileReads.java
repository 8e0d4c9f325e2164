package dev.tilewright.bench.suite;

import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Tile loads and nothing else: a warp loads tiles by bulk copies, the others take the exclusive or of all words of each
 * tile, and each thread of these writes its one word at the end. What is written is nothing beside what is read, and
 * the exclusive or of the results is that of the array, so that every word must have been read.
 *
 * @param tileBytes of a tile, a multiple of 16 bytes for each working thread
 * @param stages tiles of a block in shared memory
 * @param workers threads that read tiles, whole warps
 */
public record TileReads(int tileBytes, int stages, int workers) {
    private static final int CHUNK = 16;
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Parameter.Int TILES = new Parameter.Int("tiles", IntType.S32);

    public TileReads {
        if (workers < Warp.LANES || workers % Warp.LANES != 0 || tileBytes % (CHUNK * workers) != 0) {
            throw new IllegalArgumentException("whole warps read tiles, 16 bytes a thread and turn, got tiles of "
                    + tileBytes + " bytes for " + workers + " threads");
        }
    }

    private StageBuffer buffer() {
        Expr bytes = Expr.named("tile_bytes", tileBytes);
        return new StageBuffer("tiles_loaded", bytes, bytes, 128);
    }

    /** The kernel. Needs sm_90. */
    public TileProgram program() {
        ThreadRange readers = ThreadRange.first(workers);
        StageBuffer buffer = buffer();
        BarrierRing ring = BarrierRing.stages(Expr.named("stages", stages)).buffer(buffer)
                .consumers(readers, Arrivals.EACH_WARP).build();
        return new TileProgram("tile_reads", "reads tiles of " + tileBytes + " bytes by bulk copies, " + stages
                + " stages", workers + Warp.LANES, List.of(SOURCE, RESULT, TILES), new SharedLayout(ring.regions()),
                Body.steps(body -> {
                    BarrierPipeline pipe = ring.open(body);
                    Expr count = body.purpose("how many tiles this block reads").let("my_tiles",
                            TILES.value().minus(Builtin.BLOCK).plus(Builtin.GRID.minus(1)).dividedBy(Builtin.GRID));
                    ThreadRange.warp(workers / Warp.LANES).one(body.purpose("one thread of the last warp loads"), one ->
                            pipe.produce(one, count, (each, turn, stage) -> each.purpose("start the copy").bulkLoad(
                                    stage.start(),
                                    new Address.Global(SOURCE, Builtin.BLOCK.plus(turn.times(Builtin.GRID))
                                            .toS64().times(Expr.named("tile_bytes", tileBytes).toS64())),
                                    buffer.bytes(), stage.full())));
                    readers.only(body.purpose("the others read"), all -> read(all, pipe, count, readers));
                    pipe.close(body);
                }));
    }

    private void read(Body body, BarrierPipeline pipe, Expr count, ThreadRange readers) {
        Register word = body.purpose("the exclusive or of this thread's words")
                .registers("word", 1, Value.of(ValueType.U32, 0));
        pipe.consume(body, count, (each, _, stage) -> each.purpose("this thread's chunks of 16 bytes")
                .unrolled("number", tileBytes / (CHUNK * workers), (turn, number) -> chunk(turn, stage, number, word)));
        body.purpose("one word for each thread").store(new Address.Global(RESULT,
                Builtin.BLOCK.times(workers).plus(readers.number()).toS64().times(4)), word.get());
    }

    private void chunk(Body body, Landed stage, Expr number, Register word) {
        Register words = body.purpose("four words").registers("words", ValueType.U32, CHUNK / 4);
        body.load(words, stage.at(number.times(workers).plus(Builtin.THREAD).times(CHUNK)));
        body.assign(word.get(), word.get().xor(words.at(0).xor(words.at(1))).xor(words.at(2).xor(words.at(3))));
    }

    /**
     * A launch on buffers 0, the array, and 1, the results.
     *
     * @param bytes of the array, a multiple of the tile
     */
    public Launch launch(long bytes, int blocks) {
        if (bytes % tileBytes != 0) {
            throw new IllegalArgumentException("the array is whole tiles of " + tileBytes + " bytes, got " + bytes);
        }
        int tiles = Math.toIntExact(bytes / tileBytes);
        return Launch.of(program(), Math.min(tiles, blocks), Map.of(SOURCE, new Argument.Buffer(0), RESULT,
                new Argument.Buffer(1), TILES, new Argument.Int(tiles)));
    }

    /** Bytes of the results of a launch. */
    public long resultBytes(Launch launch) {
        Objects.requireNonNull(launch, "launch");
        return 4L * workers * launch.blocks();
    }
}
