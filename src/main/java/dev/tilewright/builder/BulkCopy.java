package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Address;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Hopper's copy engine in its simplest form: contiguous bytes by {@code cp.async.bulk}, no tensor map. The array is one
 * long row, whatever its shape; a tile is a run of elements.
 *
 * <p>Bulk copies move multiples of 16 bytes; the up to 15 bytes that an array may have beyond that are moved by ordinary
 * loads and stores.
 */
public final class BulkCopy implements TileKernel, BulkPipeline.TileStages {
    static final String NAME = "bulk-copy";

    private final Parameter.Pointer source = new Parameter.Pointer("source", false);
    private final Parameter.Pointer result = new Parameter.Pointer("result", true);
    private final Parameter.Int bytes = new Parameter.Int("bytes", IntType.S64);
    private final Parameter.Int bulkBytes = new Parameter.Int("bulk_bytes", IntType.S64);
    private final TilePartition share = new TilePartition();

    private final ElementType type;
    private final ElementStep step;
    private final Optional<Parameter.Scalar> scalar;
    private final ElementwiseStep work;
    private final int tileBytes;
    private final int threads;
    private final SharedRegion.Buffer ring;
    private final TileProgram program;

    private BulkCopy(Builder b, int threads) {
        type = b.type;
        step = b.step;
        scalar = b.scalar();
        work = new ElementwiseStep(type, step, scalar);
        tileBytes = b.tile.getFirst() * type.bytes();
        this.threads = threads;
        ring = new SharedRegion.Buffer("ring", b.stages * tileBytes, 128);
        BulkPipeline pipeline = new BulkPipeline(b.stages, b.completion,
                step == ElementStep.COPY ? BulkPipeline.StorePath.BULK_ONLY : BulkPipeline.StorePath.IN_PLACE, threads, share);
        List<Parameter> parameters = new ArrayList<>(List.of(source, result, bytes, bulkBytes));
        parameters.addAll(share.parameters());
        scalar.ifPresent(parameters::add);
        program = new TileProgram("bulk_copy",
                "1-D TMA copies of " + b.tile.getFirst() + " " + type + ", " + b.stages + " stages, wait by "
                        + b.completion.name().toLowerCase(java.util.Locale.ROOT) + ", step: "
                        + step.name().toLowerCase(java.util.Locale.ROOT),
                threads, parameters, new SharedLayout(List.of(ring, pipeline.barriers())), Body.steps(body -> {
                    work.tail(body, source, result, bulkBytes.value(), bytes.value());
                    pipeline.write(body, this);
                }));
    }

    /** Starts a builder. */
    public static Builder of(ElementType type) {
        return new Builder(type);
    }

    /** Choices for a {@link BulkCopy}. Defaults: tiles of 16 KiB, 4 stages, waits by parity. */
    public static final class Builder extends KernelBuilder<Builder> {
        private BarrierWait completion = BarrierWait.PARITY;

        private Builder(ElementType type) {
            super(type, List.of(16384 / type.bytes()), 4);
        }

        @Override
        Builder self() {
            return this;
        }

        @Override
        String name() {
            return NAME;
        }

        /** How threads learn that a tile has landed. */
        public Builder completion(BarrierWait form) {
            completion = Objects.requireNonNull(form, "completion");
            return this;
        }

        @Override
        public BulkCopy build() {
            requireTile(1, 1);
            requireStages(1, 8);
            int threads = requireThreads(step == ElementStep.COPY ? 32 : 256);
            int tileBytes = tileBytes();
            if (tileBytes % 16 != 0) {
                throw new BadRequestException("a bulk copy moves a multiple of 16 bytes, got a tile of " + tile.getFirst()
                        + " " + type + " = " + tileBytes + " bytes: use a multiple of " + 16 / type.bytes() + " elements");
            }
            requireFit(1, tileBytes, 8 * stages);
            return new BulkCopy(this, threads);
        }
    }

    private Expr start(Expr tile) {
        return tile.toS64().times(tileBytes);
    }

    private Expr size(Expr tile) {
        return bulkBytes.value().minus(start(tile)).min(tileBytes).toS32();
    }

    private Address.Shared stageStart(Expr stage) {
        return ring.at(stage.times(tileBytes));
    }

    @Override
    public void load(Body body, String prefix, Expr tileNumber, Expr stage, Address.Barrier full) {
        Expr tile = body.purpose("the tile to load").let(prefix + "tile", tileNumber);
        Expr size = body.purpose("its bytes: the last tile may be shorter").let(prefix + "bytes", size(tile));
        body.purpose("announce its bytes").arriveExpectTx(full, size);
        body.purpose("start the copy")
                .bulkLoad(stageStart(stage), new Address.Global(source, start(tile)), size, full);
    }

    @Override
    public void work(Body body, Expr tile, Expr stage) {
        body.purpose("this thread's chunks of 16 bytes")
                .loop("at", Builtin.THREAD.times(16), size(tile), Expr.of(16 * threads),
                (each, at) -> {
                    Address.Shared place = ring.at(stage.times(tileBytes).plus(at));
                    work.move(each, "data", 16, place, place);
                });
    }

    @Override
    public void store(Body body, Expr tile, Expr stage) {
        body.purpose("start the copy back")
                .bulkStore(new Address.Global(result, start(tile)), stageStart(stage), size(tile));
    }

    @Override
    public TileProgram program() {
        return program;
    }

    @Override
    public ElementType type() {
        return type;
    }

    @Override
    public ElementStep step() {
        return step;
    }

    @Override
    public Launch launch(List<Long> shape, long scalarBits, GridPolicy spread) {
        long total = Shapes.elements(shape, type) * type.bytes();
        long bulk = total & -16L;
        int count = Shapes.tiles(List.of(Math.ceilDiv(bulk, tileBytes)));
        Map<Parameter, Argument> values = new HashMap<>();
        values.put(source, new Argument.Buffer(0));
        values.put(result, new Argument.Buffer(1));
        values.put(bytes, new Argument.Int(total));
        values.put(bulkBytes, new Argument.Int(bulk));
        scalar.ifPresent(p -> values.put(p, new Argument.Scalar(scalarBits)));
        int blocks = share.spread(count, spread, values);
        return Launch.of(program, total == 0 ? 0 : Math.max(1, blocks), values);
    }
}
