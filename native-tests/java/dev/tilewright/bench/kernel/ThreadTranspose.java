package dev.tilewright.bench.kernel;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Dim3;
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
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * A transpose of 32-bit elements as textbooks have it: the threads load a square tile row by row and store its
 * columns as rows. How the tile lies in shared memory decides how long reading a column takes, and how many elements
 * each thread has under way how much of the memory's time is covered.
 *
 * @param tile how it lies
 * @param side rows of a tile, and elements of each: a multiple of 32
 * @param threads of a block, a multiple of 32 that divides the tile's rows among its warps evenly
 */
public record ThreadTranspose(TileRows tile, int side, int threads) {

    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Parameter.Int HEIGHT = new Parameter.Int("height", IntType.S32);
    private static final Parameter.Int WIDTH = new Parameter.Int("width", IntType.S32);

    public ThreadTranspose {
        Objects.requireNonNull(tile, "tile");
        if (side < Warp.LANES || side % Warp.LANES != 0 || threads < Warp.LANES
                || threads % Warp.LANES != 0 || side % (threads / Warp.LANES) != 0) {
            throw new IllegalArgumentException("tiles are squares of multiples of 32 rows, of which each warp has as "
                    + "many, got "
                    + side + " for " + threads + " threads");
        }
    }

    /** The textbooks' tile of 32 x 32 by 256 threads. */
    public static ThreadTranspose of(TileRows tile) {
        return new ThreadTranspose(tile, 32, 256);
    }

    /** Elements of a thread. */
    private int each() {
        return side * side / threads;
    }

    /** Of a thread's elements, the row of one as those behind its first. */
    private Expr rowOf(Expr number) {
        return (side == Warp.LANES ? number : number.dividedBy(side / Warp.LANES)).times(threads / Warp.LANES);
    }

    /** Where in its row one is. */
    private Expr inRow(Expr number, Expr lane) {
        return side == Warp.LANES ? lane : lane.plus(number.modulo(side / Warp.LANES).times(Warp.LANES));
    }

    /** The kernel. Needs sm_80. */
    public TileProgram program() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("tile", tile.bytes(side), 1024);
        return new TileProgram("thread_transpose", "a transpose in tiles of " + side + " x " + side + " words, "
                + tile.name().toLowerCase(Locale.ROOT), threads, List.of(SOURCE, RESULT, HEIGHT, WIDTH),
                new SharedLayout(List.of(buffer)), Body.steps(body -> write(body, buffer)));
    }

    /**
     * A launch on buffers 0 (source, height x width) and 1 (result). The grid has the matrix's two dimensions, so that
     * no block divides to find its tile; along the height there are 65,535 tiles at most.
     */
    public Launch launch(int height, int width) {
        return Launch.of(program(), Dim3.of(Math.ceilDiv(width, side), Math.ceilDiv(height, side)), Map.of(SOURCE,
                new Argument.Buffer(0), RESULT, new Argument.Buffer(1), HEIGHT, new Argument.Int(height), WIDTH,
                new Argument.Int(width)));
    }

    private void write(Body body, SharedRegion.Buffer buffer) {
        Expr lane = body.purpose("along a row").let("lane", Builtin.THREAD.bitAnd(31));
        Expr warp = body.purpose("which rows").let("warp", Builtin.THREAD.shiftRight(5));
        Expr row = body.purpose("the tile's first row").let("row", Builtin.BLOCK_Y.times(side));
        Expr column = body.purpose("its first column").let("column", Builtin.BLOCK.times(side));
        Register held = body.registers("held", each(), Value.u32(0));
        Expr left = body.let("x", column.plus(lane));
        body.unrolled("k", each(), (each, k) -> {
            Expr y = row.plus(warp).plus(rowOf(k));
            Expr x = inRow(k, left);
            each.purpose("what lies in the matrix").when(y.lessThan(HEIGHT.value()).and(x.lessThan(WIDTH.value())),
                    in -> in.load(held, k, 1, element(SOURCE, y, WIDTH.value(), x)));
        });
        body.unrolled("k", each(), (each, k) -> each.purpose("row by row").store(
                buffer.at(tile.place(warp.plus(rowOf(k)), inRow(k, lane), side)), held.at(k)));
        body.purpose("the tile is there").syncThreads();
        Expr top = body.let("y", row.plus(lane));
        BiConsumer<Body, Expr> read = (to, k) -> to.load(held, k, 1,
                buffer.at(tile.place(inRow(k, lane), warp.plus(rowOf(k)), side)));
        // Reads that all wait for the same bank are faster each beside its store (transpose-orders.log).
        boolean together = tile != TileRows.PLAIN;
        if (together) {
            body.unrolled("k", each(), (each, k) -> read.accept(each.purpose("column by column"), k));
        }
        body.unrolled("k", each(), (each, k) -> {
            Expr to = column.plus(warp).plus(rowOf(k));
            Expr y = inRow(k, top);
            each.purpose("what lies in the result").when(to.lessThan(WIDTH.value()).and(y.lessThan(HEIGHT.value())),
                    in -> {
                if (!together) {
                    read.accept(in.purpose("its column"), k);
                }
                in.store(element(RESULT, to, HEIGHT.value(), y), held.at(k));
            });
        });
    }

    private static Address.Global element(Parameter.Pointer matrix, Expr row, Expr columns, Expr column) {
        return new Address.Global(matrix, row.toS64().times(columns.toS64()).plus(column.toS64()).times(
                Expr.of((long) Integer.BYTES)));
    }
}
