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
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Adds an array of words to another, modulo 2^32, in one of three ways.
 *
 * @param method how words are added
 * @param size of {@link Method#BULK} bytes of a tile, a multiple of 16; of the others chunks of 16 bytes of a thread
 */
public record Accumulate(Method method, int size) {
    private static final int THREADS = 256;
    private static final int WORDS = 4;
    private static final int CHUNK = 16;

    private static final Parameter.Pointer SOURCE = Parameter.Pointer.reading("source", ValueType.U8);
    private static final Parameter.Pointer RESULT = Parameter.Pointer.writing("result", ValueType.U8);
    private static final Parameter.Int BYTES = new Parameter.Int("bytes", IntType.S64);
    private static final SharedRegion.Barriers LOADED = new SharedRegion.Barriers("loaded", 1);

    /** How words are added to others in memory. */
    public enum Method {
        /** A thread loads both and stores the sum. */
        LOADS_AND_STORES,
        /** {@code red}: the L2 adds. */
        RED,
        /** {@code cp.reduce.async.bulk}: the same, a tile at once. */
        BULK
    }

    public Accumulate {
        Objects.requireNonNull(method, "method");
        boolean bulk = method == Method.BULK;
        if (size < 1 || bulk && size % CHUNK != 0 || !bulk && size > 8) {
            throw new IllegalArgumentException(bulk ? "a tile is a positive multiple of 16 bytes, got " + size
                    : "a thread has 1 to 8 chunks, got " + size);
        }
    }

    /** The kernel. Needs sm_90 for {@link Method#BULK}, else sm_80. */
    public TileProgram program() {
        if (method == Method.BULK) {
            SharedRegion.Buffer tile = new SharedRegion.Buffer("tile", size, 128);
            return new TileProgram("bulk_accumulate", "adds an array to another, tile by tile", 32,
                    List.of(SOURCE, RESULT, BYTES), new SharedLayout(List.of(tile, LOADED)),
                    Body.steps(body -> bulk(body, tile)));
        }
        return new TileProgram(method == Method.RED ? "red_accumulate" : "thread_accumulate",
                "adds an array to another", THREADS, List.of(SOURCE, RESULT, BYTES), new SharedLayout(List.of()),
                Body.steps(this::byThreads));
    }

    /** A launch on buffers 0 (source) and 1 (result). @param bytes of either, a multiple of 16 */
    public Launch launch(long bytes) {
        if (bytes < CHUNK || bytes % CHUNK != 0) {
            throw new IllegalArgumentException("arrays are multiples of 16 bytes, got " + bytes);
        }
        long tile = method == Method.BULK ? size : (long) THREADS * size * CHUNK;
        return Launch.of(program(), Math.toIntExact(Math.ceilDiv(bytes, tile)),
                Map.of(SOURCE, new Argument.Buffer(0), RESULT, new Argument.Buffer(1), BYTES, new Argument.Int(bytes)));
    }

    private void bulk(Body body, SharedRegion.Buffer tile) {
        Address.Barrier loaded = LOADED.at(0);
        body.purpose("one thread does everything").when(Builtin.THREAD.isEqualTo(0), one -> {
            Expr at = one.let("at", Builtin.BLOCK.toS64().times(size));
            Expr bytes = one.let("bytes_of_tile", BYTES.value().minus(at).min(Expr.of((long) size)).toS32());
            one.barrierInit(loaded, 1);
            one.barrierInitFence();
            one.arriveExpectTx(loaded, bytes);
            one.bulkLoad(tile.at(0), SOURCE.at(at), bytes, loaded);
            one.purpose("the tile has come").waitParity(loaded, 0);
            one.purpose("add it").bulkReduce(AtomicOp.ADD, DataType.U32, RESULT.at(at), tile.at(0), bytes);
            one.bulkCommit();
            one.purpose("the block must not exit before it has been read").bulkWaitRead(0);
        });
    }

    private void byThreads(Body body) {
        Register held = body.registers("held", ValueType.U32, size * WORDS);
        Register before = body.registers("before", ValueType.U32, size * WORDS);
        if (method == Method.LOADS_AND_STORES) {
            eachChunk(body, (in, k, at) -> {
                in.load(held, k.times(WORDS), WORDS, SOURCE.at(at));
                in.load(before, k.times(WORDS), WORDS, RESULT.at(at));
            });
            eachChunk(body, (in, k, at) -> in.store(RESULT.at(at),
                    IntStream.range(0, WORDS).mapToObj(w -> held.at(k.times(WORDS).plus(w))
                            .plus(before.at(k.times(WORDS).plus(w)))).toList()));
            return;
        }
        // A word for each thread, so that a warp's updates are of neighbouring words.
        Expr first = body.purpose("the thread's first byte")
                .let("first", Builtin.BLOCK.toS64().times(THREADS * size * WORDS)
                .plus(Builtin.THREAD.toS64()).times(Integer.BYTES));
        for (boolean update : new boolean[] {false, true}) {
            body.unrolled("k", size * WORDS, (b, k) -> {
                Expr at = first.plus(k.times(THREADS * Integer.BYTES).toS64());
                b.purpose("what lies in the array").when(at.lessThan(BYTES.value()), in -> {
                    if (update) {
                        in.atomic(AtomicOp.ADD, RESULT.at(at), held.at(k));
                    } else {
                        in.load(held, k, 1, SOURCE.at(at));
                    }
                });
            });
        }
    }

    private interface ChunkCode {
        void write(Body body, Expr k, Expr at);
    }

    private void eachChunk(Body body, ChunkCode code) {
        Expr first = body.purpose("the thread's first byte").let("first", Builtin.BLOCK.toS64().times(THREADS * size)
                .plus(Builtin.THREAD.toS64()).times(CHUNK));
        body.unrolled("k", size, (b, k) -> {
            Expr at = first.plus(k.times(THREADS * CHUNK).toS64());
            b.purpose("what lies in the array").when(at.lessThan(BYTES.value()), in -> code.write(in, k, at));
        });
    }
}
