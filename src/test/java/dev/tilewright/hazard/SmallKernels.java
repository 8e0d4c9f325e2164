package dev.tilewright.hazard;

import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What kernels with one mistake are made of: memory, steps that many of them have, and the check. */
final class SmallKernels {
    static final int THREADS = 64;
    private static final int BYTES = 8192;
    static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    static final Parameter.Pointer FLAGS = new Parameter.Pointer("flags", true);
    /** 32 by 64 floats in boxes of 32 by 4, rows of 128 bytes, swizzled. */
    static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 2);
    static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", 4096, 1024);
    static final SharedRegion.Buffer MAPS = new SharedRegion.Buffer("maps", 128, 128);
    private static final SharedRegion.Barriers BARRIERS = new SharedRegion.Barriers("ready", 2);
    static final Expr T = Builtin.THREAD;
    static final Address.Barrier READY = BARRIERS.at(0);
    static final Address.Barrier SPARE = BARRIERS.at(1);

    private SmallKernels() {
    }

    static TileProgram program(int cluster, Consumer<Body> code) {
        return new TileProgram("small", "one mistake", THREADS, cluster, List.of(SOURCE, RESULT, FLAGS, MAP),
                new SharedLayout(List.of(BUFFER, MAPS, BARRIERS)), Body.steps(code));
    }

    /** Checks a kernel. @param cluster how many blocks a cluster has */
    static HazardReport check(int blocks, int cluster, Consumer<Body> code) {
        TiledTensorMap map = TiledTensorMap.outermostFirst(TensorDataType.FLOAT32).shape(64, 32).box(4, 32)
                .swizzle(Swizzle.B128).build(Target.SM_90);
        Launch launch = Launch.of(program(cluster, code), blocks, Map.of(SOURCE, new Argument.Buffer(0), RESULT,
                new Argument.Buffer(1), FLAGS, new Argument.Buffer(2), MAP, new Argument.Tensor(map, 0)));
        try (Arena arena = Arena.ofConfined()) {
            List<MemorySegment> memory = Stream.generate(() -> arena.allocate(BYTES, 256)).limit(3).toList();
            return HazardCheck.check(launch, memory);
        }
    }

    /** Checks a kernel that runs in one block. */
    static HazardReport one(Consumer<Body> code) {
        return check(1, 1, code);
    }

    // ---- parts

    static void setUp(Body body, int arrivals) {
        body.purpose("set up").when(T.isEqualTo(0), one -> {
            one.purpose("for " + arrivals + (arrivals == 1 ? " arrival" : " arrivals")).barrierInit(READY, arrivals);
            one.purpose("known to the copy engine").barrierInitFence();
        });
        body.purpose("set up").syncThreads();
    }

    static void load(Body body, int at, int bytes, int announced) {
        body.purpose("one thread loads").when(T.isEqualTo(0), one -> {
            one.purpose("announce").arriveExpectTx(READY, announced);
            copy(one, at, bytes);
        });
    }

    static void copy(Body body, int at, int bytes) {
        body.purpose("load " + bytes + " bytes to " + at)
                .bulkLoad(BUFFER.at(at), from(Expr.of(at)), bytes, READY);
    }

    static void store(Body body) {
        store(body, 0);
    }

    static void store(Body body, long to) {
        body.purpose("store")
                .bulkStore(new Address.Global(RESULT, to), BUFFER.at(0), 4 * THREADS);
        body.purpose("a group").bulkCommit();
    }

    static void fill(Body body) {
        Fragment word = body.purpose("a word").load("filled", ElementType.U32, 1, from(T.times(4)));
        body.purpose("fill").store(BUFFER.at(T.times(4)), word);
    }

    /** One thread fills the first word. */
    static void fillFirst(Body body) {
        Fragment word = body.purpose("a word").load("filled", ElementType.U32, 1, from(Expr.of(0)));
        body.purpose("fill").store(BUFFER.at(0), word);
    }

    /** Fills the buffer, and makes it known to all threads and the copy engine. */
    static void fillForEngine(Body body) {
        fill(body);
        body.purpose("the copy engine sees it").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose("all have filled").syncThreads();
    }

    /** Each thread copies a word, in a group of its own. */
    static void cpAsync(Body body, int at) {
        body.purpose("copy to " + at).cpAsync(BUFFER.at(T.times(4).plus(at)), from(T.times(4)), 4);
        body.purpose("a group").cpAsyncCommit();
    }

    static void show(Body body, Expr at) {
        Fragment word = body.purpose("read it").load("shown", ElementType.U32, 1, BUFFER.at(at));
        body.purpose("show it").store(new Address.Global(RESULT, T.times(4).toS64()), word);
    }

    static Address.Global from(Expr offset) {
        return new Address.Global(SOURCE, offset.toS64());
    }
}
