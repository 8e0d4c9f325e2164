package dev.tilewright.bench.kernel;

import dev.tilewright.program.Address;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.Register;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Value;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * A transpose of 32-bit elements as textbooks have it: 256 threads load a tile of 32 x 32 row by row and store its
 * columns as rows. How the tile lies in shared memory decides how long reading a column takes.
 *
 * @param tile how it lies
 */
public record ThreadTranspose(TileRows tile) {
    private static final int SIDE = 32;
    private static final int THREADS = 256;
    private static final int EACH = SIDE * SIDE / THREADS;

    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Parameter.Int HEIGHT = new Parameter.Int("height", IntType.S32);
    private static final Parameter.Int WIDTH = new Parameter.Int("width", IntType.S32);
    private static final Parameter.Int ACROSS = new Parameter.Int("tiles_across", IntType.S32);

    public ThreadTranspose {
        Objects.requireNonNull(tile, "tile");
    }

    /** The kernel. Needs sm_80. */
    public TileProgram program() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("tile", tile.bytes(), 1024);
        return new TileProgram("thread_transpose", "a transpose in tiles of 32 x 32 words, " + tile.name().toLowerCase(
                Locale.ROOT), THREADS, List.of(SOURCE, RESULT, HEIGHT, WIDTH, ACROSS),
                new SharedLayout(List.of(buffer)), Body.steps(body -> write(body, buffer)));
    }

    /** A launch on buffers 0 (source, height x width) and 1 (result). */
    public Launch launch(int height, int width) {
        int across = Math.ceilDiv(width, SIDE);
        return Launch.of(program(), Math.multiplyExact(across, Math.ceilDiv(height, SIDE)), Map.of(SOURCE, new Argument.Buffer(0),
                RESULT, new Argument.Buffer(1), HEIGHT, new Argument.Int(height), WIDTH, new Argument.Int(width),
                ACROSS, new Argument.Int(across)));
    }

    private void write(Body body, SharedRegion.Buffer buffer) {
        Expr lane = body.purpose("along a row").let("lane", Builtin.THREAD.bitAnd(31));
        Expr warp = body.purpose("which rows").let("warp", Builtin.THREAD.shiftRight(5));
        Expr row = body.purpose("the tile's first row").let("row", Builtin.BLOCK.dividedBy(ACROSS.value()).times(SIDE));
        Expr column = body.purpose("its first column").let("column", Builtin.BLOCK.modulo(ACROSS.value()).times(SIDE));
        Register held = body.registers("held", EACH, Value.u32(0));
        Expr x = body.let("x", column.plus(lane));
        body.unrolled("k", EACH, (each, k) -> {
            Expr y = row.plus(warp).plus(k.times(THREADS / SIDE));
            each.purpose("what lies in the matrix").when(y.lessThan(HEIGHT.value()).and(x.lessThan(WIDTH.value())),
                    in -> in.load(held, k, 1, element(SOURCE, y, WIDTH.value(), x)));
        });
        body.unrolled("k", EACH, (each, k) -> each.purpose("row by row").store(
                buffer.at(tile.place(warp.plus(k.times(THREADS / SIDE)), lane)), held.at(k)));
        body.purpose("the tile is there").syncThreads();
        Expr y = body.let("y", row.plus(lane));
        body.unrolled("k", EACH, (each, k) -> each.purpose("column by column").load(held, k, 1,
                buffer.at(tile.place(lane, warp.plus(k.times(THREADS / SIDE))))));
        body.unrolled("k", EACH, (each, k) -> {
            Expr to = column.plus(warp).plus(k.times(THREADS / SIDE));
            each.purpose("what lies in the result").when(to.lessThan(WIDTH.value()).and(y.lessThan(HEIGHT.value())),
                    in -> in.store(element(RESULT, to, HEIGHT.value(), y), held.at(k)));
        });
    }

    private static Address.Global element(Parameter.Pointer matrix, Expr row, Expr columns, Expr column) {
        return new Address.Global(matrix, row.toS64().times(columns.toS64()).plus(column.toS64()).times(
                Expr.of((long) Integer.BYTES)));
    }
}
