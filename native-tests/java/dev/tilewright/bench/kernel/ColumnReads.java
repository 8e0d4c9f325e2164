package dev.tilewright.bench.kernel;

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
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Reads columns of 32 x 32 words in shared memory again and again, each lane of a warp a word of its own row, and
 * little else, so that its time is that of the banks. Each thread writes the sum of its row, as many times as it read
 * it.
 *
 * @param tile how the words lie
 */
public record ColumnReads(TileRows tile) {
    /** Threads of a block. */
    public static final int THREADS = 512;
    private static final int SIDE = 32;

    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Parameter.Int TURNS = new Parameter.Int("turns", IntType.S32);

    public ColumnReads {
        Objects.requireNonNull(tile, "tile");
    }

    /** The kernel. Needs sm_80. */
    public TileProgram program() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("tile", tile.bytes(SIDE), 1024);
        return new TileProgram("column_reads", "sums of rows that are read column by column", THREADS,
                List.of(SOURCE, RESULT, TURNS), new SharedLayout(List.of(buffer)),
                Body.steps(body -> write(body, buffer)));
    }

    /**
     * A launch on buffers 0 (the tile, 4 KiB) and 1 (a word for each thread).
     *
     * @param turns how often each thread reads its row
     */
    public Launch launch(int blocks, int turns) {
        return Launch.of(program(), blocks, Map.of(SOURCE, new Argument.Buffer(0), RESULT, new Argument.Buffer(1),
                TURNS, new Argument.Int(turns)));
    }

    /** Bytes that a launch reads in shared memory. */
    public static long bytesRead(int blocks, int turns) {
        return (long) blocks * THREADS * turns * SIDE * Integer.BYTES;
    }

    private void write(Body body, SharedRegion.Buffer buffer) {
        Expr lane = body.purpose("the thread's row").let("lane", Builtin.THREAD.bitAnd(SIDE - 1));
        Expr warp = body.purpose("where its warp begins").let("warp", Builtin.THREAD.shiftRight(5));
        Register word = body.registers("word", 1, Value.u32(0));
        body.purpose("fill the tile").loop("row", warp, SIDE, THREADS / SIDE, (each, row) -> {
            each.load(word, new Address.Global(SOURCE, row.times(SIDE).plus(lane).times(Integer.BYTES).toS64()));
            each.store(buffer.at(tile.place(row, lane, SIDE)), word.get());
        });
        body.purpose("it is there").syncThreads();
        Register sum = body.variable("sum", Value.u32(0));
        body.purpose("read all columns a turn").loop("turn", TURNS.value(), (each, turn) -> {
            // From another column on in each turn, or a compiler would read each word once for all turns.
            Expr first = each.let("first", turn.times(5).plus(warp));
            each.unrolled("k", SIDE, (u, k) -> {
                Expr column = first.plus(k).bitAnd(SIDE - 1);
                u.purpose("a column").load(word, buffer.at(tile.place(lane, column, SIDE)));
                u.assign(sum, sum.get().plus(word.get()));
            });
        });
        body.store(new Address.Global(RESULT, Builtin.BLOCK.toS64().times(THREADS).plus(Builtin.THREAD.toS64())
                .times(Integer.BYTES)), sum.get());
    }
}
