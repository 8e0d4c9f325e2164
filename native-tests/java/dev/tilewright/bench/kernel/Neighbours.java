package dev.tilewright.bench.kernel;

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
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.List;
import java.util.Map;

/**
 * The sum of each word's four neighbours in a matrix, zeros outside, modulo 2^32: a box with a halo of one row above
 * and below and four columns on either side (rows of a box are multiples of 16 bytes) comes by one tensor copy, which
 * fills what lies outside; each thread makes chunks of four neighbours of the result and stores them itself.
 *
 * @param rows of the result in a tile, 1 to 254
 * @param columns likewise, a multiple of 4, at most 248
 */
public record Neighbours(int rows, int columns) {
    private static final int THREADS = 256;
    private static final int HALO = 4;
    private static final int WORDS = 4;

    private static final Parameter.TensorMap SOURCE = new Parameter.TensorMap("source_map", 2);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Parameter.Int HEIGHT = new Parameter.Int("height", IntType.S32);
    private static final Parameter.Int WIDTH = new Parameter.Int("width", IntType.S32);
    private static final Parameter.Int ACROSS = new Parameter.Int("tiles_across", IntType.S32);
    private static final SharedRegion.Barriers LOADED = new SharedRegion.Barriers("loaded", 1);

    public Neighbours {
        if (rows < 1 || rows > 254 || columns < 4 || columns > 248 || columns % WORDS != 0) {
            throw new IllegalArgumentException("a tile has 1 to 254 rows and 4 to 248 columns, a multiple of 4, got "
                    + rows
                    + " x " + columns);
        }
    }

    private int pitch() {
        return (columns + 2 * HALO) * Integer.BYTES;
    }

    private int boxBytes() {
        return (rows + 2) * pitch();
    }

    /** Bytes that a tile's box has, beside those of its result: what halos cost. */
    public double overhead() {
        return (double) boxBytes() / (rows * columns * Integer.BYTES);
    }

    /** The kernel. Needs sm_90. */
    public TileProgram program() {
        SharedRegion.Buffer tile = new SharedRegion.Buffer("tile", boxBytes(), 128);
        return new TileProgram("neighbours", "sums of four neighbours, tiles of " + rows + " x " + columns
                + " with halos", THREADS, List.of(SOURCE, RESULT, HEIGHT, WIDTH, ACROSS),
                new SharedLayout(List.of(tile, LOADED)), Body.steps(body -> write(body, tile)));
    }

    /** A launch on buffers 0 (source) and 1 (result). @param width a multiple of 4 */
    public Launch launch(int height, int width) {
        if (width % WORDS != 0) {
            throw new IllegalArgumentException("rows begin at multiples of 16 bytes: width is a multiple of 4, got "
                    + width);
        }
        TiledTensorMap source = TiledTensorMap.outermostFirst(TensorDataType.UINT32).shape(height, width)
                .box(rows + 2, columns + 2 * HALO).build(Target.SM_90);
        int across = Math.ceilDiv(width, columns);
        return Launch.of(program(), Math.multiplyExact(across, Math.ceilDiv(height, rows)), Map.of(SOURCE,
                new Argument.Tensor(source, 0), RESULT, new Argument.Buffer(1), HEIGHT, new Argument.Int(height), WIDTH,
                new Argument.Int(width), ACROSS, new Argument.Int(across)));
    }

    private void write(Body body, SharedRegion.Buffer tile) {
        Address.Barrier loaded = LOADED.at(0);
        Expr row = body.purpose("the tile's first row").let("row", Builtin.BLOCK.dividedBy(ACROSS.value()).times(rows));
        Expr column = body.purpose("its first column").let("column", Builtin.BLOCK.modulo(ACROSS.value())
                .times(columns));
        body.purpose("one thread starts the copy").when(Builtin.THREAD.isEqualTo(0), one -> {
            one.barrierInit(loaded, 1);
            one.barrierInitFence();
            one.purpose("also what lies outside").arriveExpectTx(loaded, boxBytes());
            one.purpose("the tile and its halo").tensorLoad(tile.at(0), SOURCE,
                    List.of(column.minus(HALO), row.minus(1)), loaded);
        });
        body.purpose("the barrier is there for all").syncThreads();
        body.purpose("the box has come").waitParity(loaded, 0);
        Register above = body.registers("above", ValueType.U32, WORDS);
        Register below = body.registers("below", ValueType.U32, WORDS);
        Register middle = body.registers("middle", ValueType.U32, WORDS);
        Register left = body.registers("left", ValueType.U32, 1);
        Register right = body.registers("right", ValueType.U32, 1);
        int chunks = columns / WORDS;
        body.purpose("chunks of four words").loop("chunk", Builtin.THREAD, rows * chunks, THREADS,
                (each, n) -> {
            Expr y = each.let("y", n.dividedBy(chunks));
            Expr x = each.let("x", n.modulo(chunks).times(WORDS));
            Expr at = each.purpose("where the chunk lies in the box").let("at",
                    y.plus(1).times(pitch()).plus(x.plus(HALO).times(Integer.BYTES)));
            each.load(above, tile.at(at.minus(pitch())));
            each.load(below, tile.at(at.plus(pitch())));
            each.load(middle, tile.at(at));
            each.load(left, tile.at(at.minus(Integer.BYTES)));
            each.load(right, tile.at(at.plus(WORDS * Integer.BYTES)));
            Value[] beside = {left.get(), middle.at(0), middle.at(1), middle.at(2), middle.at(3), right.get()};
            Expr toRow = row.plus(y);
            Expr toColumn = column.plus(x);
            Expr to = toRow.toS64().times(WIDTH.value().toS64()).plus(toColumn.toS64()).times(Integer.BYTES);
            each.purpose("what lies in the matrix").when(toRow.lessThan(HEIGHT.value())
                    .and(toColumn.lessThan(WIDTH.value())),
                    in -> in.store(new Address.Global(RESULT, to), sum(above, below, beside, 0),
                    sum(above, below, beside, 1),
                            sum(above, below, beside, 2), sum(above, below, beside, 3)));
        });
    }

    private static Value sum(Register above, Register below, Value[] beside, int k) {
        return above.at(k).plus(below.at(k)).plus(beside[k].plus(beside[k + 2]));
    }
}
