package dev.tilewright.hazard;

import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/** What kernels are made of whose threads and blocks tell each other of their work, and the check of them. */
final class OrderKernels {
    static final int THREADS = 64;
    private static final int BYTES = 16384;
    static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    static final Parameter.Pointer WORK = new Parameter.Pointer("work", true);
    static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    static final Parameter.Pointer FLAGS = new Parameter.Pointer("flags", true);
    /** 32 by 64 words in boxes of 32 by 4 on the source, and on the result. */
    static final Parameter.TensorMap FROM = new Parameter.TensorMap("from", 2);
    static final Parameter.TensorMap TO = new Parameter.TensorMap("to", 2);
    static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 4096, 1024);
    static final SharedRegion.Buffer NOTES = new SharedRegion.Buffer("notes", 256, 16);
    static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 4);
    static final SharedRegion.Barriers EMPTY = new SharedRegion.Barriers("empty", 4);
    static final Expr T = Builtin.THREAD;
    static final Expr BLOCK = Builtin.BLOCK;
    static final Expr RANK = Builtin.CLUSTER_RANK;

    private OrderKernels() {
    }

    /** Checks a kernel in the fixed order. */
    static HazardReport check(int blocks, int cluster, Consumer<Body> code) {
        return check(blocks, cluster, HazardOptions.DEFAULT, code);
    }

    /** Checks a kernel in the fixed order and in some others. */
    static HazardReport inManyOrders(int blocks, int cluster, Consumer<Body> code) {
        return check(blocks, cluster, HazardOptions.DEFAULT.withSeeds(1L, 2L, 3L, 4L), code);
    }

    private static HazardReport check(int blocks, int cluster, HazardOptions options, Consumer<Body> code) {
        TileProgram program = new TileProgram("order", "threads that tell each other", THREADS, cluster,
                List.of(SOURCE, WORK, RESULT, FLAGS, FROM, TO),
                new SharedLayout(List.of(TILE, NOTES, FULL, EMPTY)), Body.steps(code));
        TiledTensorMap map = TiledTensorMap.outermostFirst(TensorDataType.UINT32).shape(64, 32).box(4, 32)
                .build(Target.SM_90);
        Launch launch = Launch.of(program, blocks, Map.of(SOURCE, new Argument.Buffer(0), WORK, new Argument.Buffer(1),
                RESULT, new Argument.Buffer(2), FLAGS, new Argument.Buffer(3), FROM, new Argument.Tensor(map, 0),
                TO, new Argument.Tensor(map, 2)));
        try (Arena arena = Arena.ofConfined()) {
            long bytes = Math.max(BYTES, 16L * blocks * THREADS);
            List<MemorySegment> memory = Stream.generate(() -> arena.allocate(bytes, 256)).limit(4).toList();
            return HazardCheck.check(launch, memory, options);
        }
    }

    // ---- places

    static Address.Global at(Parameter.Pointer pointer, Expr word) {
        return new Address.Global(pointer, word.times(4).toS64());
    }

    static Address.Global flag(int n) {
        return at(FLAGS, Expr.of(n));
    }

    static Address.Shared note(int n) {
        return NOTES.at(4 * n);
    }

    /** A word of the block's part of a piece of memory, by thread. */
    static Address.Global mine(Parameter.Pointer pointer) {
        return at(pointer, BLOCK.times(THREADS).plus(T));
    }

    // ---- parts

    static void one(Body body, Consumer<Body> code) {
        body.purpose("one thread").when(T.isEqualTo(0), code);
    }

    static void thread(Body body, int n, Consumer<Body> code) {
        body.purpose("thread " + n).when(T.isEqualTo(n), code);
    }

    static void block(Body body, int n, Consumer<Body> code) {
        body.purpose("block " + n).when(BLOCK.isEqualTo(n), code);
    }

    static void sync(Body body, String purpose) {
        body.purpose(purpose).syncThreads();
    }

    static void move(Body body, String purpose, Address from, Address to) {
        Fragment word = body.purpose("load for: " + purpose).load("word", ElementType.U32, 1, from);
        body.purpose(purpose).store(to, word);
    }

    /** An ordinary load whose value is stored to the result. */
    static void read(Body body, String purpose, Address from, Address to) {
        Fragment word = body.purpose(purpose).load("word", ElementType.U32, 1, from);
        body.purpose("show: " + purpose).store(to, word);
    }

    static void set(Body body, String purpose, St form, Address to, Expr value) {
        body.purpose(purpose).issue(form, Input.of(to), Input.of(value));
    }

    static Expr.Var poll(Body body, String purpose, Ld form, Address from, Function<Expr.Var, Expr> condition) {
        return body.purpose(purpose).waitUntil("polled", ValueType.valueOf(form.type().name()), from, condition)
                .order(form.order()).scope(form.scope()).value();
    }

    static void arrive(Body body, String purpose, Address.Barrier barrier) {
        body.purpose(purpose).issue(new MbarrierArrive().withResult(ArriveResult.SINK), Input.of(barrier));
    }

    /** Arrives at the barrier of another block. */
    static void arriveThere(Body body, String purpose, Address.Barrier barrier, Expr rank, ArriveOrder order) {
        Expr there = body.purpose("the barrier there").issue("there", Mapa.ofShared(), Input.of(barrier),
                Input.of(rank));
        body.purpose(purpose).issue(new MbarrierArrive().withOrder(order).withSpace(Space.SHARED_CLUSTER),
                Input.of(there));
    }

    /** One thread initialises barriers, and all meet. */
    static void setUp(Body body, int full, int empty, boolean cluster) {
        one(body, b -> {
            for (int i = 0; i < 4; i++) {
                b.purpose("full").barrierInit(FULL.at(i), full);
                b.purpose("empty").barrierInit(EMPTY.at(i), empty);
            }
            b.purpose("known to the copy engine").barrierInitFence();
        });
        if (cluster) {
            body.purpose("set up").clusterSync();
        } else {
            sync(body, "set up");
        }
    }

    // ---- forms

    static St stRelaxed(Scope scope) {
        return St.relaxed(scope, Space.GLOBAL, DataType.U32);
    }

    static St stRelease(Scope scope) {
        return St.release(scope, Space.GLOBAL, DataType.U32);
    }

    static Ld ldRelaxed(Scope scope) {
        return Ld.relaxed(scope, Space.GLOBAL, DataType.U32);
    }

    static Ld ldAcquire(Scope scope) {
        return Ld.acquire(scope, Space.GLOBAL, DataType.U32);
    }

    static Atom add(Atom.Order order, Scope scope) {
        return new Atom(order, scope, Space.GLOBAL, AtomicOp.ADD, DataType.U32);
    }

    static Red red(Red.Order order, Scope scope) {
        return new Red(order, scope, Space.GLOBAL, AtomicOp.ADD, DataType.U32);
    }
}
