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
import java.util.Optional;

/**
 * Ampere's way to load tiles: every thread starts small asynchronous copies ({@code cp.async}) into a ring of stages in
 * shared memory, several tiles ahead of the one being worked on.
 *
 * <p>With K stages, K-1 groups are in flight before the loop; each turn waits until at most K-2 are, so that the oldest
 * tile has landed. Tiles at the array's edge are filled with zeros by the copy itself (its source size), and only what
 * lies in the array is written back.
 *
 * <p>A tile of one extent takes the array as one long row, whatever its shape, and serves every shape. A tile of two
 * takes it as a matrix (outer dimensions multiplied into rows); rows must then be a multiple of the copy's size.
 */
public final class CpAsyncPipeline implements TileKernel {
    static final String NAME = "cp-async-pipeline";

    private final Parameter.Pointer source = new Parameter.Pointer("source", false);
    private final Parameter.Pointer result = new Parameter.Pointer("result", true);
    private final Parameter.Int rows = new Parameter.Int("rows", IntType.S64);
    private final Parameter.Int rowBytes = new Parameter.Int("row_bytes", IntType.S64);
    private final Parameter.Int tilesAcross = new Parameter.Int("tiles_across", IntType.S32);
    private final TilePartition share = new TilePartition();

    private final ElementType type;
    private final ElementStep step;
    private final Optional<Parameter.Scalar> scalar;
    private final int tileRank;
    private final int tileRows;
    private final int tileRowBytes;
    private final int copyBytes;
    private final int stages;
    private final int threads;
    private final SharedRegion.Buffer ring;
    private final TileProgram program;

    private CpAsyncPipeline(Builder b, int threads) {
        type = b.type;
        step = b.step;
        scalar = b.scalar();
        tileRank = b.tile.size();
        tileRows = tileRank == 1 ? 1 : b.tile.getFirst();
        tileRowBytes = b.tile.getLast() * type.bytes();
        copyBytes = b.copyBytes;
        stages = b.stages;
        this.threads = threads;
        ring = new SharedRegion.Buffer("ring", stages * stageBytes(), 16);
        List<Parameter> parameters = new ArrayList<>(List.of(source, result, rows, rowBytes, tilesAcross));
        parameters.addAll(share.parameters());
        scalar.ifPresent(parameters::add);
        ElementwiseStep work = new ElementwiseStep(type, step, scalar);
        program = new TileProgram("cp_async_pipeline",
                stages + "-stage cp.async pipeline over tiles of " + Shapes.text(b.tile) + " " + type + ", step: "
                        + step.name().toLowerCase(java.util.Locale.ROOT),
                threads, parameters, new SharedLayout(List.of(ring)), Body.steps(body -> pipeline(body, work)));
    }

    /** Starts a builder. */
    public static Builder of(ElementType type) {
        return new Builder(type);
    }

    /** Choices for a {@link CpAsyncPipeline}. Defaults: one-dimensional tiles of 16 KiB, 4 stages, 256 threads. */
    public static final class Builder extends KernelBuilder<Builder> {
        private int copyBytes = 16;

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

        /** Bytes that one thread copies at once: 4, 8 or 16, at least an element. Default 16. */
        public Builder copyBytes(int bytes) {
            copyBytes = bytes;
            return this;
        }

        @Override
        public CpAsyncPipeline build() {
            requireTile(1, 2);
            requireStages(2, 8);
            int threads = requireThreads(256);
            if (copyBytes != 4 && copyBytes != 8 && copyBytes != 16 || copyBytes < type.bytes()) {
                throw new BadRequestException("cp.async copies 4, 8 or 16 bytes and at least one element (" + type + ", "
                        + type.bytes() + " bytes), got " + copyBytes);
            }
            int bytes = tileBytes();
            int rowBytes = tile.getLast() * type.bytes();
            if (rowBytes % copyBytes != 0) {
                throw new BadRequestException("a tile's rows must be a multiple of the copy's " + copyBytes
                        + " bytes, got " + tile.getLast() + " " + type + " = " + rowBytes + " bytes: use a multiple of "
                        + copyBytes / type.bytes() + " columns");
            }
            requireFit(2, bytes, 0);
            return new CpAsyncPipeline(this, threads);
        }
    }

    private int stageBytes() {
        return tileRows * tileRowBytes;
    }

    private void pipeline(Body body, ElementwiseStep work) {
        int ahead = stages - 1;
        TilePartition.TileRange mine = share.define(body);
        body.purpose("fill the pipeline: one group for each of the first " + ahead + " tiles")
                .loop("first", Expr.of(0),
                Expr.of(ahead), Expr.of(1), (fill, first) -> {
                    load(fill, "first_", mine, first, first);
                    fill.purpose("close the tile's group, even an empty one, so that groups count tiles")
                            .cpAsyncCommit();
                });
        body.purpose("one tile a turn").loop("turn", Expr.of(0), mine.count(), Expr.of(1), (loop, turn) -> {
            loop.purpose("this thread's share of the oldest tile has landed").cpAsyncWait(stages - 2);
            loop.purpose("everyone's share has landed, and everyone is done with the stage that is filled next")
                    .syncThreads();
            load(loop, "next_", mine, turn.plus(ahead), turn.plus(ahead).modulo(stages));
            loop.purpose("close the group of the tile that many turns ahead").cpAsyncCommit();
            store(loop, work, mine.first().plus(turn), turn.modulo(stages));
        });
    }

    /** Where a chunk of a tile lies, as seen by one thread. */
    private record Chunk(Expr shared, Expr row, Expr column) {
    }

    /** Visits the chunks of a tile that fall to this thread; {@code row} and {@code column} are the array's, in bytes. */
    private void forEachChunk(Body body, String prefix, Expr tile, Expr stage, java.util.function.BiConsumer<Body, Chunk> code) {
        int perRow = tileRowBytes / copyBytes;
        Expr top = tileRank == 1 ? Expr.of(0L) : body.purpose("the tile's first row").let(prefix + "top",
                tile.dividedBy(tilesAcross.value()).toS64().times(tileRows));
        Expr left = body.purpose("the tile's first byte within the row").let(prefix + "left",
                (tileRank == 1 ? tile : tile.modulo(tilesAcross.value())).toS64().times(tileRowBytes));
        body.purpose("this thread's chunks of " + copyBytes + " bytes").loop(prefix + "chunk", Builtin.THREAD,
                Expr.of(tileRows * perRow), Expr.of(threads), (each, chunk) -> {
                    Expr row = tileRank == 1 ? Expr.of(0L) : each.purpose("the chunk's row").let(prefix + "row",
                            top.plus(chunk.dividedBy(perRow)));
                    Expr column = each.purpose("its first byte within the row").let(prefix + "column",
                            left.plus((tileRank == 1 ? chunk : chunk.modulo(perRow)).times(copyBytes)));
                    code.accept(each, new Chunk(stage.times(stageBytes()).plus(chunk.times(copyBytes)), row, column));
                });
    }

    private Expr offset(Chunk chunk) {
        return chunk.row().times(rowBytes.value()).plus(chunk.column());
    }

    /** Bytes of the chunk that lie in the array: 0 to {@link #copyBytes}. */
    private Expr bytesInside(Chunk chunk) {
        Expr inRow = rowBytes.value().minus(chunk.column()).min(copyBytes).max(0).toS32();
        return tileRank == 1 ? inRow : chunk.row().lessThan(rows.value()).choose(inRow, Expr.of(0));
    }

    /** Starts loading the tile of a turn, unless the block has no such turn. */
    private void load(Body body, String prefix, TilePartition.TileRange mine, Expr turn, Expr stage) {
        body.purpose("unless the block's tiles have run out").when(turn.lessThan(mine.count()), guarded -> {
            Expr tile = guarded.purpose("the tile to load").let(prefix + "tile", mine.first().plus(turn));
            forEachChunk(guarded, prefix, tile, stage, (each, chunk) -> {
                Expr inside = each.purpose("bytes of the chunk inside the array")
                        .let(prefix + "bytes", bytesInside(chunk));
                Expr from = each.purpose("where to read them, or any valid place").let(prefix + "from",
                        inside.atLeast(1).choose(offset(chunk), Expr.of(0L)));
                each.purpose("start the copy; what lies outside becomes zeros").cpAsync(ring.at(chunk.shared()),
                        new Address.Global(source, from), copyBytes).sourceBytes(inside);
            });
        });
    }

    private void store(Body body, ElementwiseStep work, Expr tileNumber, Expr stage) {
        Expr tile = body.purpose("the tile that has landed").let("tile", tileNumber);
        forEachChunk(body, "", tile, stage, (each, chunk) -> {
            Expr inside = each.purpose("bytes of the chunk inside the array").let("bytes", bytesInside(chunk));
            each.purpose("a whole chunk in one access, a part of one element by element")
                    .when(inside.isEqualTo(copyBytes),
                    whole -> work.move(whole, "data", copyBytes, ring.at(chunk.shared()),
                            new Address.Global(result, offset(chunk))),
                    part -> work.moveSome(part, "element", inside, at -> ring.at(chunk.shared().plus(at)),
                            at -> new Address.Global(result, offset(chunk).plus(at))));
        });
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
        long elements = Shapes.elements(shape, type);
        List<Long> matrix = tileRank == 1 ? List.of(1L, elements) : Shapes.withRank(shape, 2);
        long width = matrix.get(1) * type.bytes();
        if (tileRank == 2 && matrix.get(0) > 1 && width % copyBytes != 0) {
            throw new BadRequestException("rows of " + matrix.get(1) + " " + type + " = " + width
                    + " bytes are not a multiple of the copy's " + copyBytes + " bytes: use a tile of one extent, such as "
                    + tileRows * (tileRowBytes / type.bytes()) + ", which takes the array as one long row");
        }
        long across = Math.ceilDiv(width, tileRowBytes);
        long down = Math.ceilDiv(matrix.get(0), tileRows);
        int count = elements == 0 ? 0 : Shapes.tiles(List.of(across, down));
        Map<Parameter, Argument> values = new HashMap<>();
        values.put(source, new Argument.Buffer(0));
        values.put(result, new Argument.Buffer(1));
        values.put(rows, new Argument.Int(matrix.get(0)));
        values.put(rowBytes, new Argument.Int(width));
        values.put(tilesAcross, new Argument.Int(count == 0 ? 0 : across));
        scalar.ifPresent(p -> values.put(p, new Argument.Scalar(scalarBits)));
        int blocks = share.spread(count, spread, values);
        return Launch.of(program, blocks, values);
    }
}
