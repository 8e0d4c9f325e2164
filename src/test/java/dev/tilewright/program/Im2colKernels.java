package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.StoreMode;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Kernels of one block that move the pixels of one im2col box. */
public final class Im2colKernels {
    private static final int THREADS = 64;
    private static final int CHUNK = 16;
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Address.Barrier LANDED = FULL.at(0);

    private Im2colKernels() {
    }

    /** Loads pixels and shows what shared memory then holds, which was 0x11 bytes. Parameters: the map, the result. */
    public static TileProgram load(int rank, int[] coordinates, int[] offsets, int boxBytes, int sharedBytes) {
        Parameter.TensorMap map = new Parameter.TensorMap("map", rank);
        Parameter.Pointer result = new Parameter.Pointer("result", true);
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", sharedBytes, 1024);
        return new TileProgram("im2col_load", "loads pixels", THREADS, List.of(map, result),
                new SharedLayout(List.of(box, FULL)), Body.steps(body -> {
                    each(body, "what the load does not touch is known", "fill_at", sharedBytes, (one, at) -> {
                        Fragment old = one.purpose("known bytes")
                                .load("old", ElementType.U32, 4, new Address.Global(result, at.toS64()));
                        one.purpose("into shared memory").store(box.at(at), old);
                    });
                    body.purpose("one thread sets up").when(Builtin.THREAD.isEqualTo(0), one -> {
                        one.purpose("one arrival").barrierInit(LANDED, 1);
                        one.purpose("known to the copy engine").barrierInitFence();
                    });
                    body.purpose("and so are the bytes").proxyFence(FenceProxyAsync.Memory.SHARED);
                    body.purpose("all is there").syncThreads();
                    body.purpose("one thread loads").when(Builtin.THREAD.isEqualTo(0), one -> {
                        one.purpose("announce").arriveExpectTx(LANDED, boxBytes);
                        List<Input> inputs =
                                new ArrayList<>(List.of(new Input.Place(box.at(0)), new Input.Map(map)));
                        numbers(coordinates).forEach(inputs::add);
                        inputs.add(new Input.Place(LANDED));
                        numbers(offsets).forEach(inputs::add);
                        one.purpose("load")
                                .add(new Operation.Issue(new TensorLoad(rank).withMode(LoadMode.IM2COL), inputs,
                                List.of()));
                    });
                    body.purpose("landed").waitParity(LANDED, 0);
                    each(body, "show it", "show_at", sharedBytes, (one, at) -> {
                        Fragment data = one.purpose("read").load("shown", ElementType.U32, 4, box.at(at));
                        one.purpose("write").store(new Address.Global(result, at.toS64()), data);
                    });
                }));
    }

    /** Stores pixels, or reduces them. Parameters: the map, what shared memory holds. */
    public static TileProgram store(int rank, int[] coordinates, Optional<AtomicOp> op, int sharedBytes) {
        Parameter.TensorMap map = new Parameter.TensorMap("map", rank);
        Parameter.Pointer content = new Parameter.Pointer("content", false);
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", sharedBytes, 1024);
        return new TileProgram("im2col_store", "stores pixels", THREADS, List.of(map, content),
                new SharedLayout(List.of(box)), Body.steps(body -> {
                    each(body, "bring the pixels", "fill_at", sharedBytes, (one, at) -> {
                        Fragment data = one.purpose("read")
                                .load("data", ElementType.U32, 4, new Address.Global(content, at.toS64()));
                        one.purpose("write").store(box.at(at), data);
                    });
                    body.purpose("the copy engine sees them").proxyFence(FenceProxyAsync.Memory.SHARED);
                    body.purpose("all are there").syncThreads();
                    body.purpose("one thread stores").when(Builtin.THREAD.isEqualTo(0), one -> {
                        List<Input> inputs = new ArrayList<>(List.of(new Input.Map(map)));
                        numbers(coordinates).forEach(inputs::add);
                        inputs.add(new Input.Place(box.at(0)));
                        one.purpose("store").add(new Operation.Issue(op.isPresent()
                                ? new TensorReduce(rank, op.get()).withMode(StoreMode.IM2COL_NO_OFFS)
                                : new TensorStore(rank).withMode(StoreMode.IM2COL_NO_OFFS), inputs, List.of()));
                        one.purpose("one group").bulkCommit();
                        one.purpose("it is written").bulkWait(0);
                    });
                }));
    }

    private static void each(Body body, String purpose, String name, int bytes, Body.LoopBody code) {
        body.purpose(purpose).loop(name, Builtin.THREAD.times(CHUNK), bytes, CHUNK * THREADS, code);
    }

    private static List<Input> numbers(int[] values) {
        return IntStream.of(values).<Input>mapToObj(v -> new Input.Number(Expr.of(v))).toList();
    }
}
