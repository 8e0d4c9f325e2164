package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.TensorLoadStep;
import dev.tilewright.program.TensorStoreStep;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
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
public final class TensorRebind extends BuiltKernel {
    /** The mechanism. */
    public static final Mechanism<Builder> MECHANISM = new Mechanism<Builder>("tensor-rebind", "tensormap.replace",
            Target.SM_90A, Builder::new,
            List.of(Builder.TILE, Builder.STAGES, Builder.THREADS, Builder.STEP, Builder.BLOCKS_PER_SLAB, Builder.ROLES,
                    Builder.WAIT, Builder.CACHE));

    private static final int MAP_BYTES = 128;
    /** Fewer tiles than that are not worth a block's maps. */
    private static final int LEAST_TILES = 2;
    /** Where the two maps of a block lie, in shared memory and in its part of the workspace. */
    private static final int SOURCE_AT = 0;
    private static final int RESULT_AT = MAP_BYTES;
    private static final int MAPS_BYTES = 2 * MAP_BYTES;
    private static final Expr.Var MAPS_START = new Expr.Var("maps_start", IntType.S64);
    private static final Expr.Var HEIGHT = new Expr.Var("slab_height", IntType.S32);

    private final Parameter.TensorMap sourceTemplate;
    private final Parameter.TensorMap resultTemplate;
    private final Parameter.Pointer source;
    private final Parameter.Pointer workspace;
    private final Parameter.Int rowBytes;
    private final Parameter.Int rows;
    private final Parameter.Int slabRows;
    private final Parameter.Int tilesAcross;
    private final SharedRegion.Buffer maps;
    private final int boxColumns;
    private final int boxRows;
    private final Expr boxBytes;
    /** How many blocks share a slab at most, and how many they are. */
    private final int blocksPerSlab;
    private final Parameter.Int sharingBlocks;
    private final Expr namedColumns;
    private final Expr namedRows;
    private final BulkPipeline pipeline;

    private TensorRebind(Builder b) {
        sourceTemplate = new Parameter.TensorMap("source_template", 2);
        resultTemplate = new Parameter.TensorMap("result_template", 2);
        source = new Parameter.Pointer("source", false);
        workspace = new Parameter.Pointer("workspace", true);
        rowBytes = new Parameter.Int("row_bytes", IntType.S64);
        rows = new Parameter.Int("rows", IntType.S64);
        slabRows = new Parameter.Int("slab_rows", IntType.S32);
        tilesAcross = new Parameter.Int("tiles_across", IntType.S32);
        maps = new SharedRegion.Buffer("maps", MAPS_BYTES, MAP_BYTES);
        boxRows = b.tileExtents().getFirst();
        boxColumns = b.tileExtents().getLast();
        boxBytes = Expr.named("box_bytes", b.tileBytes());
        blocksPerSlab = b.blocksPerSlab;
        sharingBlocks = new Parameter.Int("blocks_per_slab", IntType.S32);
        namedColumns = Expr.named("box_columns", b.tileExtents().getLast());
        namedRows = Expr.named("box_rows", b.tileExtents().getFirst());
        pipeline = b.pipeline(b.buffers(Expr.named("box_bytes", b.tileBytes()),
                Expr.named("stage_bytes", Builder.stageBytes(b.tileBytes())), 128));
        super(b);
    }

    @Override
    TileProgram describe() {
        List<SharedRegion> shared = new ArrayList<>(List.of(maps));
        shared.addAll(pipeline.regions());
        List<Parameter> parameters = new ArrayList<>(List.of(sourceTemplate, resultTemplate, source, result, workspace,
                rowBytes, rows, slabRows, tilesAcross));
        if (blocksPerSlab > 1) {
            parameters.add(sharingBlocks);
        }
        parameters.addAll(scalars);
        return new TileProgram(kernelName,
                (blocksPerSlab == 1 ? "each block copies a slab of rows" : "up to " + blocksPerSlab
                + " blocks copy a slab of rows each")
                        + " through tensor maps it makes itself, boxes of " + Shapes.text(tile)
                        + " " + type + ", " + Counted.of(stages, "stage") + ", wait by "
                        + Choices.name(pipeline.barrierWait()) + ", " + stepText(),
                threads, parameters, new SharedLayout(shared), Body.steps(body -> {
                    makeMaps(body);
                    pipeline.write(body, new BulkPipeline.TileStages(this::range, (_, _) -> boxBytes,
                            this::load, this::process, this::store));
                }));
    }

    /** Starts a builder. */
    public static Builder of(ElementType type) {
        Objects.requireNonNull(type, "type");
        return new Builder(type);
    }

    /**
     * Choices for a {@link TensorRebind}. Defaults: boxes of 16 rows by 1,024 bytes, 4 stages,
     * up to 8 blocks for a slab, waits by parity.
     */
    public static final class Builder extends TensorBuilder<Builder> {
        /** Extents of a tile in elements, outermost first. */
        public static final Option<KernelBuilder<?>, List<Integer>> TILE = tileOption(new Extents(2, 2, 40, 8));
        /** How many tiles of one block shared memory holds at once: 1 to 8. */
        public static final Option<KernelBuilder<?>, Integer> STAGES = stagesOption(1, 8);

        /** The most blocks that share a slab's tiles: 1 to 64. */
        public static final Option<Builder, Integer> BLOCKS_PER_SLAB = new Option<>("blocks-per-slab", "N",
                "the most blocks that share a slab's tiles; each has its own maps and at least two tiles",
                new Numbers(1, 64), Builder::blocksPerSlab, b -> b.blocksPerSlab);

        private int blocksPerSlab = 8;

        private Builder(ElementType type) {
            super(MECHANISM, type);
        }

        /**
         * Sets how many blocks at most share the tiles of a slab; each makes the slab's maps for itself: 1 to 64. A
         * slab of fewer than twice as many tiles is shared by fewer, so that each has two of them.
         */
        public Builder blocksPerSlab(int count) {
            blocksPerSlab = count;
            return this;
        }

        @Override
        List<Integer> defaultTile() {
            return List.of(16, Math.min(256, 1024 / type.bytes()));
        }

        /** A band of tiles makes a slab, whose blocks have several. */
        @Override
        GridPolicy ownGrid() {
            return GridPolicy.tilesEach(1);
        }

        /** Tensor copies want their boxes at multiples of 128 bytes. */
        private static int stageBytes(int tileBytes) {
            return Math.ceilDiv(tileBytes, 128) * 128;
        }

        @Override
        public TensorRebind build() {
            if (step.inputs() != 1 || resultType() != type) {
                throw new BadRequestException("the maps that tensor-rebind makes are for one source, and a result of "
                        + "its type, "
                        + "got a step of " + step.inputs() + " from " + type + " to " + resultType() + ": use "
                        + TensorCopy.NAME);
            }
            require(TILE, BLOCKS_PER_SLAB, STAGES, THREADS);
            int tileBytes = tileBytes();
            requireBoxExtents();
            requireWholeChunks();
            requireRoles();
            requireFit(1, stageBytes(tileBytes), MAPS_BYTES + 8 * stages);
            return new TensorRebind(this);
        }
    }

    /** Where this block's maps lie in the workspace. */
    private Address.Global inWorkspace(Expr mapsStart, int at) {
        return new Address.Global(workspace, mapsStart.plus(Expr.of((long) at)));
    }

    private static Expr mapsStart() {
        return Builtin.BLOCK.toS64().times(MAPS_BYTES);
    }

    private Expr slab() {
        return blocksPerSlab == 1 ? Builtin.BLOCK : Builtin.BLOCK.dividedBy(sharingBlocks.value());
    }

    private void makeMaps(Body body) {
        body.purpose("where this block's maps lie in the workspace")
                .add(new Operation.Let(MAPS_START, mapsStart()));
        Expr first = body.purpose("the slab's first row").let("slab_row",
                slab().toS64().times(slabRows.value().toS64()));
        body.purpose("its rows: the last slab may be lower")
                .add(new Operation.Let(HEIGHT, slabRows.value().toS64().min(rows.value().minus(first)).toS32()));
        body.purpose("eight threads copy the template of the source, 16 bytes each").when(Builtin.THREAD.lessThan(8),
                b -> copyTemplate(b, "source", sourceTemplate, SOURCE_AT, Builtin.THREAD.times(16)));
        body.purpose("eight more that of the result").when(Builtin.THREAD.atLeast(8).and(Builtin.THREAD.lessThan(16)),
                b -> copyTemplate(b, "result", resultTemplate, RESULT_AT, Builtin.THREAD.minus(8).times(16)));
        body.purpose("both copies are complete").syncThreads();
        body.purpose("one thread edits them for this slab").when(Builtin.THREAD.isEqualTo(0), one -> {
            Expr start = one.purpose("bytes before the slab").let("slab_offset", first.times(rowBytes.value()));
            one.purpose("the source's map starts at the slab").replaceMapField(maps.at(SOURCE_AT),
                    new MapEdit.GlobalAddress(source.deviceAddress().plus(start)));
            one.purpose("the source's map has the slab's rows").replaceMapField(maps.at(SOURCE_AT),
                    new MapEdit.GlobalDim(1, HEIGHT));
            one.purpose("the result's map starts at the slab").replaceMapField(maps.at(RESULT_AT),
                    new MapEdit.GlobalAddress(result.deviceAddress().plus(start)));
            one.purpose("the result's map has the slab's rows").replaceMapField(maps.at(RESULT_AT),
                    new MapEdit.GlobalDim(1, HEIGHT));
        });
        body.purpose("both maps are complete").syncThreads();
        body.purpose("a whole warp publishes them").when(Builtin.THREAD.lessThan(32), warp -> {
            warp.purpose("the source's map goes to global memory")
                    .publishMap(inWorkspace(MAPS_START, SOURCE_AT), maps.at(SOURCE_AT));
            warp.purpose("the result's map goes to global memory")
                    .publishMap(inWorkspace(MAPS_START, RESULT_AT), maps.at(RESULT_AT));
        });
        body.purpose("the thread that starts all copies").when(Builtin.THREAD.isEqualTo(0), one -> {
            one.purpose("use the source's map as published").acquireMap(inWorkspace(MAPS_START, SOURCE_AT));
            one.purpose("use the result's map as published").acquireMap(inWorkspace(MAPS_START, RESULT_AT));
        });
    }

    private void copyTemplate(Body body, String name, Parameter.TensorMap template, int at, Expr chunk) {
        var data = body.purpose("read 16 bytes of it")
                .load(name + "_chunk", ElementType.U32, 4, new Address.MapBytes(template, chunk));
        body.purpose("write them").store(maps.at(chunk.plus(at)), data);
    }

    /** The slab's tiles are numbered from 0, along its rows first. */
    private TilePartition.TileRange range(Body body) {
        Expr all = HEIGHT.plus(namedRows.minus(1)).dividedBy(namedRows).times(tilesAcross.value());
        if (blocksPerSlab > 1) {
            Expr tiles = body.purpose("tiles of the slab").let("slab_tiles", all);
            Expr each = body.purpose("how many of them a block takes").let("tiles_each",
                    tiles.plus(sharingBlocks.value().minus(1)).dividedBy(sharingBlocks.value()));
            Expr first = body.purpose("this block's first tile").let("block_start",
                    Builtin.BLOCK.modulo(sharingBlocks.value()).times(each));
            return new TilePartition.TileRange(first, Expr.of(1), body.purpose("how many tiles this block takes")
                    .let("my_tiles", each.min(tiles.minus(first))));
        }
        Expr count = body.purpose("tiles of the slab").let("my_tiles", all);
        return new TilePartition.TileRange(Expr.of(0), Expr.of(1), count);
    }

    /** The box's first coordinates within the slab, innermost first. */
    private List<Expr> coordinates(Body body, Expr tile) {
        return List.of(
                body.purpose("the box's first column")
                        .let("column", tile.modulo(tilesAcross.value()).times(namedColumns)),
                body.purpose("the box's first row within the slab")
                        .let("row", tile.dividedBy(tilesAcross.value()).times(namedRows)));
    }

    private void load(Body body, Expr tile, Filling stage, Expr bytes) {
        List<Expr> first = coordinates(body, tile);
        Optional<Expr> policy = pipeline.cachePolicy(body);
        TensorLoadStep step = body.purpose("start the copy; the barrier also counts bytes outside the slab")
                .tensorLoad(stage.start(),
                new MapSource.InMemory(inWorkspace(mapsStart(), SOURCE_AT), 2), first, stage.full());
        policy.ifPresent(step::cacheHint);
    }

    private void process(Body body, Expr tile, Landed stage) {
        body.purpose("this thread's chunks of 16 bytes").loop("at", Builtin.THREAD.times(16), boxBytes,
                pipeline.namedWorkers().times(16),
                (each, at) -> elementwise.move(each, "data", 16, List.of(stage.at(at)), stage.at(at)));
    }

    private void store(Body body, Expr tile, Landed stage) {
        List<Expr> first = coordinates(body, tile);
        Optional<Expr> policy = pipeline.cachePolicy(body);
        TensorStoreStep step = body.purpose("start the copy back; nothing is written outside the slab")
                .tensorStore(new MapSource.InMemory(inWorkspace(MAPS_START, RESULT_AT), 2), first, stage.start());
        policy.ifPresent(step::cacheHint);
    }

    /** Two maps for each block. */
    @Override
    public long workspaceBytes(Launch launch) {
        Objects.requireNonNull(launch, "launch");
        return (long) MAPS_BYTES * launch.blocks();
    }

    /**
     * {@inheritDoc}
     *
     * @param gridPolicy how many bands of tiles each slab has: a band is all the tiles side by side
     */
    @Override
    int bind(List<Long> shape, long elements, GridPolicy gridPolicy, Map<Parameter, Argument> values) {
        List<Long> matrix = Shapes.withRank(shape, 2);
        long columns = matrix.getLast();
        requireColumns(columns);
        int bands = Shapes.tiles(List.of(Math.ceilDiv(matrix.getFirst(), (long) boxRows)));
        int across = Shapes.tiles(List.of(Math.ceilDiv(columns, (long) boxColumns)));
        // A slab's rows are numbered with 32 bits; the matrix may have more.
        int bandsEach = Math.max(1, Math.min(Math.min(gridPolicy.tilesPerBlock(bands), bands),
                Integer.MAX_VALUE / boxRows - 1));
        Shapes.tiles(List.of((long) bandsEach, (long) across));
        TiledTensorMap template = TiledTensorMap.denseInnermostFirst(TensorDataType.of(type),
                List.of(Math.max(columns, 1), 1L), List.of(boxColumns, boxRows), Swizzle.NONE);
        values.put(sourceTemplate, new Argument.Tensor(template, 0));
        values.put(resultTemplate, new Argument.Tensor(template, 1));
        int sharing = Math.clamp(Math.ceilDiv((long) bandsEach * across, LEAST_TILES), 1, blocksPerSlab);
        if (blocksPerSlab > 1) {
            values.put(sharingBlocks, new Argument.Int(sharing));
        }
        int blocks = elements == 0 ? 0 : Math.ceilDiv(bands, bandsEach) * sharing;
        values.put(workspace, new Argument.Buffer(2, 0, (long) MAPS_BYTES * blocks));
        values.put(rowBytes, new Argument.Int(columns * type.bytes()));
        values.put(rows, new Argument.Int(matrix.getFirst()));
        values.put(slabRows, new Argument.Int((long) bandsEach * boxRows));
        values.put(tilesAcross, new Argument.Int(across));
        return blocks;
    }

    private void requireColumns(long columns) {
        int perChunk = 16 / type.bytes();
        if (columns % perChunk != 0) {
            throw new BadRequestException("rows of " + columns + " " + type + ", "
                    + Counted.of(columns * type.bytes(), "byte")
                    + ", are not a multiple of 16 bytes, which tensor maps need: pad rows to "
                    + Math.ceilDiv(columns, perChunk) * perChunk + " elements, or use " + BulkCopy.NAME + " or "
                    + CpAsyncPipeline.NAME + ", which take the array as one long row");
        }
        if (columns > Integer.MAX_VALUE) {
            throw new BadRequestException("a tensor copy's coordinates have 32 bits, and a row has " + columns
                    + " elements: use " + BulkCopy.NAME);
        }
    }
}
