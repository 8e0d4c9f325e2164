package dev.tilewright.builder;

import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The chunks of an array's tiles, and which of them each thread of a block moves. A tile of one extent takes the array
 * as one long row. Tiles that lie wholly in the array and those that its end cuts off get code of their own.
 */
final class TileChunks {
    /** Bytes that L2 keeps together. */
    static final int LINE = 128;
    /** Chunks of one thread that are written out one by one. */
    private static final int MOST_UNROLLED = 32;

    /** The array as a matrix, which launches bind. */
    record Matrix(Parameter.Int rows, Parameter.Int rowBytes, Parameter.Int tilesAcross) {
        Matrix() {
            this(new Parameter.Int("rows", IntType.S64), new Parameter.Int("row_bytes", IntType.S64),
                    new Parameter.Int("tiles_across", IntType.S32));
        }
    }

    /** Where a chunk lies: its first byte in the stage and in its row, and the number of the row. */
    record Chunk(Expr inStage, Expr row, Expr column) { }

    /** What happens to the chunks of a tile that lies wholly in the array, and to those of one that may not. */
    record OnChunks(BiConsumer<Body, Chunk> whole, BiConsumer<Body, Chunk> part) { }

    private final Matrix matrix;
    private final boolean onLines;
    private final Parameter.Pointer result;
    private final int threads;
    private final Expr namedThreads;
    private final int elementBytes;
    private final int tileRank;
    private final int tileRows;
    private final int tileRowBytes;
    private final Expr namedRowBytes;
    private final Expr tileBytes;

    /** @param onLines whether the first tile of a row ends at a multiple of {@link #LINE} of the result's address */
    TileChunks(BuiltKernel kernel, Matrix matrix, boolean onLines) {
        this.matrix = matrix;
        this.onLines = onLines;
        result = kernel.result;
        threads = kernel.threads;
        namedThreads = kernel.namedThreads;
        elementBytes = kernel.type.bytes();
        tileRank = kernel.tile.size();
        tileRows = tileRank == 1 ? 1 : kernel.tile.getFirst();
        tileRowBytes = kernel.tile.getLast() * elementBytes;
        namedRowBytes = rowBytes(kernel.tile, elementBytes);
        tileBytes = bytes(kernel.tile, elementBytes);
    }

    private static Expr rowBytes(List<Integer> tile, int elementBytes) {
        return Expr.named(tile.size() == 1 ? "tile_bytes" : "tile_row_bytes", tile.getLast() * elementBytes);
    }

    /** The bytes of a tile, as the kernel names them. */
    static Expr bytes(List<Integer> tile, int elementBytes) {
        Expr row = rowBytes(tile, elementBytes);
        return tile.size() == 1 ? row : Expr.named("tile_rows", tile.getFirst()).times(row);
    }

    /** The first byte of a tile within its row; where tiles lie on lines, the first tile may begin before it. */
    Expr left(Body body, String purpose, Expr tileInRow) {
        Expr left = tileInRow.toS64().times(namedRowBytes);
        return body.purpose(purpose).let("left",
                onLines ? left.minus(result.deviceAddress().bitAnd(LINE - 1)) : left);
    }

    /** Whether a tile that begins there lies wholly in the row. */
    Expr wholeInRow(Expr left) {
        Expr ends = left.plus(namedRowBytes.toS64()).atMost(matrix.rowBytes().value());
        return onLines ? left.atLeast(0).and(ends) : ends;
    }

    /** Visits the chunks of a tile that fall to this thread. @param bytes of a chunk */
    void forEach(Body body, Expr tile, int bytes, OnChunks code) {
        Expr top = tileRank == 1 ? Expr.of(0L) : body.purpose("the tile's first row").let("top",
                tile.dividedBy(matrix.tilesAcross().value()).toS64().times(Expr.named("tile_rows", tileRows)));
        Expr left = left(body, "the tile's first byte within the row",
                tileRank == 1 ? tile : tile.modulo(matrix.tilesAcross().value()));
        Expr inRow = wholeInRow(left);
        body.purpose("tiles away from the array's ends lie wholly inside it").when(tileRank == 1 ? inRow
                : inRow.and(top.plus(Expr.named("tile_rows", tileRows).toS64()).atMost(matrix.rows().value())),
                whole -> whole(whole, top, left, bytes, code.whole()),
                part -> part(part, top, left, bytes, code.part()));
    }

    /** How many chunks of a tile fall to each thread, where that is few enough to write them out one by one; else 0. */
    private int unrolled(int bytes) {
        int chunks = tileRows * tileRowBytes / bytes;
        return chunks % threads == 0 && chunks / threads <= MOST_UNROLLED ? chunks / threads : 0;
    }

    /** The chunks of a whole tile: all their copies are under way before anything is waited for. */
    void whole(Body body, Expr top, Expr left, int bytes, BiConsumer<Body, Chunk> code) {
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

    /**
     * Visits the elements of a tile of one row that are in the array and fall to this thread.
     *
     * @param code is given where an element lies in the array
     */
    void forEachElement(Body body, Expr left, BiConsumer<Body, Expr> code) {
        Expr begin = Builtin.THREAD.times(elementBytes);
        Expr end = matrix.rowBytes().value().minus(left);
        body.loop("at", onLines ? begin.plus(Expr.of(0L).minus(left).max(0).toS32()) : begin,
                (onLines ? end.min(namedRowBytes.toS64()) : end).toS32(), namedThreads.times(elementBytes),
                (each, at) -> code.accept(each, left.plus(at.toS64())));
    }

    private void oneByOne(Body body, Expr top, Expr left, int bytes, BiConsumer<Body, Chunk> code) {
        body.purpose("this thread's chunks of " + bytes + " bytes").loop("chunk", Builtin.THREAD,
                tileBytes.dividedBy(bytes), namedThreads,
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
        return bytes < ElementwiseStep.WIDEST && count > 1 && threads % Warp.LANES == 0;
    }

    private ThreadChunks ofThread(Body body, Expr left, int bytes, int count) {
        boolean together = together(bytes, count);
        Expr own = together ? Builtin.THREAD.dividedBy(Warp.LANES).times(Warp.LANES * count * bytes)
                .plus(Builtin.THREAD.modulo(Warp.LANES).times(bytes)) : Builtin.THREAD.times(bytes);
        Expr first = body.purpose("this thread's first byte in the tile").let("first", own);
        return new ThreadChunks(first, body.purpose("this thread's first byte in the array").let("mine",
                left.plus(first.toS64())),
                together ? Expr.of(Warp.LANES * bytes) : namedThreads.times(bytes));
    }

    private void visit(Body body, Expr top, Expr left, Expr chunk, int bytes, BiConsumer<Body, Chunk> code) {
        Expr perRow = namedRowBytes.dividedBy(bytes);
        Expr row = tileRank == 1 ? Expr.of(0L) : body.purpose("the chunk's row").let("row",
                top.plus(chunk.dividedBy(perRow)));
        Expr column = body.purpose("the chunk's first byte within the row").let("column",
                left.plus((tileRank == 1 ? chunk : chunk.modulo(perRow)).times(bytes)));
        code.accept(body, new Chunk(chunk.times(bytes), row, column));
    }

    /** Where a chunk lies in the array. */
    Expr offset(Chunk chunk) {
        return chunk.row().times(matrix.rowBytes().value()).plus(chunk.column());
    }

    /** Bytes of the chunk that lie in the array: 0 to all. */
    Expr bytesInside(Chunk chunk, int bytes) {
        Expr inRow = matrix.rowBytes().value().minus(chunk.column()).min(bytes).max(0).toS32();
        return onLines ? chunk.column().atLeast(0).choose(inRow, 0) : tileRank == 1 ? inRow
                : chunk.row().lessThan(matrix.rows().value()).choose(inRow, 0);
    }
}
