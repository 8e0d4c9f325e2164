package dev.tilewright.bench.kernel;

import dev.tilewright.builder.pipeline.ClusterShare;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import java.util.List;
import java.util.Map;

/**
 * Copies an array to several, which lie one behind the other, by bulk copies: each block has a tile and stores it to an
 * array of its own. With multicast the blocks of a cluster load a part of their tile each, for all of them; else each
 * loads all of it, and all but the first find it in the L2.
 *
 * @param copies how many arrays, 1, 2, 4 or 8
 * @param tile bytes of a tile, a multiple of 128
 * @param multicast whether blocks load for each other
 */
public record Broadcast(int copies, int tile, boolean multicast) {
    private static final int THREADS = 32;

    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final Parameter.Int BYTES = new Parameter.Int("bytes", IntType.S64);
    private static final SharedRegion.Barriers LOADED = new SharedRegion.Barriers("loaded", 1);

    public Broadcast {
        if (copies != 1 && copies != 2 && copies != 4 && copies != 8) {
            throw new IllegalArgumentException("an array is copied to 1, 2, 4 or 8, got " + copies);
        }
        if (tile < 128 || tile % 128 != 0) {
            throw new IllegalArgumentException("a tile is a positive multiple of 128 bytes, got " + tile);
        }
        if (multicast && copies == 1) {
            throw new IllegalArgumentException("one block has no other to load for: choose 2, 4 or 8 copies");
        }
    }

    /** The kernel. Needs sm_90. */
    public TileProgram program() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("tile", tile, 128);
        return new TileProgram("broadcast", "an array to " + copies + (multicast ? ", loaded by multicast" : ""),
                Dim3.of(THREADS), multicast ? ClusterSize.of(Dim3.of(copies)) : ClusterSize.NONE,
                List.of(SOURCE, RESULT, BYTES), new SharedLayout(List.of(buffer, LOADED)),
                Body.steps(body -> write(body, buffer)));
    }

    /** A launch on buffers 0 (source) and 1 (all results). @param bytes of the source, a multiple of 16 */
    public Launch launch(long bytes) {
        if (bytes < 16 || bytes % 16 != 0) {
            throw new IllegalArgumentException("bulk copies move multiples of 16 bytes, got " + bytes);
        }
        return Launch.of(program(), Math.toIntExact(Math.ceilDiv(bytes, (long) tile) * copies),
                Map.of(SOURCE, new Argument.Buffer(0), RESULT, new Argument.Buffer(1), BYTES, new Argument.Int(bytes)));
    }

    private void write(Body body, SharedRegion.Buffer buffer) {
        Address.Barrier loaded = LOADED.at(0);
        Expr mine = body.purpose("which of the arrays").let("mine",
                multicast ? Builtin.CLUSTER_RANK : Builtin.BLOCK.modulo(copies));
        Expr at = body.purpose("the tile's first byte").let("at", Builtin.BLOCK.dividedBy(copies).toS64().times(tile));
        Expr size = body.purpose("the tile's bytes").let("size", BYTES.value().minus(at)
                .min(Expr.of((long) tile)).toS32());
        Expr one = Builtin.THREAD.isEqualTo(0);
        body.purpose("one thread says what comes").when(one, b -> {
            b.barrierInit(loaded, 1);
            b.barrierInitFence();
            b.arriveExpectTx(loaded, size);
        });
        if (multicast) {
            body.purpose("all blocks have their barriers").clusterSync();
            body.purpose("one thread loads this block's part, for all").when(one, b -> {
                int part = tile / copies;
                Expr begin = b.let("begin", mine.times(part));
                Expr bytes = b.let("bytes_of_part", size.minus(begin).min(part));
                b.purpose("unless the array ends before").when(bytes.greaterThan(0),
                        some -> some.bulkLoad(buffer.at(begin), new Address.Global(SOURCE, at.plus(begin.toS64())),
                        bytes, loaded)
                        .multicast(ClusterShare.all(copies).everyone()));
            });
        } else {
            body.purpose("one thread loads").when(one, b -> b.bulkLoad(buffer.at(0),
                    new Address.Global(SOURCE, at), size, loaded));
        }
        body.purpose("the same thread stores").when(one, b -> {
            b.purpose("the tile has come").waitParity(loaded, 0);
            b.bulkStore(new Address.Global(RESULT, mine.toS64().times(BYTES.value()).plus(at)), buffer.at(0),
                    size);
            b.bulkCommit();
            b.purpose("the block must not exit before it has been read").bulkWaitRead(0);
        });
    }
}
