package dev.tilewright.verify;

import dev.tilewright.program.Address;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.Binding;
import dev.tilewright.reference.Reference;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The smallest tile programs that do what a recording's row did, run by the reference executor. */
final class ReplayPrograms {
    private static final Expr START = Expr.of(0);
    private static final Expr GLOBAL_START = Expr.of(0L);

    private ReplayPrograms() {
    }

    /** Loads one box into fresh shared memory and copies the shared memory out. @param expected bytes to wait for */
    static byte[] load(TiledTensorMap map, MemorySegment tensor, int[] coordinates, int sharedBytes, int expected) {
        Parameter.TensorMap mapParameter = new Parameter.TensorMap("map", map.rank());
        Parameter.Pointer out = new Parameter.Pointer("out", true);
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", sharedBytes, 1024);
        SharedRegion.Barriers full = new SharedRegion.Barriers("full", 1);
        TileProgram program = new TileProgram("replay_load", "loads one box", 1, List.of(mapParameter, out),
                new SharedLayout(List.of(box, full)), Body.steps(body -> {
                    body.barrierInit("one arrival and the box's bytes", full.at(START), 1);
                    body.barrierInitFence("let the copy see the barrier");
                    body.arriveExpectTx("announce the bytes", full.at(START), Expr.of(expected));
                    body.tensorLoad("load the box", box.at(START), mapParameter, constants(coordinates), full.at(START));
                    body.waitParity("the box has landed", full.at(START), Expr.of(0));
                    copyOut(body, out, box);
                }));
        byte[] result = new byte[sharedBytes];
        Reference.run(program, 1, Map.of(mapParameter, new Binding.BoundTensorMap(map, tensor),
                out, new Binding.Memory(MemorySegment.ofArray(result))));
        return result;
    }

    /** Brings these bytes into shared memory and stores one box from their start. */
    static void store(TiledTensorMap map, MemorySegment tensor, int[] coordinates, byte[] shared) {
        Parameter.TensorMap mapParameter = new Parameter.TensorMap("map", map.rank());
        Parameter.Pointer in = new Parameter.Pointer("content", false);
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", shared.length, 1024);
        SharedRegion.Barriers full = new SharedRegion.Barriers("full", 1);
        TileProgram program = new TileProgram("replay_store", "stores one box", 1, List.of(mapParameter, in),
                new SharedLayout(List.of(box, full)), Body.steps(body -> {
                    body.barrierInit("one arrival and the bytes", full.at(START), 1);
                    body.barrierInitFence("let the copy see the barrier");
                    body.arriveExpectTx("announce the bytes", full.at(START), Expr.of(shared.length));
                    body.bulkLoad("fetch what shared memory held", box.at(START), new Address.Global(in, GLOBAL_START),
                            Expr.of(shared.length), full.at(START));
                    body.waitParity("it has landed", full.at(START), Expr.of(0));
                    body.tensorStore("store the box", mapParameter, constants(coordinates), box.at(START));
                    body.bulkCommit("close the group");
                    body.bulkWait("the box is written", 0);
                }));
        Reference.run(program, 1, Map.of(mapParameter, new Binding.BoundTensorMap(map, tensor),
                in, new Binding.Memory(MemorySegment.ofArray(shared))));
    }

    private static void copyOut(Body body, Parameter.Pointer out, SharedRegion.Buffer box) {
        body.bulkStore("copy shared memory out", new Address.Global(out, GLOBAL_START), box.at(START), Expr.of(box.bytes()));
        body.bulkCommit("close the group");
        body.bulkWait("it is written", 0);
    }

    private static List<Expr> constants(int[] coordinates) {
        return IntStream.of(coordinates).mapToObj(Expr::of).toList();
    }
}
