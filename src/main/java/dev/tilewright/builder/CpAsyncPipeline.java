package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.TileChunks.OnChunks;
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
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Map;
import java.util.Objects;

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

    private final TileChunks.Matrix matrix;
    private final TilePartition partition;
    private final int copyBytes;
    private final boolean readsItsOwn;
    private final boolean tilesOnLines;
    /** One for each source. */
    private final List<StageBuffer> buffers;
    private final GroupRing ring;

    private CpAsyncPipeline(Builder b) {
        matrix = new TileChunks.Matrix();
        partition = new TilePartition(b.walk);
        copyBytes = b.copyBytes;
        readsItsOwn = b.readsItsOwn();
        tilesOnLines = b.tilesOnLines();
        Expr pitch = TileChunks.bytes(b.tileExtents(), b.type.bytes());
        List<StageBuffer> room = b.buffers(pitch, pitch, 16);
        buffers = room;
        GroupRing.Builder stages = GroupRing.stages(Expr.named("stages", b.stages));
        room.forEach(stages::buffer);
        if (b.readsItsOwn()) {
            stages.readBy(GroupRing.Readers.THREAD);
        }
        ring = stages.build();
        super(b);
    }

    @Override
    TileProgram describe() {
        TileChunks chunks = new TileChunks(this, matrix, tilesOnLines);
        return new TileProgram(kernelName,
                stages + "-stage cp.async pipeline over tiles of " + Shapes.text(tile) + " " + type + ", " + stepText(),
                threads, parameters(partition, matrix.rows(), matrix.rowBytes(), matrix.tilesAcross()),
                new SharedLayout(ring.regions()), Body.steps(body -> pipeline(body, chunks)));
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

    private void pipeline(Body body, TileChunks chunks) {
        TilePartition.TileRange mine = partition.define(body);
        Procedure load = load(chunks);
        GroupPipeline pipe = ring.open(body);
        if (stages == 1 && tile.size() == 1 && readsItsOwn) {
            body.purpose("one tile a turn: other blocks load meanwhile").loop("turn", mine.count(),
                    (each, turn) -> straight(each, chunks, pipe, turn, mine.tile(turn)));
            pipe.close();
            return;
        }
        if (stages == 1) {
            body.purpose("one tile a turn: other blocks load meanwhile").loop("turn", mine.count(), (each, turn) -> {
                Filling filling = pipe.acquire(each, turn);
                each.call(load, mine.tile(turn), filling.index());
                pipe.commit(each, filling);
                Landed landed = pipe.await(each, turn);
                store(each, chunks, mine.tile(turn), landed);
                pipe.release(each, landed);
            });
            pipe.close();
            return;
        }
        pipe.overlap(body, mine.count(),
                (b, turn, stage) -> b.call(load, mine.tile(turn), stage.index()),
                (b, turn, stage) -> store(b, chunks, mine.tile(turn), stage));
        pipe.close();
    }

    /**
     * A tile from end to end. What the array's end leaves of one goes past shared memory, so that the kernel has few
     * registers, and many blocks are resident.
     */
    private void straight(Body body, TileChunks chunks, GroupPipeline pipe, Expr turn, Expr tile) {
        Expr left = chunks.left(body, "the tile's first byte", tile);
        body.purpose("tiles away from the array's ends").when(chunks.wholeInRow(left), whole -> {
            Filling filling = pipe.acquire(whole, turn);
            chunks.whole(whole, Expr.of(0L), left, copyBytes, (each, chunk) -> {
                for (int i = 0; i < sources.size(); i++) {
                    each.purpose("start the copy").cpAsync(filling.at(buffers.get(i), chunk.inStage()),
                            new Address.Global(sources.get(i), chunks.offset(chunk)), copyBytes);
                }
            });
            pipe.commit(whole, filling);
            Landed landed = pipe.await(whole, turn);
            chunks.whole(whole, Expr.of(0L), left, elementwise.chunk(copyBytes), (each, chunk) ->
                    elementwise.move(each, "data", elementwise.chunk(copyBytes), staged(landed, chunk.inStage()),
                            new Address.Global(result, elementwise.inResult(chunks.offset(chunk)))));
            pipe.release(whole, landed);
        }, part -> {
            Body own = part.purpose("this thread's elements of what there is of it");
            chunks.forEachElement(own, left, (each, at) -> elementwise.move(each, "element", type.bytes(),
                    ElementwiseStep.global(sources, at), new Address.Global(result, elementwise.inResult(at))));
        });
    }

    /** What fills a stage, at first and again. */
    private Procedure load(TileChunks chunks) {
        Expr.Var tile = new Expr.Var("tile", IntType.S32);
        Expr.Var stage = new Expr.Var("stage", IntType.S32);
        return Procedure.of("load_tile", "Starts loading a tile into a stage; every thread runs this.",
                List.of(tile, stage), body -> chunks.forEach(body, tile, copyBytes, new OnChunks((each, chunk) -> {
                    for (int i = 0; i < sources.size(); i++) {
                        each.purpose("start the copy").cpAsync(ring.at(buffers.get(i), stage, chunk.inStage()),
                                new Address.Global(sources.get(i), chunks.offset(chunk)), copyBytes);
                    }
                }, (each, chunk) -> {
                    Expr inside = each.purpose("bytes of the chunk inside the array").let("inside",
                            chunks.bytesInside(chunk, copyBytes));
                    Expr from = each.purpose("the source, or any valid place if there is nothing to read").let("from",
                            inside.atLeast(1).choose(chunks.offset(chunk), Expr.of(0L)));
                    for (int i = 0; i < sources.size(); i++) {
                        each.purpose("start the copy; bytes outside the array become zeros").cpAsync(
                                ring.at(buffers.get(i), stage, chunk.inStage()),
                                new Address.Global(sources.get(i), from), copyBytes).sourceBytes(inside);
                    }
                })));
    }

    private void store(Body body, TileChunks chunks, Expr tileNumber, Landed stage) {
        Expr tile = body.purpose("the tile that has landed").let("tile", tileNumber);
        int bytes = elementwise.chunk(copyBytes);
        chunks.forEach(body, tile, bytes, new OnChunks((each, chunk) ->
                elementwise.move(each, "data", bytes, staged(stage, chunk.inStage()),
                        new Address.Global(result, elementwise.inResult(chunks.offset(chunk)))), (each, chunk) -> {
            Expr inside = each.purpose("bytes of the chunk inside the array").let("inside",
                    chunks.bytesInside(chunk, bytes));
            each.purpose("a whole chunk in one access, a part of one element by element")
                    .when(inside.isEqualTo(bytes),
                    whole -> elementwise.move(whole, "data", bytes, staged(stage, chunk.inStage()),
                            new Address.Global(result, elementwise.inResult(chunks.offset(chunk)))),
                    part -> elementwise.moveSome(part, "element", inside,
                            at -> staged(stage, chunk.inStage().plus(at)),
                            at -> new Address.Global(result, elementwise.inResult(chunks.offset(chunk)).plus(at))));
        }));
    }

    /** One byte of a stage, in the tile of each source. */
    private List<Address.Shared> staged(Landed stage, Expr at) {
        return buffers.stream().map(buffer -> stage.at(buffer, at)).toList();
    }

    @Override
    int bind(List<Long> shape, long elements, GridPolicy gridPolicy, Map<Parameter, Argument> values) {
        boolean row = tile.size() == 1;
        List<Long> extents = row ? List.of(1L, elements) : Shapes.withRank(shape, 2);
        long width = extents.get(1) * type.bytes();
        if (!row && extents.get(0) > 1 && width % copyBytes != 0) {
            throw new BadRequestException("rows of " + extents.get(1) + " " + type + " = " + width
                    + " bytes are not a multiple of the copy's " + copyBytes
                    + " bytes: use a tile of one extent, such as "
                    + tile.getFirst() * tile.getLast() + ", which takes the array as one long row");
        }
        // Where the result begins is known when the kernel runs: a tile more if need be, which may be empty.
        long across = Math.ceilDiv(width + (tilesOnLines ? TileChunks.LINE - copyBytes : 0),
                tile.getLast() * type.bytes());
        long down = Math.ceilDiv(extents.get(0), row ? 1 : tile.getFirst());
        int count = elements == 0 ? 0 : Shapes.tiles(List.of(across, down));
        values.put(matrix.rows(), new Argument.Int(extents.get(0)));
        values.put(matrix.rowBytes(), new Argument.Int(width));
        values.put(matrix.tilesAcross(), new Argument.Int(count == 0 ? 0 : across));
        return partition.bind(count, gridPolicy, values);
    }
}
