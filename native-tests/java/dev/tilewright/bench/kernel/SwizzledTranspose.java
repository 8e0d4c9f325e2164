package dev.tilewright.bench.kernel;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.List;
import java.util.Map;

/**
 * A transpose of 32-bit elements through tiles that the copy engine brings, swizzled by 128 bytes, and takes away
 * again. A thread has 4 x 4 elements: it reads four chunks of 16 bytes, one of each row, turns them in its registers,
 * and writes four chunks where the tile lay. Eight lanes that are served together have chunks j = 0 to 7 of rows 4(j
 * xor s) and on, which lie in different banks before and after the swizzle's exclusive or: no conflict at all.
 *
 * @param rows of a tile, a multiple of 32
 * @param columns of a tile, a multiple of 32
 * @param band tiles below each other that neighbouring blocks take, so that what they write lies together too
 */
public record SwizzledTranspose(int rows, int columns, int band) {
    private static final int SIDE = 32;
    private static final int ROW = SIDE * Integer.BYTES;
    private static final int MOST_THREADS = 1024;

    private static final Parameter.TensorMap SOURCE = new Parameter.TensorMap("source_map", 2);
    private static final Parameter.TensorMap RESULT = new Parameter.TensorMap("result_map", 2);
    private static final Parameter.Int DOWN = new Parameter.Int("tiles_down", IntType.S32);
    private static final Parameter.Int ACROSS = new Parameter.Int("tiles_across", IntType.S32);
    private static final SharedRegion.Barriers LOADED = new SharedRegion.Barriers("loaded", 1);

    public SwizzledTranspose {
        if (rows < SIDE || columns < SIDE || rows % SIDE != 0 || columns % SIDE != 0 || rows > 256 || columns > 256
                || rows * columns / 16 > MOST_THREADS) {
            throw new IllegalArgumentException("a tile has rows and columns that are multiples of 32, 256 at most, and "
                    + "16,384"
                    + " elements at most, got " + rows + " x " + columns);
        }
        if (band < 1) {
            throw new IllegalArgumentException("a band has at least 1 tile, got " + band);
        }
    }

    /** The kernel. Needs sm_90. */
    public TileProgram program() {
        SharedRegion.Buffer tile = new SharedRegion.Buffer("tile", rows * columns * Integer.BYTES, 1024);
        return new TileProgram("swizzled_transpose", "a transpose in tiles of " + rows + " x " + columns
                + " 32-bit elements, swizzled by 128 bytes", rows * columns / 16, List.of(SOURCE, RESULT, DOWN, ACROSS),
                new SharedLayout(List.of(tile, LOADED)), Body.steps(body -> write(body, tile)));
    }

    /**
     * A launch on buffers 0 (source) and 1 (result).
     *
     * @param height rows of the source, a multiple of 4
     * @param width its columns, likewise
     */
    public Launch launch(long height, long width) {
        if (height < 4 || width < 4 || height % 4 != 0 || width % 4 != 0) {
            throw new IllegalArgumentException("rows of 32-bit elements begin at multiples of 16 bytes on both sides "
                    + "where both"
                    + " extents are multiples of 4, got " + height + " x " + width);
        }
        TiledTensorMap source = TiledTensorMap.outermostFirst(TensorDataType.UINT32).shape(height, width)
                .box(rows, SIDE)
                .swizzle(Swizzle.B128).build(Target.SM_90);
        TiledTensorMap result = TiledTensorMap.outermostFirst(TensorDataType.UINT32).shape(width, height)
                .box(columns, SIDE)
                .swizzle(Swizzle.B128).build(Target.SM_90);
        int down = (int) Math.ceilDiv(height, (long) rows);
        int across = (int) Math.ceilDiv(width, (long) columns);
        return Launch.of(program(), Math.multiplyExact(down, across), Map.of(SOURCE, new Argument.Tensor(source, 0),
                RESULT, new Argument.Tensor(result, 1), DOWN, new Argument.Int(down), ACROSS,
                new Argument.Int(across)));
    }

    private void write(Body body, SharedRegion.Buffer tile) {
        Address.Barrier loaded = LOADED.at(0);
        Expr perBand = ACROSS.value().times(band);
        Expr first = body.purpose("the band's first row of tiles")
                .let("first", Builtin.BLOCK.dividedBy(perBand).times(band));
        Expr height = body.purpose("how many it has").let("height", DOWN.value().minus(first).min(band));
        Expr at = Builtin.BLOCK.modulo(perBand);
        Expr row = body.purpose("the tile's first row").let("row", first.plus(at.modulo(height)).times(rows));
        Expr column = body.purpose("its first column").let("column", at.dividedBy(height).times(columns));
        body.purpose("one thread starts the copies").when(Builtin.THREAD.isEqualTo(0), one -> {
            one.barrierInit(loaded, 1);
            one.barrierInitFence();
            one.purpose("all of the tile, also what lies outside")
                    .arriveExpectTx(loaded, rows * columns * Integer.BYTES);
            one.unrolled("strip", columns / SIDE, (each, strip) -> each.purpose("32 columns of it")
                    .tensorLoad(tile.at(strip.times(rows * ROW)), SOURCE, List.of(column.plus(strip.times(SIDE)), row),
                    loaded));
        });
        body.purpose("the barrier is there for all").syncThreads();
        body.purpose("the tile has come").waitParity(loaded, 0);
        turn(body, tile);
        body.purpose("the copy engine sees what this thread wrote").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose("all threads of the group have written").syncThreads();
        body.purpose("one thread stores it").when(Builtin.THREAD.isEqualTo(0), one -> {
            one.unrolled("strip", rows / SIDE, (each, strip) -> each.purpose("32 columns of the result")
                    .tensorStore(RESULT, List.of(row.plus(strip.times(SIDE)), column),
                    tile.at(strip.times(columns * ROW))));
            one.bulkCommit();
            one.purpose("the block must not exit before it has been read").bulkWaitRead(0);
        });
    }

    private void turn(Body body, SharedRegion.Buffer tile) {
        Expr part = Builtin.THREAD.dividedBy(64);
        Expr down = body.purpose("which 32 rows").let("down", part.dividedBy(columns / SIDE));
        Expr across = body.purpose("which 32 columns").let("across", part.modulo(columns / SIDE));
        Expr j = body.purpose("the thread's four columns of these").let("j", Builtin.THREAD.bitAnd(7));
        Expr i = body.purpose("its four rows").let("i", j.xor(Builtin.THREAD.shiftRight(3).bitAnd(7)));
        Register held = body.purpose("4 x 4 elements").registers("held", ValueType.U32, 16);
        Expr from = body.purpose("where its rows lie").let("from",
                across.times(rows * ROW).plus(down.times(SIDE).plus(i.times(4)).times(ROW)));
        Expr to = body.purpose("where they go").let("to",
                down.times(columns * ROW).plus(across.times(SIDE).plus(j.times(4)).times(ROW)));
        body.unrolled("k", 4, (each, k) -> each.purpose("a chunk of a row").load(held, k.times(4), 4,
                tile.at(from.plus(k.times(ROW)).plus(chunk(j, i, k)))));
        body.purpose("all have read").syncThreads();
        body.unrolled("k", 4, (each, k) -> each.purpose("a chunk of a column").store(tile.at(to.plus(k.times(ROW))
                .plus(chunk(i, j, k))), held.at(k), held.at(k.plus(4)), held.at(k.plus(8)), held.at(k.plus(12))));
    }

    /** Where a chunk lies in row 4 * four + k of a tile that is swizzled by 128 bytes. */
    private static Expr chunk(Expr number, Expr four, Expr k) {
        return number.xor(four.bitAnd(1).times(4).plus(k)).times(16);
    }
}
