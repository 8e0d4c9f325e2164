package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.GroupPipeline;
import dev.tilewright.builder.pipeline.GroupRing;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Procedure;
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
import java.util.function.BiConsumer;

/**
 * Ampere's way to load tiles: every thread starts small asynchronous copies ({@code cp.async}) into a ring of stages in
 * shared memory, several tiles ahead of the one being worked on.
 *
 * <p>With K stages, K-1 groups are in flight before the loop; each turn waits until at most K-2 are, so that the oldest
 * tile has landed. Tiles at the array's edge are filled with zeros by the copy itself (its source size), and only what
 * lies in the array is written back.
 *
 * <p>A tile of one extent takes the array as one long row, whatever its shape, and serves every shape. Where copies are
 * of 4 or 8 bytes, for data that is aligned no better, the first such tile ends at a multiple of 128 bytes of the
 * result's address, so that no other tile writes a part of a line. A tile of two
 * takes it as a matrix (outer dimensions multiplied into rows); rows must then be a multiple of the copy's size.
 */
public final class CpAsyncPipeline extends BuiltKernel {
    static final String NAME = "cp-async-pipeline";
    /** The mechanism. */
    public static final Mechanism<Builder> MECHANISM = new Mechanism<Builder>(NAME, "cp.async", Target.SM_80,
            Builder::new, List.of(Builder.TILE, Builder.STAGES, Builder.THREADS, Builder.STEP, Builder.WALK,
                    Builder.COPY_BYTES));

    /** Chunks of one thread that are written out one by one. */
    private static final int MOST_UNROLLED = 32;
    private static final int WARP = 32;
    /** Bytes that L2 keeps together. */
    private static final int LINE = 128;

    private final Parameter.Int rows;
    private final Parameter.Int rowBytes;
    private final Parameter.Int tilesAcross;
    private final TilePartition partition;
    private final int tileRank;
    private final int tileRows;
    private final int tileRowBytes;
    private final int copyBytes;
    private final boolean readsItsOwn;
    private final boolean tilesOnLines;
    private final Expr namedRowBytes;
    private final Expr stageBytes;
    /** One for each source. */
    private final List<StageBuffer> buffers;
    private final GroupRing ring;

    private CpAsyncPipeline(Builder b) {
        rows = new Parameter.Int("rows", IntType.S64);
        rowBytes = new Parameter.Int("row_bytes", IntType.S64);
        tilesAcross = new Parameter.Int("tiles_across", IntType.S32);
        partition = new TilePartition(b.walk);
        List<Integer> tile = b.tileExtents();
        tileRank = tile.size();
        tileRows = tile.size() == 1 ? 1 : tile.getFirst();
        tileRowBytes = tile.getLast() * b.type.bytes();
        copyBytes = b.copyBytes;
        readsItsOwn = b.readsItsOwn();
        tilesOnLines = b.tilesOnLines();
        Expr rowBytesOfTile = Expr.named(tile.size() == 1 ? "tile_bytes" : "tile_row_bytes",
                tile.getLast() * b.type.bytes());
        namedRowBytes = rowBytesOfTile;
        Expr pitch = tile.size() == 1 ? rowBytesOfTile : Expr.named("tile_rows", tile.getFirst()).times(rowBytesOfTile);
        List<StageBuffer> room = b.buffers(pitch, pitch, 16);
        buffers = room;
        GroupRing.Builder stages = GroupRing.stages(Expr.named("stages", b.stages));
        room.forEach(stages::buffer);
        if (b.readsItsOwn()) {
            stages.readBy(GroupRing.Readers.THREAD);
        }
        ring = stages.build();
        stageBytes = pitch;
        super(b);
    }

    @Override
    TileProgram describe() {
        return new TileProgram(kernelName,
                stages + "-stage cp.async pipeline over tiles of " + Shapes.text(tile) + " " + type + ", " + stepText(),
                threads, parameters(partition, rows, rowBytes, tilesAcross),
                new SharedLayout(ring.regions()), Body.steps(this::pipeline));
    }

    /** Starts a builder. */
    public static Builder of(ElementType type) {
        Objects.requireNonNull(type, "type");
        return new Builder(type);
    }

    /**
     * Choices for a {@link CpAsyncPipeline}. Defaults: one-dimensional tiles of 4 KiB, 2 stages, 256 threads, which an
     * array a tile a block is fastest with. A {@link GridPolicy} of long runs is faster with 3 stages or more.
     */
    public static final class Builder extends KernelBuilder<Builder> {
        /** Extents of a tile in elements, outermost first. */
        public static final Option<KernelBuilder<?>, List<Integer>> TILE = tileOption(new Extents(1, 2, 40, 8))
                .sweeping("4096B", "8192B", "16384B", "32768B");
        /** How many tiles of one block shared memory holds at once: 1 to 8. */
        public static final Option<KernelBuilder<?>, Integer> STAGES = stagesOption(1, 8).sweeping("1", "2", "3", "4");
        /** Threads of one block, a multiple of 32 up to 1024. */
        public static final Option<KernelBuilder<?>, Integer> THREADS = KernelBuilder.THREADS.sweeping("256", "512");
        /** Bytes that one thread copies at once: 4, 8 or 16. */
        public static final Option<Builder, Integer> COPY_BYTES = new Option<>("copy-bytes", "N",
                "how many bytes one thread copies at once", Choices.numbers(4, 8, 16),
                Builder::copyBytes, b -> b.copyBytes);

        private int copyBytes = 16;

        private Builder(ElementType type) {
            super(MECHANISM, type, 2);
        }

        @Override
        List<Integer> defaultTile() {
            return List.of(4096 / type.bytes());
        }

        @Override
        int defaultThreads() {
            return 256;
        }

        /** Bytes that one thread copies at once: 4, 8 or 16, at least an element. Default 16. */
        public Builder copyBytes(int bytes) {
            copyBytes = bytes;
            return this;
        }

        /** Whether each thread reads the bytes that it copied itself, so that no thread waits for others. */
        private boolean readsItsOwn() {
            return copyBytes <= ElementwiseStep.WIDEST * type.bytes() / Math.max(type.bytes(), resultType().bytes());
        }

        /** Whether the result may begin in the midst of 16 bytes, and its tiles shall not. */
        private boolean tilesOnLines() {
            return copyBytes < ElementwiseStep.WIDEST && tileExtents().size() == 1
                    && type.bytes() == resultType().bytes();
        }

        @Override
        public CpAsyncPipeline build() {
            require(TILE, STAGES, THREADS);
            if (!COPY_BYTES.admits(this) || copyBytes < type.bytes()) {
                throw new BadRequestException("cp.async copies " + COPY_BYTES.range()
                        + " bytes and at least one element (" + type + ", " + type.bytes() + " bytes), got "
                        + copyBytes);
            }
            int bytes = tileBytes();
            int columns = tileExtents().getLast();
            int rowBytes = columns * type.bytes();
            if (rowBytes % copyBytes != 0) {
                throw new BadRequestException("a tile's rows must be a multiple of the copy's " + copyBytes
                        + " bytes, got " + columns + " " + type + " = " + rowBytes + " bytes: use a multiple of "
                        + copyBytes / type.bytes() + " columns");
            }
            requireFit(1, bytes, 0);
            return new CpAsyncPipeline(this);
        }
    }

    private void pipeline(Body body) {
        TilePartition.TileRange mine = partition.define(body);
        Procedure load = load();
        GroupPipeline pipe = ring.open(body);
        if (stages == 1 && tileRank == 1 && readsItsOwn) {
            body.purpose("one tile a turn: other blocks load meanwhile").loop("turn", mine.count(),
                    (each, turn) -> straight(each, pipe, turn, mine.tile(turn)));
            pipe.close();
            return;
        }
        if (stages == 1) {
            body.purpose("one tile a turn: other blocks load meanwhile").loop("turn", mine.count(), (each, turn) -> {
                Filling filling = pipe.acquire(each, turn);
                each.call(load, mine.tile(turn), filling.index());
                pipe.commit(each, filling);
                Landed landed = pipe.await(each, turn);
                store(each, mine.tile(turn), landed);
                pipe.release(each, landed);
            });
            pipe.close();
            return;
        }
        pipe.overlap(body, mine.count(),
                (b, turn, stage) -> b.call(load, mine.tile(turn), stage.index()),
                (b, turn, stage) -> store(b, mine.tile(turn), stage));
        pipe.close();
    }

    /**
     * A tile from end to end. What the array's end leaves of one goes past shared memory, so that the kernel has few
     * registers, and many blocks are resident.
     */
    private void straight(Body body, GroupPipeline pipe, Expr turn, Expr tile) {
        Expr left = left(body, "the tile's first byte", tile);
        body.purpose("tiles away from the array's ends").when(wholeInRow(left), whole -> {
            Filling filling = pipe.acquire(whole, turn);
            whole(whole, Expr.of(0L), left, copyBytes, (each, chunk) -> {
                for (int i = 0; i < sources.size(); i++) {
                    each.purpose("start the copy").cpAsync(filling.at(buffers.get(i), chunk.inStage()),
                            new Address.Global(sources.get(i), offset(chunk)), copyBytes);
                }
            });
            pipe.commit(whole, filling);
            Landed landed = pipe.await(whole, turn);
            whole(whole, Expr.of(0L), left, elementwise.chunk(copyBytes), (each, chunk) ->
                    elementwise.move(each, "data", elementwise.chunk(copyBytes), staged(landed, chunk.inStage()),
                            new Address.Global(result, elementwise.inResult(offset(chunk)))));
            pipe.release(whole, landed);
        }, part -> {
            Expr begin = Builtin.THREAD.times(type.bytes());
            Expr end = rowBytes.value().minus(left);
            part.purpose("this thread's elements of what there is of it").loop("at",
                    tilesOnLines ? begin.plus(Expr.of(0L).minus(left).max(0).toS32()) : begin,
                    (tilesOnLines ? end.min(namedRowBytes.toS64()) : end).toS32(), namedThreads.times(type.bytes()),
                    (each, at) -> elementwise.move(each, "element", type.bytes(),
                            ElementwiseStep.global(sources, left.plus(at.toS64())),
                            new Address.Global(result, elementwise.inResult(left.plus(at.toS64())))));
        });
    }

    /** The first byte of a tile within its row; where tiles lie on lines, the first tile may begin before it. */
    private Expr left(Body body, String purpose, Expr tileInRow) {
        Expr left = tileInRow.toS64().times(namedRowBytes);
        return body.purpose(purpose).let("left",
                tilesOnLines ? left.minus(result.deviceAddress().bitAnd(LINE - 1)) : left);
    }

    /** Whether a tile that begins there lies wholly in the row. */
    private Expr wholeInRow(Expr left) {
        Expr ends = left.plus(namedRowBytes.toS64()).atMost(rowBytes.value());
        return tilesOnLines ? left.atLeast(0).and(ends) : ends;
    }

    /** Where a chunk of a tile lies, as seen by one thread. */
    private record Chunk(Expr inStage, Expr row, Expr column) { }

    /** What happens to the chunks of a tile that lies wholly in the array, and to those of one that may not. */
    private record OnChunks(BiConsumer<Body, Chunk> whole, BiConsumer<Body, Chunk> part) { }

    /**
     * Visits the chunks of a tile that fall to this thread; {@code row} and {@code column} are the array's, in bytes.
     */
    private void forEachChunk(Body body, Expr tile, int bytes, OnChunks code) {
        Expr top = tileRank == 1 ? Expr.of(0L) : body.purpose("the tile's first row").let("top",
                tile.dividedBy(tilesAcross.value()).toS64().times(Expr.named("tile_rows", tileRows)));
        Expr left = left(body, "the tile's first byte within the row",
                tileRank == 1 ? tile : tile.modulo(tilesAcross.value()));
        Expr inRow = wholeInRow(left);
        body.purpose("tiles away from the array's ends lie wholly inside it").when(tileRank == 1 ? inRow
                : inRow.and(top.plus(Expr.named("tile_rows", tileRows).toS64()).atMost(rows.value())),
                whole -> whole(whole, top, left, bytes, code.whole()),
                part -> part(part, top, left, bytes, code.part()));
    }

    /** How many chunks of a tile fall to each thread, where that is few enough to write them out one by one; else 0. */
    private int unrolled(int bytes) {
        int chunks = tileRows * tileRowBytes / bytes;
        return chunks % threads == 0 && chunks / threads <= MOST_UNROLLED ? chunks / threads : 0;
    }

    /** The chunks of a whole tile: all their copies are under way before anything is waited for. */
    private void whole(Body body, Expr top, Expr left, int bytes, BiConsumer<Body, Chunk> code) {
        int count = unrolled(bytes);
        if (count == 0) {
            oneByOne(body, top, left, bytes, code);
        } else if (tileRank == 1) {
            ThreadChunks own = ofThread(body, left, bytes, count);
            body.purpose("its " + count + " chunks of " + bytes + " bytes").unrolled("number", count,
                    (each, number) -> code.accept(each, own.chunk(number)));
        } else {
            body.purpose("this thread's chunks of " + bytes + " bytes").unrolled("number", count,
                    (each, number) -> visit(each, top, left, each.purpose("its place in the tile").let("chunk",
                            number.times(namedThreads).plus(Builtin.THREAD)), bytes, code));
        }
    }

    /**
     * The chunks of a tile that may be cut off at the end: a thread has the same chunks of the stage as for a whole
     * tile.
     */
    private void part(Body body, Expr top, Expr left, int bytes, BiConsumer<Body, Chunk> code) {
        int count = unrolled(bytes);
        if (tileRank == 1 && together(bytes, count)) {
            ThreadChunks own = ofThread(body, left, bytes, count);
            body.purpose("its " + count + " chunks of " + bytes + " bytes").loop("number", count,
                    (each, number) -> code.accept(each, own.chunk(number)));
        } else {
            oneByOne(body, top, left, bytes, code);
        }
    }

    private void oneByOne(Body body, Expr top, Expr left, int bytes, BiConsumer<Body, Chunk> code) {
        body.purpose("this thread's chunks of " + bytes + " bytes").loop("chunk", Builtin.THREAD,
                stageBytes.dividedBy(bytes), namedThreads,
                (each, chunk) -> visit(each, top, left, chunk, bytes, code));
    }

    /**
     * The chunks of one row that a thread has: the first, and how far each lies behind the one before. Distances
     * between them are constants, which memory instructions hold in themselves.
     */
    private record ThreadChunks(Expr inStage, Expr column, Expr step) {
        Chunk chunk(Expr number) {
            Expr behind = number.times(step);
            return new Chunk(inStage.plus(behind), Expr.of(0L), column.plus(behind.toS64()));
        }
    }

    /**
     * Whether a warp's chunks lie together, so that it asks for whole stretches of memory: narrow ones, where a thread
     * has several. Those of 16 bytes of one turn are such a stretch.
     */
    private boolean together(int bytes, int count) {
        return bytes < ElementwiseStep.WIDEST && count > 1 && threads % WARP == 0;
    }

    private ThreadChunks ofThread(Body body, Expr left, int bytes, int count) {
        boolean together = together(bytes, count);
        Expr own = together ? Builtin.THREAD.dividedBy(WARP).times(WARP * count * bytes)
                .plus(Builtin.THREAD.modulo(WARP).times(bytes)) : Builtin.THREAD.times(bytes);
        Expr first = body.purpose("this thread's first byte in the tile").let("first", own);
        return new ThreadChunks(first, body.purpose("this thread's first byte in the array").let("mine",
                left.plus(first.toS64())),
                together ? Expr.of(WARP * bytes) : namedThreads.times(bytes));
    }

    private void visit(Body body, Expr top, Expr left, Expr chunk, int bytes, BiConsumer<Body, Chunk> code) {
        Expr perRow = namedRowBytes.dividedBy(bytes);
        Expr row = tileRank == 1 ? Expr.of(0L) : body.purpose("the chunk's row").let("row",
                top.plus(chunk.dividedBy(perRow)));
        Expr column = body.purpose("the chunk's first byte within the row").let("column",
                left.plus((tileRank == 1 ? chunk : chunk.modulo(perRow)).times(bytes)));
        code.accept(body, new Chunk(chunk.times(bytes), row, column));
    }

    private Expr offset(Chunk chunk) {
        return chunk.row().times(rowBytes.value()).plus(chunk.column());
    }

    /** Bytes of the chunk that lie in the array: 0 to all. */
    private Expr bytesInside(Chunk chunk, int bytes) {
        Expr inRow = rowBytes.value().minus(chunk.column()).min(bytes).max(0).toS32();
        return tilesOnLines ? chunk.column().atLeast(0).choose(inRow, Expr.of(0)) : tileRank == 1 ? inRow
                : chunk.row().lessThan(rows.value()).choose(inRow, Expr.of(0));
    }

    /** What fills a stage, at first and again. */
    private Procedure load() {
        Expr.Var tile = new Expr.Var("tile", IntType.S32);
        Expr.Var stage = new Expr.Var("stage", IntType.S32);
        return Procedure.of("load_tile", "Starts loading a tile into a stage; every thread runs this.",
                List.of(tile, stage), body -> forEachChunk(body, tile, copyBytes, new OnChunks((each, chunk) -> {
                    for (int i = 0; i < sources.size(); i++) {
                        each.purpose("start the copy").cpAsync(ring.at(buffers.get(i), stage, chunk.inStage()),
                                new Address.Global(sources.get(i), offset(chunk)), copyBytes);
                    }
                }, (each, chunk) -> {
                    Expr inside = each.purpose("bytes of the chunk inside the array").let("inside",
                            bytesInside(chunk, copyBytes));
                    Expr from = each.purpose("the source, or any valid place if there is nothing to read").let("from",
                            inside.atLeast(1).choose(offset(chunk), Expr.of(0L)));
                    for (int i = 0; i < sources.size(); i++) {
                        each.purpose("start the copy; bytes outside the array become zeros").cpAsync(
                                ring.at(buffers.get(i), stage, chunk.inStage()),
                                new Address.Global(sources.get(i), from), copyBytes).sourceBytes(inside);
                    }
                })));
    }

    private void store(Body body, Expr tileNumber, Landed stage) {
        Expr tile = body.purpose("the tile that has landed").let("tile", tileNumber);
        int bytes = elementwise.chunk(copyBytes);
        forEachChunk(body, tile, bytes, new OnChunks((each, chunk) ->
                elementwise.move(each, "data", bytes, staged(stage, chunk.inStage()),
                        new Address.Global(result, elementwise.inResult(offset(chunk)))), (each, chunk) -> {
            Expr inside = each.purpose("bytes of the chunk inside the array").let("inside", bytesInside(chunk, bytes));
            each.purpose("a whole chunk in one access, a part of one element by element")
                    .when(inside.isEqualTo(bytes),
                    whole -> elementwise.move(whole, "data", bytes, staged(stage, chunk.inStage()),
                            new Address.Global(result, elementwise.inResult(offset(chunk)))),
                    part -> elementwise.moveSome(part, "element", inside,
                            at -> staged(stage, chunk.inStage().plus(at)),
                            at -> new Address.Global(result, elementwise.inResult(offset(chunk)).plus(at))));
        }));
    }

    /** One byte of a stage, in the tile of each source. */
    private List<Address.Shared> staged(Landed stage, Expr at) {
        return buffers.stream().map(buffer -> stage.at(buffer, at)).toList();
    }

    @Override
    int bind(List<Long> shape, long elements, GridPolicy gridPolicy, Map<Parameter, Argument> values) {
        List<Long> matrix = tileRank == 1 ? List.of(1L, elements) : Shapes.withRank(shape, 2);
        long width = matrix.get(1) * type.bytes();
        if (tileRank == 2 && matrix.get(0) > 1 && width % copyBytes != 0) {
            throw new BadRequestException("rows of " + matrix.get(1) + " " + type + " = " + width
                    + " bytes are not a multiple of the copy's " + copyBytes
                    + " bytes: use a tile of one extent, such as "
                    + tileRows * (tileRowBytes / type.bytes()) + ", which takes the array as one long row");
        }
        // Where the result begins is known when the kernel runs: a tile more if need be, which may be empty.
        long across = Math.ceilDiv(width + (tilesOnLines ? LINE - copyBytes : 0), tileRowBytes);
        long down = Math.ceilDiv(matrix.get(0), tileRows);
        int count = elements == 0 ? 0 : Shapes.tiles(List.of(across, down));
        values.put(rows, new Argument.Int(matrix.get(0)));
        values.put(rowBytes, new Argument.Int(width));
        values.put(tilesAcross, new Argument.Int(count == 0 ? 0 : across));
        return partition.bind(count, gridPolicy, values);
    }
}
