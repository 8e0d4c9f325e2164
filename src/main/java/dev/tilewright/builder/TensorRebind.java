package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Address;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.MapEdit;
import dev.tilewright.program.MapSource;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import dev.tilewright.tensormap.TensorDataType;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Tensor maps that the kernel makes for itself, as grouped matrix products and ragged batches need them: every block
 * takes a slab of a matrix's rows, writes the slab's address and height into copies of two template maps, publishes
 * them in global memory, and moves its tiles through those.
 *
 * <p>The templates say all but where a slab starts and how many rows it has (they claim one row, so that a map that was
 * not changed shows at once). Rows must be a multiple of 16 bytes, as for {@link TensorCopy}.
 */
public final class TensorRebind implements TileKernel, BulkPipeline.TileStages {
    static final String NAME = "tensor-rebind";
    private static final int MAP_BYTES = 128;
    /** Where the two maps of a block lie, in shared memory and in its part of the workspace. */
    private static final int SOURCE_AT = 0;
    private static final int RESULT_AT = MAP_BYTES;
    private static final int MAPS_BYTES = 2 * MAP_BYTES;
    private static final Expr.Var MAPS_START = new Expr.Var("maps_start", IntType.S64);
    private static final Expr.Var HEIGHT = new Expr.Var("slab_height", IntType.S32);

    private final Parameter.TensorMap sourceTemplate = new Parameter.TensorMap("source_template", 2);
    private final Parameter.TensorMap resultTemplate = new Parameter.TensorMap("result_template", 2);
    private final Parameter.Pointer source = new Parameter.Pointer("source", false);
    private final Parameter.Pointer result = new Parameter.Pointer("result", true);
    private final Parameter.Pointer workspace = new Parameter.Pointer("workspace", true);
    private final Parameter.Int rowBytes = new Parameter.Int("row_bytes", IntType.S64);
    private final Parameter.Int rows = new Parameter.Int("rows", IntType.S64);
    private final Parameter.Int slabRows = new Parameter.Int("slab_rows", IntType.S32);
    private final Parameter.Int tilesAcross = new Parameter.Int("tiles_across", IntType.S32);
    private final SharedRegion.Buffer maps = new SharedRegion.Buffer("maps", MAPS_BYTES, MAP_BYTES);

    private final ElementType type;
    private final ElementStep step;
    private final int boxColumns;
    private final int boxRows;
    private final int threads;
    private final int tileBytes;
    private final Optional<Parameter.Scalar> scalar;
    private final ElementwiseStep work;
    private final SharedRegion.Buffer ring;
    private final TileProgram program;

    private TensorRebind(Builder b, int threads) {
        type = b.type;
        step = b.step;
        boxRows = b.tile.getFirst();
        boxColumns = b.tile.getLast();
        this.threads = threads;
        scalar = b.scalar();
        work = new ElementwiseStep(type, step, scalar);
        tileBytes = boxRows * boxColumns * type.bytes();
        ring = new SharedRegion.Buffer("ring", b.stages * Builder.stageBytes(tileBytes), 128);
        BulkPipeline pipeline = new BulkPipeline(b.stages, b.completion, b.way(), threads, this::share);
        List<Parameter> parameters = new ArrayList<>(List.of(sourceTemplate, resultTemplate, source, result, workspace,
                rowBytes, rows, slabRows, tilesAcross));
        scalar.ifPresent(parameters::add);
        program = new TileProgram("tensor_rebind",
                "each block copies a slab of rows through tensor maps it makes itself, boxes of " + Shapes.text(b.tile) + " "
                        + type + ", " + b.stages + " stages, wait by "
                        + b.completion.name().toLowerCase(java.util.Locale.ROOT) + ", step: "
                        + step.name().toLowerCase(java.util.Locale.ROOT),
                threads, parameters, new SharedLayout(List.of(ring, maps, pipeline.barriers())), Body.steps(body -> {
                    makeMaps(body);
                    pipeline.write(body, this);
                }));
    }

    /** Starts a builder. */
    public static Builder of(ElementType type) {
        return new Builder(type);
    }

    /** Choices for a {@link TensorRebind}. Defaults: boxes of 64 rows by 128 bytes, 4 stages, waits by parity. */
    public static final class Builder extends KernelBuilder<Builder> {
        private BarrierWait completion = BarrierWait.PARITY;

        private Builder(ElementType type) {
            super(type, List.of(64, 128 / type.bytes()), 4);
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

        private BulkPipeline.StorePath way() {
            return step == ElementStep.COPY ? BulkPipeline.StorePath.BULK_ONLY : BulkPipeline.StorePath.IN_PLACE;
        }

        /** Tensor copies want their boxes at multiples of 128 bytes. */
        private static int stageBytes(int tileBytes) {
            return Math.ceilDiv(tileBytes, 128) * 128;
        }

        @Override
        public TensorRebind build() {
            requireTile(2, 2);
            requireStages(1, 8);
            int tileBytes = tileBytes();
            requireBoxExtents();
            requireWholeChunks();
            int threads = requireThreads(step == ElementStep.COPY ? 32 : 256);
            requireFit(1, stageBytes(tileBytes), MAPS_BYTES + 8 * stages);
            return new TensorRebind(this, threads);
        }
    }

    /** Where this block's maps lie in the workspace. */
    private Address.Global inWorkspace(int at) {
        return new Address.Global(workspace, MAPS_START.plus(Expr.of((long) at)));
    }

    private void makeMaps(Body body) {
        body.purpose("where this block's maps lie in the workspace")
                .add(new Operation.Let(MAPS_START, Builtin.BLOCK.toS64().times(MAPS_BYTES)));
        Expr first = body.purpose("the slab's first row").let("slab_row",
                Builtin.BLOCK.toS64().times(slabRows.value().toS64()));
        body.purpose("its rows: the last slab may be lower")
                .add(new Operation.Let(HEIGHT, slabRows.value().toS64().min(rows.value().minus(first)).toS32()));
        body.purpose("eight threads copy the template of the source, 16 bytes each").when(Builtin.THREAD.lessThan(8),
                b -> copyTemplate(b, "source", sourceTemplate, SOURCE_AT, Builtin.THREAD.times(16)));
        body.purpose("eight more that of the result").when(Builtin.THREAD.atLeast(8).and(Builtin.THREAD.lessThan(16)),
                b -> copyTemplate(b, "result", resultTemplate, RESULT_AT, Builtin.THREAD.minus(8).times(16)));
        body.purpose("both copies are whole").syncThreads();
        body.purpose("one thread makes them the slab's own").when(Builtin.THREAD.isEqualTo(0), one -> {
            Expr start = one.purpose("bytes before the slab").let("slab_offset", first.times(rowBytes.value()));
            one.purpose("the source's map starts at the slab").replaceMapField(maps.at(Expr.of(SOURCE_AT)),
                    new MapEdit.GlobalAddress(source.deviceAddress().plus(start)));
            one.purpose("and has its rows").replaceMapField(maps.at(Expr.of(SOURCE_AT)),
                    new MapEdit.GlobalDim(1, HEIGHT));
            one.purpose("the result's map starts at the slab").replaceMapField(maps.at(Expr.of(RESULT_AT)),
                    new MapEdit.GlobalAddress(result.deviceAddress().plus(start)));
            one.purpose("and has its rows too").replaceMapField(maps.at(Expr.of(RESULT_AT)),
                    new MapEdit.GlobalDim(1, HEIGHT));
        });
        body.purpose("the maps are as they shall be").syncThreads();
        body.purpose("one whole warp publishes them").when(Builtin.THREAD.lessThan(32), warp -> {
            warp.purpose("the source's map goes to global memory")
                    .publishMap(inWorkspace(SOURCE_AT), maps.at(Expr.of(SOURCE_AT)));
            warp.purpose("and the result's").publishMap(inWorkspace(RESULT_AT), maps.at(Expr.of(RESULT_AT)));
        });
        body.purpose("the thread that starts all copies").when(Builtin.THREAD.isEqualTo(0), one -> {
            one.purpose("uses the source's map as published").acquireMap(inWorkspace(SOURCE_AT));
            one.purpose("and the result's as published").acquireMap(inWorkspace(RESULT_AT));
        });
    }

    private void copyTemplate(Body body, String name, Parameter.TensorMap template, int at, Expr chunk) {
        var data = body.purpose("read 16 bytes of it")
                .load(name + "_chunk", ElementType.U32, 4, new Address.MapBytes(template, chunk));
        body.purpose("write them").store(maps.at(chunk.plus(at)), data);
    }

    /** The slab's tiles are numbered from 0, along its rows first. */
    private TilePartition.TileRange share(Body body) {
        Expr count = body.purpose("tiles of the slab").let("my_tiles",
                HEIGHT.plus(boxRows - 1).dividedBy(boxRows).times(tilesAcross.value()));
        return new TilePartition.TileRange(Expr.of(0), count);
    }

    private Address.Shared stageStart(Expr stage) {
        return ring.at(stage.times(Builder.stageBytes(tileBytes)));
    }

    /** The box's first coordinates within the slab, innermost first. */
    private List<Expr> coordinates(Body body, String prefix, Expr tile) {
        return List.of(
                body.purpose("the box's first column")
                        .let(prefix + "column", tile.modulo(tilesAcross.value()).times(boxColumns)),
                body.purpose("its first row within the slab")
                        .let(prefix + "row", tile.dividedBy(tilesAcross.value()).times(boxRows)));
    }

    @Override
    public void load(Body body, String prefix, Expr tileNumber, Expr stage, Address.Barrier full) {
        Expr tile = body.purpose("the tile to load").let(prefix + "tile", tileNumber);
        List<Expr> at = coordinates(body, prefix, tile);
        body.purpose("announce the whole box: bytes outside the slab count too")
                .arriveExpectTx(full, Expr.of(tileBytes));
        body.purpose("start the copy")
                .tensorLoad(stageStart(stage), new MapSource.InMemory(inWorkspace(SOURCE_AT), 2), at, full);
    }

    @Override
    public void work(Body body, Expr tile, Expr stage) {
        body.purpose("this thread's chunks of 16 bytes").loop("at", Builtin.THREAD.times(16), Expr.of(tileBytes),
                Expr.of(16 * threads), (each, at) -> {
                    Address.Shared place = ring.at(stage.times(Builder.stageBytes(tileBytes)).plus(at));
                    work.move(each, "data", 16, place, place);
                });
    }

    @Override
    public void store(Body body, Expr tile, Expr stage) {
        body.purpose("start the copy back; what lies outside the slab is left out")
                .tensorStore(new MapSource.InMemory(inWorkspace(RESULT_AT), 2), coordinates(body, "store_", tile), stageStart(stage));
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

    /** Two maps for each block. */
    @Override
    public long workspaceBytes(Launch launch) {
        return (long) MAPS_BYTES * launch.blocks();
    }

    /**
     * {@inheritDoc}
     *
     * @param spread how many bands of tiles each slab has: a band is all the tiles side by side
     */
    @Override
    public Launch launch(List<Long> shape, long scalarBits, GridPolicy spread) {
        long elements = Shapes.elements(shape, type);
        List<Long> matrix = Shapes.withRank(shape, 2);
        long columns = matrix.getLast();
        requireColumns(columns);
        int bands = Shapes.tiles(List.of(Math.ceilDiv(matrix.getFirst(), (long) boxRows)));
        int across = Shapes.tiles(List.of(Math.ceilDiv(columns, (long) boxColumns)));
        // A slab's rows are numbered with 32 bits; the matrix may have more.
        int bandsEach = Math.max(1, Math.min(Math.min(spread.tilesPerBlock(bands), bands), Integer.MAX_VALUE / boxRows - 1));
        Shapes.tiles(List.of((long) bandsEach, (long) across));
        TiledTensorMap template = TiledTensorMap.denseInnermostFirst(TensorDataType.of(type), List.of(Math.max(columns, 1), 1L),
                List.of(boxColumns, boxRows), Swizzle.NONE);
        Map<Parameter, Argument> values = new HashMap<>();
        values.put(sourceTemplate, new Argument.Tensor(template, 0));
        values.put(resultTemplate, new Argument.Tensor(template, 1));
        values.put(source, new Argument.Buffer(0));
        values.put(result, new Argument.Buffer(1));
        values.put(workspace, new Argument.Buffer(2));
        values.put(rowBytes, new Argument.Int(columns * type.bytes()));
        values.put(rows, new Argument.Int(matrix.getFirst()));
        values.put(slabRows, new Argument.Int((long) bandsEach * boxRows));
        values.put(tilesAcross, new Argument.Int(across));
        scalar.ifPresent(p -> values.put(p, new Argument.Scalar(scalarBits)));
        return Launch.of(program, elements == 0 ? 0 : Math.ceilDiv(bands, bandsEach), values);
    }

    private void requireColumns(long columns) {
        int perChunk = 16 / type.bytes();
        if (columns % perChunk != 0) {
            throw new BadRequestException("rows of " + columns + " " + type + " = " + columns * type.bytes()
                    + " bytes are not a multiple of 16, which tensor maps need: pad rows to "
                    + Math.ceilDiv(columns, perChunk) * perChunk + " elements, or use " + BulkCopy.NAME + " or "
                    + CpAsyncPipeline.NAME + ", which take the array as one long row");
        }
        if (columns > Integer.MAX_VALUE) {
            throw new BadRequestException("a tensor copy's coordinates have 32 bits, and a row has " + columns
                    + " elements: use " + BulkCopy.NAME);
        }
    }
}
