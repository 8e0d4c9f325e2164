package dev.tilewright.verify;

import dev.tilewright.program.Address;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Input;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TensorLoadStep;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.reference.Reference;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The smallest tile programs that do what a recording's row did, run by the reference executor. */
final class ReplayPrograms {
    private static final Expr START = Expr.of(0);
    private static final Expr GLOBAL_START = Expr.of(0L);

    private ReplayPrograms() {
    }

    /** Loads one box into fresh shared memory and copies the shared memory out. @param expected bytes to wait for */
    static byte[] load(TensorMap map, MemorySegment tensor, int[] coordinates, int[] offsets, int sharedBytes,
            int expected) {
        Parameter.TensorMap mapParameter = new Parameter.TensorMap("map", map.rank());
        Parameter.Pointer out = new Parameter.Pointer("out", true);
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", sharedBytes, 1024);
        SharedRegion.Barriers full = new SharedRegion.Barriers("full", 1);
        TileProgram program = new TileProgram("replay_load", "loads one box", 1, List.of(mapParameter, out),
                new SharedLayout(List.of(box, full)), Body.steps(body -> {
                    body.purpose("one arrival and the box's bytes").barrierInit(full.at(START), 1);
                    body.purpose("let the copy see the barrier").barrierInitFence();
                    body.purpose("announce the bytes").arriveExpectTx(full.at(START), Expr.of(expected));
                    TensorLoadStep load = body.purpose("load the box")
                            .tensorLoad(box.at(START), mapParameter, constants(coordinates), full.at(START));
                    if (!(map instanceof TiledTensorMap)) {
                        load.im2col(constants(offsets));
                    }
                    body.purpose("the box has landed").waitParity(full.at(START), Expr.of(0));
                    copyOut(body, out, box);
                }));
        byte[] result = new byte[sharedBytes];
        Reference.run(
                Launch.of(program, 1, Map.of(mapParameter, new Argument.Tensor(map, 0), out, new Argument.Buffer(1))),
                List.of(tensor, MemorySegment.ofArray(result)));
        return result;
    }

    /** Brings these bytes into shared memory and stores one box from their start, or reduces it. */
    static void store(TiledTensorMap map, MemorySegment tensor, int[] coordinates, Optional<AtomicOp> op,
            byte[] shared) {
        Parameter.TensorMap mapParameter = new Parameter.TensorMap("map", map.rank());
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", shared.length, 1024);
        fromShared(mapParameter, new Argument.Tensor(map, 0), tensor, box, shared, body -> {
            if (op.isEmpty()) {
                body.purpose("store the box").tensorStore(mapParameter, constants(coordinates), box.at(START));
                return;
            }
            List<Input> inputs = new ArrayList<>(List.of(new Input.Map(mapParameter)));
            constants(coordinates).forEach(c -> inputs.add(new Input.Number(c)));
            inputs.add(new Input.Place(box.at(START)));
            body.purpose("reduce the box").add(new Operation.Issue(new TensorReduce(map.rank(), op.get()), inputs,
                    List.of()));
        });
    }

    /** Brings these bytes into shared memory and reduces them into memory of the same size. */
    static void reduce(AtomicOp op, DataType type, MemorySegment memory, byte[] shared) {
        Parameter.Pointer into = new Parameter.Pointer("into", true);
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", shared.length, 1024);
        fromShared(into, new Argument.Buffer(0), memory, box, shared, body -> body.purpose("reduce")
                .add(new Operation.Issue(
                new BulkReduce(op, type),
                        List.of(new Input.Place(new Address.Global(into, GLOBAL_START)),
                new Input.Place(box.at(START)), new Input.Number(Expr.of(shared.length))), List.of())));
    }

    private static void fromShared(Parameter destination, Argument bound, MemorySegment memory, SharedRegion.Buffer box,
            byte[] shared, Consumer<Body> copy) {
        Parameter.Pointer in = new Parameter.Pointer("content", false);
        SharedRegion.Barriers full = new SharedRegion.Barriers("full", 1);
        TileProgram program = new TileProgram("replay_store", "stores one box", 1, List.of(destination, in),
                new SharedLayout(List.of(box, full)), Body.steps(body -> {
                    body.purpose("one arrival and the bytes").barrierInit(full.at(START), 1);
                    body.purpose("let the copy see the barrier").barrierInitFence();
                    body.purpose("announce the bytes").arriveExpectTx(full.at(START), Expr.of(shared.length));
                    body.purpose("fetch what shared memory held")
                            .bulkLoad(box.at(START), new Address.Global(in, GLOBAL_START),
                            Expr.of(shared.length), full.at(START));
                    body.purpose("it has landed").waitParity(full.at(START), Expr.of(0));
                    copy.accept(body);
                    body.purpose("close the group").bulkCommit();
                    body.purpose("the box is written").bulkWait(0);
                }));
        Reference.run(Launch.of(program, 1, Map.of(destination, bound, in, new Argument.Buffer(1))),
                List.of(memory, MemorySegment.ofArray(shared)));
    }

    private static void copyOut(Body body, Parameter.Pointer out, SharedRegion.Buffer box) {
        body.purpose("copy shared memory out")
                .bulkStore(new Address.Global(out, GLOBAL_START), box.at(START), Expr.of(box.bytes()));
        body.purpose("close the group").bulkCommit();
        body.purpose("it is written").bulkWait(0);
    }

    private static List<Expr> constants(int[] coordinates) {
        return IntStream.of(coordinates).mapToObj(Expr::of).toList();
    }
}
