package dev.tilewright.bench.kernel;

import dev.tilewright.builder.collective.BlockReduction;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Adds an array up by ordinary loads.
 *
 * @param threads of a block, a multiple of 32
 * @param each chunks of 16 bytes that a thread has under way
 * @param updates who adds to the total
 * @param floats whether elements are f32, else words, whose sum is modulo 2^32
 */
public record ThreadSum(int threads, int each, Updates updates, boolean floats) {
    private static final int WORDS = 4;
    private static final int CHUNK = 16;

    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer TOTALS = new Parameter.Pointer("totals", true);
    private static final Parameter.Int BYTES = new Parameter.Int("bytes", IntType.S64);

    /** Who adds to the total, atomically. */
    public enum Updates {
        /** Every thread its own sum. */
        THREADS,
        /** One thread of each block that of all, which the block has put together. */
        BLOCKS
    }

    public ThreadSum {
        Objects.requireNonNull(updates, "updates");
        if (each < 1 || each > 16) {
            throw new IllegalArgumentException("a thread has 1 to 16 chunks under way, got " + each);
        }
    }

    /** The kernel. Needs sm_80. */
    public TileProgram program() {
        BlockReduction reduction = new BlockReduction("sums", Totals.type(floats), threads);
        List<SharedRegion> regions = updates == Updates.BLOCKS ? List.of(reduction.scratch()) : List.of();
        return new TileProgram("thread_sum", "the sum of an array", threads, List.of(SOURCE, TOTALS, BYTES),
                new SharedLayout(regions), Body.steps(body -> write(body, reduction)));
    }

    /**
     * A launch on buffers 0 (source) and 1 (a word, to which sums are added).
     *
     * @param bytes of the source, a multiple of 16
     * @param blocks at most
     */
    public Launch launch(long bytes, int blocks) {
        if (bytes < CHUNK || bytes % CHUNK != 0) {
            throw new IllegalArgumentException("this sum reads 16 bytes at once, got " + bytes);
        }
        return Launch.of(program(), Math.clamp(Math.ceilDiv(bytes, tile()), 1, blocks), Map.of(SOURCE,
                new Argument.Buffer(0), TOTALS, new Argument.Buffer(1), BYTES, new Argument.Int(bytes)));
    }

    private long tile() {
        return (long) threads * each * CHUNK;
    }

    private void write(Body body, BlockReduction reduction) {
        Register sum = body.variable("sum", Totals.zero(floats));
        Register held = body.registers("held", Totals.type(floats), each * WORDS);
        Expr mine = body.purpose("the thread's place in a tile").let("mine", Builtin.THREAD.times(CHUNK).toS64());
        body.purpose("tile by tile").loop("at", Builtin.BLOCK.toS64().times(Expr.of(tile())), BYTES.value(),
                Builtin.GRID.toS64().times(Expr.of(tile())),
                (turn, at) -> turn.purpose("a whole tile, or the array's end").when(
                        at.plus(Expr.of(tile())).atMost(BYTES.value()), whole -> {
                            whole.unrolled("k", each, (b, k) -> b.load(held, k.times(WORDS), WORDS,
                                    new Address.Global(SOURCE, at.plus(mine).plus(k.times(threads * CHUNK).toS64()))));
                            whole.unrolled("k", each, (b, k) -> Totals.add(b, sum, held, k.times(WORDS)));
                        }, rest -> rest.loop("from", at.plus(mine), BYTES.value(), Expr.of((long) threads * CHUNK),
                                (b, from) -> {
                            b.load(held, 0, WORDS, new Address.Global(SOURCE, from));
                            Totals.add(b, sum, held, Expr.of(0));
                        })));
        if (updates == Updates.BLOCKS) {
            Totals.addUp(body, reduction, sum.get(), TOTALS, Expr.of(0L));
        } else {
            Totals.update(body, sum.get(), TOTALS, Expr.of(0L));
        }
    }
}
