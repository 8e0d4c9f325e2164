package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.BulkLoadStep;
import dev.tilewright.program.BulkStoreStep;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Hopper's copy engine in its simplest form: contiguous bytes by {@code cp.async.bulk}, no tensor map. The array is one
 * long row, whatever its shape; a tile is a run of elements.
 *
 * <p>Bulk copies move multiples of 16 bytes; the up to 15 bytes that an array may have beyond that are moved by
 * ordinary loads and stores.
 */
public final class BulkCopy extends BuiltKernel {
    static final String NAME = "bulk-copy";
    /** The mechanism. */
    public static final Mechanism<Builder> MECHANISM = new Mechanism<Builder>(NAME, "cp.async.bulk", Target.SM_90,
            Builder::new, List.of(Builder.TILE, Builder.STAGES, Builder.THREADS, Builder.STEP, Builder.WALK,
                    Builder.ROLES, Builder.WAIT, Builder.CACHE));

    /** Chunks of one thread that are written out one by one. */
    private static final int MOST_UNROLLED = 32;

    private final Parameter.Int bytes;
    private final Parameter.Int bulkBytes;
    private final TilePartition partition;
    private final int tileBytes;
    private final Expr namedTileBytes;
    private final BulkPipeline pipeline;

    private BulkCopy(Builder b) {
        bytes = new Parameter.Int("bytes", IntType.S64);
        bulkBytes = new Parameter.Int("bulk_bytes", IntType.S64);
        partition = new TilePartition(b.walk);
        tileBytes = b.tileBytes();
        namedTileBytes = Expr.named("tile_bytes", b.tileBytes());
        Expr stageBytes = Expr.named("tile_bytes", b.tileBytes());
        pipeline = b.pipeline(b.buffers(stageBytes, stageBytes, 128));
        super(b);
    }

    @Override
    TileProgram describe() {
        return new TileProgram(kernelName,
                "1-D TMA copies of " + tile.getFirst() + " " + type + ", " + Counted.of(stages, "stage") + ", wait by "
                        + Choices.name(pipeline.barrierWait()) + ", " + stepText(),
                threads, parameters(partition, bytes, bulkBytes),
                new SharedLayout(pipeline.regions()), Body.steps(body -> {
                    elementwise.tail(body, sources, result, bulkBytes.value(), bytes.value());
                    pipeline.write(body, new BulkPipeline.TileStages(partition::define, this::bytes, this::load,
                            this::process, this::store));
                }));
    }

    /** Starts a builder. */
    public static Builder of(ElementType type) {
        Objects.requireNonNull(type, "type");
        return new Builder(type);
    }

    /** Choices for a {@link BulkCopy}. Defaults: tiles of 16 KiB, 4 stages, waits by parity. */
    public static final class Builder extends BulkPipelineBuilder<Builder> {
        /** Extents of a tile in elements, outermost first. */
        public static final Option<KernelBuilder<?>, List<Integer>> TILE = tileOption(new Extents(1, 1, 1, 600))
                .sweeping("4096B", "8192B", "16384B", "32768B");
        /** How many tiles of one block shared memory holds at once: 1 to 8. */
        public static final Option<KernelBuilder<?>, Integer> STAGES = stagesOption(1, 8).sweeping("2", "4", "6");

        private Builder(ElementType type) {
            super(MECHANISM, type);
        }

        @Override
        List<Integer> defaultTile() {
            return List.of(16384 / type.bytes());
        }

        @Override
        public BulkCopy build() {
            require(TILE, STAGES, THREADS);
            requireRoles();
            int tileBytes = tileBytes();
            if (tileBytes % 16 != 0) {
                throw new BadRequestException("a bulk copy moves a multiple of 16 bytes, got a tile of "
                        + tileExtents().getFirst() + " " + type + " = " + Counted.of(tileBytes, "byte")
                        + ": use a multiple of " + 16 / type.bytes() + " elements");
            }
            requireFit(1, tileBytes, 8 * stages);
            return new BulkCopy(this);
        }
    }

    private Expr start(Expr tile) {
        return tile.toS64().times(namedTileBytes);
    }

    private Expr size(Expr tile) {
        return bulkBytes.value().minus(start(tile)).min(namedTileBytes).toS32();
    }

    private Expr bytes(Body body, Expr tile) {
        return body.purpose("the tile's bytes; the last tile may be shorter").let("tile_size", size(tile));
    }

    private void load(Body body, Expr tile, Filling stage, Expr size) {
        Optional<Expr> policy = pipeline.cachePolicy(body);
        for (int i = 0; i < sources.size(); i++) {
            BulkLoadStep step = body.purpose("start the copy").bulkLoad(stage.at(pipeline.buffers().get(i)),
                    new Address.Global(sources.get(i), start(tile)), size, stage.full());
            policy.ifPresent(step::cacheHint);
        }
    }

    private void process(Body body, Expr tile, Landed stage) {
        Expr size = body.purpose("the tile's bytes").let("tile_size", size(tile));
        boolean byThreads = pipeline.storePath() == BulkPipeline.StorePath.BY_THREADS;
        int chunk = elementwise.chunk(16);
        BiConsumer<Body, Expr> move = (each, at) -> elementwise.move(each, "data", chunk, pipeline.staged(stage, at),
                byThreads ? new Address.Global(result, elementwise.inResult(start(tile).plus(at.toS64())))
                        : pipeline.inPlace(stage, at));
        int round = chunk * pipeline.workers();
        String purpose = "this thread's chunks of " + Counted.of(chunk, "byte");
        Consumer<Body> any = part -> part.purpose(purpose).loop("at", Builtin.THREAD.times(chunk), size,
                pipeline.namedWorkers().times(chunk), move::accept);
        if (tileBytes % round != 0 || tileBytes / round > MOST_UNROLLED) {
            any.accept(body);
            return;
        }
        body.purpose("all tiles but the last are whole").when(size.isEqualTo(namedTileBytes),
                whole -> whole.purpose(purpose).unrolled("number", tileBytes / round, (each, number) ->
                        move.accept(each, each.purpose("its place in the tile").let("at", number
                                .times(pipeline.namedWorkers()).plus(Builtin.THREAD).times(chunk)))), any);
    }

    private void store(Body body, Expr tile, Landed stage) {
        Expr size = body.purpose("the tile's bytes; the last tile may be shorter").let("bytes_to_store", size(tile));
        Optional<Expr> policy = pipeline.cachePolicy(body);
        BulkStoreStep step = body.purpose("start the copy back")
                .bulkStore(new Address.Global(result, start(tile)), pipeline.result(stage), size);
        policy.ifPresent(step::cacheHint);
    }

    @Override
    int bind(List<Long> shape, long elements, GridPolicy gridPolicy, Map<Parameter, Argument> values) {
        long total = elements * type.bytes();
        long bulk = total & -16L;
        int count = Shapes.tiles(List.of(Math.ceilDiv(bulk, tileBytes)));
        values.put(bytes, new Argument.Int(total));
        values.put(bulkBytes, new Argument.Int(bulk));
        int blocks = partition.bind(count, gridPolicy, values);
        return total == 0 ? 0 : Math.max(1, blocks);
    }
}
