package dev.tilewright.reference;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Token;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.reference.compile.Binding;
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
        Execution.run(program, grid, Map.of(SOURCE, new Binding.Memory(MemorySegment.ofArray(source)),
                RESULT, new Binding.Memory(MemorySegment.ofArray(result)),
                BYTES, new Binding.Integer(source.length), SCALAR, new Binding.Scalar(ADDED)), ReferenceOptions.DEFAULT,
                null);
        return result;
    }

    private TileProgram program() {
        int arrivals = wait == Wait.TOKEN ? 1 + THREADS : 1;
        return new TileProgram("add_ring", "a ring", THREADS, List.of(SOURCE, RESULT, BYTES, SCALAR),
                new SharedLayout(List.of(ring, full)), Body.steps(body -> {
                    body.purpose("thread 0 sets up").when(Builtin.THREAD.isEqualTo(0), one -> {
                        one.purpose("each barrier").loop("b", 0, stages, 1,
                                (each, b) -> each.purpose("init").barrierInit(full.at(b), arrivals));
                        one.purpose("show the barriers").barrierInitFence();
                    });
                    body.purpose("barriers are there").syncThreads();
                    Expr tiles = body.purpose("tiles").let("tiles", BYTES.value().plus(TILE - 1).dividedBy(TILE));
                    body.purpose("thread 0 fills")
                            .when(Builtin.THREAD.isEqualTo(0), one -> one.purpose("fill").loop("first",
                            0, stages, 1, (each, first) -> {
                                Expr tile = each.purpose("tile")
                                        .let("first_tile", Builtin.BLOCK.plus(first.times(Builtin.GRID)));
                                load(each, "first_", tile, tiles, first);
                            }));
                    body.purpose("tiles")
                            .loop("tile", Builtin.BLOCK, tiles, Builtin.GRID, (each, tile) -> turn(each, tile, tiles));
                }));
    }

    private Expr size(Expr tile) {
        return BYTES.value().minus(tile.times(TILE)).min(TILE);
    }

    private void load(Body body, String prefix, Expr tile, Expr tiles, Expr stage) {
        body.purpose("the tile exists").when(tile.lessThan(tiles), more -> {
            more.purpose("expect " + prefix).expectTx(full.at(stage), size(tile));
            more.purpose("arrive " + prefix).arrive(full.at(stage));
            more.purpose("load " + prefix).bulkLoad(ring.at(stage.times(TILE)),
                    new Address.Global(SOURCE, tile.toS64().times(TILE)), size(tile), full.at(stage));
        });
    }

    private void turn(Body body, Expr tile, Expr tiles) {
        Expr turn = body.purpose("turn").let("turn", tile.dividedBy(Builtin.GRID));
        Expr stage = body.purpose("stage").let("stage", turn.modulo(stages));
        if (wait == Wait.PARITY) {
            body.purpose("wait for the tile").waitParity(full.at(stage), turn.dividedBy(stages).modulo(2));
        } else {
            Token token = body.purpose("arrive for the tile").arrive(full.at(stage)).token("token");
            body.purpose("wait for the tile").waitToken(full.at(stage), token);
        }
        body.purpose("chunks").loop("at", Builtin.THREAD.times(16), size(tile), 16 * THREADS, (each, at) -> {
            Register r = each.purpose("read").registers("r", ValueType.U32, 4);
            each.load(r, ring.at(stage.times(TILE).plus(at)));
            each.purpose("write").store(ring.at(stage.times(TILE).plus(at)), r.at(0).plus(SCALAR.value()),
                    r.at(1).plus(SCALAR.value()), r.at(2).plus(SCALAR.value()), r.at(3).plus(SCALAR.value()));
        });
        body.purpose("show the bytes").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose("all have written").syncThreads();
        body.purpose("thread 0 stores").when(Builtin.THREAD.isEqualTo(0), one -> {
            one.purpose("store")
                    .bulkStore(new Address.Global(RESULT, tile.toS64().times(TILE)), ring.at(stage.times(TILE)),
                    size(tile));
            one.purpose("commit").bulkCommit();
            one.purpose("wait until it is read").bulkWaitRead(0);
            Expr next = one.purpose("next tile").let("next", tile.plus(Builtin.GRID.times(stages)));
            load(one, "next_", next, tiles, stage);
        });
    }
}
