package dev.tilewright.verify;

import dev.tilewright.program.Address;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Input;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.ReduceOp;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.reference.Binding;
import dev.tilewright.reference.ReduceType;
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
    static byte[] load(TensorMap map, MemorySegment tensor, int[] coordinates, int[] offsets, int sharedBytes, int expected) {
        Parameter.TensorMap mapParameter = new Parameter.TensorMap("map", map.rank());
        Parameter.Pointer out = new Parameter.Pointer("out", true);
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", sharedBytes, 1024);
        SharedRegion.Barriers full = new SharedRegion.Barriers("full", 1);
        TileProgram program = new TileProgram("replay_load", "loads one box", 1, List.of(mapParameter, out),
                new SharedLayout(List.of(box, full)), Body.steps(body -> {
                    body.barrierInit("one arrival and the box's bytes", full.at(START), 1);
                    body.barrierInitFence("let the copy see the barrier");
                    body.arriveExpectTx("announce the bytes", full.at(START), Expr.of(expected));
                    if (map instanceof TiledTensorMap) {
                        body.tensorLoad("load the box", box.at(START), mapParameter, constants(coordinates), full.at(START));
                    } else {
                        body.add("load the pixels", im2colLoad(mapParameter, box, coordinates, full, offsets));
                    }
                    body.waitParity("the box has landed", full.at(START), Expr.of(0));
                    copyOut(body, out, box);
                }));
        byte[] result = new byte[sharedBytes];
        Reference.run(program, 1, Map.of(mapParameter, new Binding.BoundTensorMap(map, tensor),
                out, new Binding.Memory(MemorySegment.ofArray(result))));
        return result;
    }

    private static Operation im2colLoad(Parameter.TensorMap map, SharedRegion.Buffer box, int[] coordinates,
            SharedRegion.Barriers full, int[] offsets) {
        List<Input> inputs = new ArrayList<>(List.of(new Input.Place(box.at(START)), new Input.Map(map)));
        constants(coordinates).forEach(c -> inputs.add(new Input.Number(c)));
        inputs.add(new Input.Place(full.at(START)));
        constants(offsets).forEach(o -> inputs.add(new Input.Number(o)));
        return new Operation.Perform(new TensorLoad(map.rank()).withMode(LoadMode.IM2COL), inputs, List.of());
    }

    /** Brings these bytes into shared memory and stores one box from their start, or reduces it. */
    static void store(TiledTensorMap map, MemorySegment tensor, int[] coordinates, Optional<ReduceOp> op, byte[] shared) {
        Parameter.TensorMap mapParameter = new Parameter.TensorMap("map", map.rank());
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", shared.length, 1024);
        fromShared(mapParameter, new Binding.BoundTensorMap(map, tensor), box, shared, body -> {
            if (op.isEmpty()) {
                body.tensorStore("store the box", mapParameter, constants(coordinates), box.at(START));
                return;
            }
            List<Input> inputs = new ArrayList<>(List.of(new Input.Map(mapParameter)));
            constants(coordinates).forEach(c -> inputs.add(new Input.Number(c)));
            inputs.add(new Input.Place(box.at(START)));
            body.add("reduce the box", new Operation.Perform(new TensorReduce(map.rank(), op.get()), inputs,
                    List.of()));
        });
    }

    /** Brings these bytes into shared memory and reduces them into memory of as many bytes. */
    static void reduce(ReduceOp op, ReduceType type, MemorySegment memory, byte[] shared) {
        Parameter.Pointer into = new Parameter.Pointer("into", true);
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", shared.length, 1024);
        fromShared(into, new Binding.Memory(memory), box, shared, body -> body.add("reduce", new Operation.Perform(
                new BulkReduce(op, DataType.valueOf(type.name())),
                        List.of(new Input.Place(new Address.Global(into, GLOBAL_START)),
                new Input.Place(box.at(START)), new Input.Number(Expr.of(shared.length))), List.of())));
    }

    private static void fromShared(Parameter destination, Binding bound, SharedRegion.Buffer box, byte[] shared, Consumer<Body> copy) {
        Parameter.Pointer in = new Parameter.Pointer("content", false);
        SharedRegion.Barriers full = new SharedRegion.Barriers("full", 1);
        TileProgram program = new TileProgram("replay_store", "stores one box", 1, List.of(destination, in),
                new SharedLayout(List.of(box, full)), Body.steps(body -> {
                    body.barrierInit("one arrival and the bytes", full.at(START), 1);
                    body.barrierInitFence("let the copy see the barrier");
                    body.arriveExpectTx("announce the bytes", full.at(START), Expr.of(shared.length));
                    body.bulkLoad("fetch what shared memory held", box.at(START), new Address.Global(in, GLOBAL_START),
                            Expr.of(shared.length), full.at(START));
                    body.waitParity("it has landed", full.at(START), Expr.of(0));
                    copy.accept(body);
                    body.bulkCommit("close the group");
                    body.bulkWait("the box is written", 0);
                }));
        Reference.run(program, 1, Map.of(destination, bound, in, new Binding.Memory(MemorySegment.ofArray(shared))));
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
