package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Address;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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
            Builder::new, List.of(Builder.TILE, Builder.STAGES, Builder.THREADS, Builder.STEP, Builder.WAIT));

    private final Parameter.Pointer source;
    private final Parameter.Pointer result;
    private final Parameter.Int bytes;
    private final Parameter.Int bulkBytes;
    private final TilePartition partition;
    private final int tileBytes;
    private final Expr namedTileBytes;
    private final BulkPipeline pipeline;

    private BulkCopy(Builder b) {
        source = new Parameter.Pointer("source", false);
        result = new Parameter.Pointer("result", true);
        bytes = new Parameter.Int("bytes", IntType.S64);
        bulkBytes = new Parameter.Int("bulk_bytes", IntType.S64);
        partition = new TilePartition();
        tileBytes = b.tileBytes();
        namedTileBytes = Expr.named("tile_bytes", b.tileBytes());
        Expr stageBytes = Expr.named("tile_bytes", b.tileBytes());
        pipeline = b.pipeline(new StageBuffer("ring", stageBytes, stageBytes, 128));
        super(b);
    }

    @Override
    TileProgram describe() {
        List<Parameter> parameters = new ArrayList<>(List.of(source, result, bytes, bulkBytes));
        parameters.addAll(partition.parameters());
        scalar.ifPresent(parameters::add);
        return new TileProgram(kernelName,
                "1-D TMA copies of " + tile.getFirst() + " " + type + ", " + stages + " stages, wait by "
                        + Choices.name(pipeline.barrierWait()) + ", step: " + Choices.name(step),
                threads, parameters, new SharedLayout(pipeline.regions()), Body.steps(body -> {
                    elementwise.tail(body, source, result, bulkBytes.value(), bytes.value());
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
        static final Option<KernelBuilder<?>, List<Integer>> TILE = tileOption(new Extents(1, 1, 1, 600))
                .sweeping("4096B", "8192B", "16384B", "32768B");
        static final Option<KernelBuilder<?>, Integer> STAGES = stagesOption(1, 8).sweeping("2", "4", "6");

        private Builder(ElementType type) {
            super(type);
        }

        @Override
        Builder self() {
            return this;
        }

        @Override
        Mechanism<Builder> mechanism() {
            return MECHANISM;
        }

        @Override
        List<Integer> defaultTile() {
            return List.of(16384 / type.bytes());
        }

        @Override
        public BulkCopy build() {
            requireTile(TILE);
            requireStages(STAGES);
            requireThreads();
            int tileBytes = tileBytes();
            if (tileBytes % 16 != 0) {
                throw new BadRequestException("a bulk copy moves a multiple of 16 bytes, got a tile of "
                        + tileExtents().getFirst() + " " + type + " = " + tileBytes + " bytes: use a multiple of "
                        + 16 / type.bytes() + " elements");
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
        return body.purpose("its bytes: the last tile may be shorter").let("tile_size", size(tile));
    }

    private void load(Body body, Expr tile, Filling stage, Expr size) {
        body.purpose("start the copy")
                .bulkLoad(stage.start(), new Address.Global(source, start(tile)), size, stage.full());
    }

    private void process(Body body, Expr tile, Landed stage) {
        Expr size = body.purpose("its bytes").let("tile_size", size(tile));
        body.purpose("this thread's chunks of 16 bytes")
                .loop("at", Builtin.THREAD.times(16), size, namedThreads.times(16),
                (each, at) -> elementwise.move(each, "data", 16, stage.at(at), stage.at(at)));
    }

    private void store(Body body, Expr tile, Landed stage) {
        Expr size = body.purpose("its bytes: the last tile may be shorter").let("bytes_to_store", size(tile));
        body.purpose("start the copy back")
                .bulkStore(new Address.Global(result, start(tile)), stage.start(), size);
    }

    @Override
    public Launch launch(List<Long> shape, long scalarBits, GridPolicy gridPolicy) {
        Objects.requireNonNull(shape, "shape");
        Objects.requireNonNull(gridPolicy, "gridPolicy");
        long total = Shapes.elements(shape, type) * type.bytes();
        long bulk = total & -16L;
        int count = Shapes.tiles(List.of(Math.ceilDiv(bulk, tileBytes)));
        Map<Parameter, Argument> values = new HashMap<>();
        values.put(source, new Argument.Buffer(0));
        values.put(result, new Argument.Buffer(1));
        values.put(bytes, new Argument.Int(total));
        values.put(bulkBytes, new Argument.Int(bulk));
        scalar.ifPresent(p -> values.put(p, new Argument.Scalar(scalarBits)));
        int blocks = partition.bind(count, gridPolicy, values);
        return Launch.of(program, total == 0 ? 0 : Math.max(1, blocks), values);
    }
}
