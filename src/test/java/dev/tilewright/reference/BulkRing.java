package dev.tilewright.reference;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Address;
import dev.tilewright.program.Body;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.Fragment;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Token;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/**
 * A bulk copy through a ring of stages, written by hand for tests: thread 0 loads and stores tiles of 256 bytes by bulk
 * copy, all threads add a number to every 32-bit element in between.
 */
final class BulkRing {
    static final int TILE = 256;
    static final int THREADS = 16;
    static final int ADDED = 0x01010101;
    static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    static final Parameter.Int BYTES = new Parameter.Int("bytes", IntType.S32);
    static final Parameter.Scalar SCALAR = new Parameter.Scalar("scalar", ElementType.U32);

    /** How threads wait for a tile. */
    enum Wait { PARITY, TOKEN }

    private final int stages;
    private final Wait wait;
    private final SharedRegion.Buffer ring;
    private final SharedRegion.Barriers full;

    private BulkRing(int stages, Wait wait) {
        this.stages = stages;
        this.wait = wait;
        this.ring = new SharedRegion.Buffer("ring", stages * TILE, 128);
        this.full = new SharedRegion.Barriers("full", stages);
    }

    static TileProgram program(int stages, Wait wait) {
        return new BulkRing(stages, wait).program();
    }

    /** The result for this source, a multiple of 16 bytes. */
    static byte[] run(TileProgram program, byte[] source, int grid) {
        byte[] result = new byte[source.length];
        Reference.run(program, grid, Map.of(SOURCE, new Binding.Memory(MemorySegment.ofArray(source)),
                RESULT, new Binding.Memory(MemorySegment.ofArray(result)),
                BYTES, new Binding.Integer(source.length), SCALAR, new Binding.Scalar(ADDED)));
        return result;
    }

    private TileProgram program() {
        int arrivals = wait == Wait.TOKEN ? 1 + THREADS : 1;
        return new TileProgram("add_ring", "a ring", THREADS, List.of(SOURCE, RESULT, BYTES, SCALAR),
                new SharedLayout(List.of(ring, full)), Body.steps(body -> {
                    body.when("thread 0 sets up", Builtin.THREAD.isEqualTo(0), one -> {
                        one.loop("each barrier", "b", Expr.of(0), Expr.of(stages), Expr.of(1),
                                (each, b) -> each.barrierInit("init", full.at(b), arrivals));
                        one.barrierInitFence("show the barriers");
                    });
                    body.syncThreads("barriers are there");
                    Expr tiles = body.let("tiles", "tiles", BYTES.value().plus(TILE - 1).dividedBy(TILE));
                    body.when("thread 0 fills", Builtin.THREAD.isEqualTo(0), one -> one.loop("fill", "first",
                            Expr.of(0), Expr.of(stages), Expr.of(1), (each, first) -> {
                                Expr tile = each.let("tile", "first_tile", Builtin.BLOCK.plus(first.times(Builtin.GRID)));
                                load(each, "first_", tile, tiles, first);
                            }));
                    body.loop("tiles", "tile", Builtin.BLOCK, tiles, Builtin.GRID, (each, tile) -> turn(each, tile, tiles));
                }));
    }

    private Expr size(Expr tile) {
        return BYTES.value().minus(tile.times(TILE)).min(TILE);
    }

    private void load(Body body, String prefix, Expr tile, Expr tiles, Expr stage) {
        body.when("the tile exists", tile.lessThan(tiles), more -> {
            more.expectTx("expect " + prefix, full.at(stage), size(tile));
            more.arrive("arrive " + prefix, full.at(stage));
            more.bulkLoad("load " + prefix, ring.at(stage.times(TILE)),
                    new Address.Global(SOURCE, tile.toS64().times(TILE)), size(tile), full.at(stage));
        });
    }

    private void turn(Body body, Expr tile, Expr tiles) {
        Expr turn = body.let("turn", "turn", tile.dividedBy(Builtin.GRID));
        Expr stage = body.let("stage", "stage", turn.modulo(stages));
        if (wait == Wait.PARITY) {
            body.waitParity("wait for the tile", full.at(stage), turn.dividedBy(stages).modulo(2));
        } else {
            Token token = body.arrive("arrive for the tile", full.at(stage), "token");
            body.waitToken("wait for the tile", full.at(stage), token);
        }
        body.loop("chunks", "at", Builtin.THREAD.times(16), size(tile), Expr.of(16 * THREADS), (each, at) -> {
            Fragment f = each.load("read", "f", ElementType.U32, 4, ring.at(stage.times(TILE).plus(at)));
            each.apply("add", f, ElementStep.ADD, SCALAR);
            each.store("write", ring.at(stage.times(TILE).plus(at)), f);
        });
        body.proxyFence("show the bytes", FenceProxyAsync.Memory.SHARED);
        body.syncThreads("all have written");
        body.when("thread 0 stores", Builtin.THREAD.isEqualTo(0), one -> {
            one.bulkStore("store", new Address.Global(RESULT, tile.toS64().times(TILE)), ring.at(stage.times(TILE)), size(tile));
            one.bulkCommit("commit");
            one.bulkWaitRead("wait until it is read", 0);
            Expr next = one.let("next tile", "next", tile.plus(Builtin.GRID.times(stages)));
            load(one, "next_", next, tiles, stage);
        });
    }
}
