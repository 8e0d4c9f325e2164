package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.MapEdit;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedArray;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cache.Prefetch;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.BulkClusterCopy;
import dev.tilewright.ptx.copy.BulkClusterReduce;
import dev.tilewright.ptx.copy.BulkPrefetch;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.CpAsyncWaitAll;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.copy.StoreMode;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorPrefetch;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** What used to take an instruction with positional inputs has a method of its own, which means the same. */
class BodyWordsTest {
    private static final Parameter.Pointer OUT = Parameter.Pointer.writing("out", ValueType.I32);
    private static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 4);
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 256, 128);
    private static final List<Expr> AT = List.of(Expr.of(0), Expr.of(1), Expr.of(2), Expr.of(3));
    private static final Expr POLICY = Expr.of(7L);
    private static final Address.Barrier FULL = new SharedRegion.Barriers("full", 1).at(0);

    private static List<Operation> operations(Consumer<Body> code) {
        return Body.steps(code).stream().map(Step::operation).toList();
    }

    private static void same(Consumer<Body> method, Consumer<Body> written) {
        assertEquals(operations(written), operations(method));
    }

    private static Input[] tensor(Input... more) {
        return Stream.concat(Stream.concat(Stream.of(Input.of(MAP)),
                AT.stream().map(Input::of)), Arrays.stream(more)).toArray(Input[]::new);
    }

    @Test
    void copiesAndPrefetchesAreTheirInstructions() {
        Input policy = Input.of(POLICY);
        same(Body::cpAsyncWaitAll, b -> b.issue(new CpAsyncWaitAll()));
        BulkReduce add = new BulkReduce(AtomicOp.ADD, DataType.F32);
        same(b -> b.bulkReduce(AtomicOp.ADD, DataType.F32, OUT.at(4), TILE.at(16), 64),
                b -> b.issue(add, Input.of(OUT.at(4)), Input.of(TILE.at(16)), Input.of(64)));
        same(b -> b.bulkReduce(AtomicOp.ADD, DataType.F32, OUT.at(4), TILE.at(16), 64).cacheHint(POLICY),
                b -> b.issue(add.withCacheHint(), Input.of(OUT.at(4)), Input.of(TILE.at(16)), Input.of(64), policy));
        same(b -> b.bulkPrefetch(OUT.at(4), 64).cacheHint(POLICY),
                b -> b.issue(new BulkPrefetch().withCacheHint(), Input.of(OUT.at(4)), Input.of(64), policy));
        TensorReduce max = new TensorReduce(4, AtomicOp.MAX);
        same(b -> b.tensorReduce(AtomicOp.MAX, MAP, AT, TILE.at(0)), b -> b.issue(max, tensor(Input.of(TILE.at(0)))));
        same(b -> b.tensorReduce(AtomicOp.MAX, MAP, AT, TILE.at(0)).im2col().cacheHint(POLICY),
                b -> b.issue(max.withMode(StoreMode.IM2COL_NO_OFFS).withCacheHint(),
                        tensor(Input.of(TILE.at(0)), policy)));
        same(b -> b.tensorPrefetch(MAP, AT).cacheHint(POLICY),
                b -> b.issue(new TensorPrefetch(4).withCacheHint(), tensor(policy)));
        same(b -> b.tensorPrefetch(MAP, AT).im2col(Expr.list(1, 2)),
                b -> b.issue(new TensorPrefetch(4).withMode(LoadMode.IM2COL), tensor(Input.of(1), Input.of(2))));
        same(b -> b.prefetch(OUT.at(1), Prefetch.Level.L2),
                b -> b.issue(new Prefetch(Prefetch.Level.L2).withPlace(Prefetch.Place.GLOBAL), Input.of(OUT.at(1))));
    }

    @Test
    void groupsOfProductsAreTheirInstructions() {
        same(Body::wgmmaFence, b -> b.issue(new WgmmaFence()));
        same(Body::wgmmaCommit, b -> b.issue(new WgmmaCommitGroup()));
        same(b -> b.wgmmaWait(2), b -> b.issue(new WgmmaWaitGroup(2)));
    }

    /** Elements of a register are an instruction's input from an index on that an unrolled loop gives. */
    @Test
    void fragmentsAreTakenByIndexExpressions() {
        same(b -> {
            Register r = b.registers("r", ValueType.F32, 8);
            b.unrolled("i", 2, (each, i) -> each.issue(mma(), inputs(r, Input.of(r, i.times(4)))));
        }, b -> {
            Register r = b.registers("r", ValueType.F32, 8);
            b.unrolled("i", 2, (each, i) -> each.issue(mma(), inputs(r, new Input.Registers(r, i.times(4)))));
        });
    }

    private static dev.tilewright.ptx.mma.MmaSync mma() {
        return new dev.tilewright.ptx.mma.MmaSync(dev.tilewright.ptx.mma.MmaShape.M16N8K16,
                dev.tilewright.ptx.mma.MmaTypes.F32_BF16_BF16);
    }

    private static Input[] inputs(Register r, Input sums) {
        Register a = new Register("a", ValueType.U32, 4, 9);
        Register b = new Register("b", ValueType.U32, 2, 9);
        return new Input[] {sums, Input.of(a), Input.of(b), sums};
    }

    private static int[] run(TileProgram program, int blocks, int results) {
        Launch launch = Launch.named(program, Dim3.of(blocks), Map.of("out", new Argument.Buffer(0)));
        MemorySegment result = MemorySegment.ofArray(new int[results]);
        assertEquals(List.of(), HazardCheck.check(launch, List.of(result)).findings());
        return result.toArray(ValueLayout.JAVA_INT);
    }

    @Test
    void atomicUpdatesHaveScopesOrdersAndOldValues() {
        ProgramBuilder k = ProgramBuilder.of("atomics", 32);
        k.parameter(OUT);
        TileProgram program = k.build(b -> {
            SharedArray sum = k.shared("sum", ValueType.F32, 1);
            b.when(Builtin.THREAD.isEqualTo(0), one -> one.store(sum, 0, Value.f32(0)));
            b.syncThreads();
            b.atomic(AtomicOp.ADD, sum.at(0), Builtin.THREAD.toValue().to(ValueType.F32)).scope(Scope.CTA);
            b.atomic(AtomicOp.ADD, OUT.at(0), Value.i32(2));
            b.atomic(AtomicOp.MAX, OUT.at(1), Builtin.THREAD.toValue()).order(Atom.Order.RELEASE);
            Value ticket = b.atomic(AtomicOp.ADD, OUT.at(2), Value.i32(1)).order(Atom.Order.ACQ_REL).old("ticket");
            b.store(OUT, ticket.toIndex().plus(8), Value.i32(1));
            b.compareAndSwap(OUT.at(3), Value.i32(0), Builtin.THREAD.toValue().plus(5));
            b.atomic(AtomicOp.OR, OUT.at(4), Value.i32(6));
            b.syncThreads();
            b.when(Builtin.THREAD.isEqualTo(0), one -> {
                one.store(OUT, 5, one.load("all", sum, 0).to(ValueType.I32));
                Value old = one.atomic(AtomicOp.EXCH, sum.at(0), Value.f32(3)).old("old");
                assertEquals(ValueType.F32, old.type());
                one.store(OUT, 6, old.plus(1).to(ValueType.I32));
            });
        });
        String text = CudaEmitter.emit(program).text();
        for (String form : List.of("red.relaxed.cta.shared::cta.add.f32", "red.relaxed.gpu.global.add.s32",
                "red.release.gpu.global.max.s32", "atom.acq_rel.gpu.global.add.s32", "atom.relaxed.gpu.global.cas.b32",
                "red.relaxed.gpu.global.or.b32", "atom.relaxed.gpu.shared::cta.exch.b32")) {
            assertTrue(text.contains(form), form + " is not in " + text);
        }
        int[] results = run(program, 1, 40);
        assertArrayEquals(new int[] {64, 31, 32, results[3], 6, 496, 497, 0}, Arrays.copyOf(results, 8));
        assertTrue(results[3] >= 5 && results[3] < 37, Arrays.toString(results));
        assertArrayEquals(IntStream.generate(() -> 1).limit(32).toArray(), Arrays.copyOfRange(results, 8, 40));
    }

    @Test
    void whatCannotBeUpdatedIsRefused() {
        assertEquals("a compare-and-swap takes two values: use compareAndSwap",
                refusal(b -> b.atomic(AtomicOp.CAS, OUT.at(0), Value.i32(1))));
        assertEquals("both values of a compare-and-swap have one type, got i32 and f32",
                refusal(b -> b.compareAndSwap(OUT.at(0), Value.i32(1), Value.f32(1))));
        assertTrue(refusal(b -> b.atomic(AtomicOp.ADD, OUT.at(0), Value.i32(1).to(ValueType.U8)))
                .startsWith("a value of 32 or 64 bits is needed, got one of type u8"));
        assertTrue(refusal(b -> b.arriveRemote(FULL, Expr.of(1)).token("t"))
                .endsWith("at another block's barrier gives no token"));
    }

    private static String refusal(Consumer<Body> code) {
        return assertThrows(IllegalArgumentException.class, () -> Body.steps(code)).getMessage();
    }

    /** A wait with a limit says whether the phase has completed, and the kernel goes on either way. */
    @Test
    void aWaitWithATimeLimitSaysWhetherThePhaseHasCompleted() {
        ProgramBuilder k = ProgramBuilder.of("limited", 1);
        k.parameter(OUT);
        TileProgram program = k.build(b -> {
            Address.Barrier never = k.barrier("never", 2);
            Address.Barrier soon = k.barrier("soon", 1);
            var token = b.arrive(soon).token("seen");
            Expr first = b.tryWaitParity(never, 0).timeLimit(1_000).order(WaitOrder.ACQUIRE_CLUSTER).done("first");
            Expr second = b.tryWaitParity(soon, 0).done("second");
            Expr third = b.tryWaitToken(soon, token).timeLimit(1_000).done("third");
            b.store(OUT, 0, first.choose(1, 2).toValue());
            b.store(OUT, 1, second.and(third).choose(1, 2).toValue());
        });
        String text = CudaEmitter.emit(program).text();
        assertTrue(text.contains("mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2, %3;")
                || text.contains("mbarrier_try_wait_parity_acquire_cluster"), text);
        assertArrayEquals(new int[] {2, 1}, run(program, 1, 2));
    }

    /** Each block sends a number to the other, whose barrier counts its bytes, and hears that it was read. */
    @Test
    void blocksOfAClusterSendWithoutMapaByHand() {
        ProgramBuilder k = ProgramBuilder.of("remote", 32).cluster(ClusterSize.of(Dim3.of(2)));
        k.parameter(OUT);
        TileProgram program = k.build(b -> {
            SharedArray cells = k.shared("cells", ValueType.F32, 2);
            Address.Barrier full = k.barrier("full", 1);
            Address.Barrier read = k.barrier("read", 1);
            Expr other = b.let("other", Builtin.CLUSTER_RANK.xor(1));
            b.when(Builtin.THREAD.isEqualTo(0), one -> {
                one.arriveExpectTx(full, 12);
                one.storeAsync(cells.at(1).in(other), full,
                        Builtin.CLUSTER_RANK.plus(7).toValue().to(ValueType.F32));
                one.storeAsync(TILE.at(8).in(other), full, Builtin.CLUSTER_RANK.toS64().toValue());
                one.waitParity(full, 0).order(WaitOrder.ACQUIRE_CLUSTER);
                one.store(OUT, Builtin.CLUSTER_RANK, one.load("came", cells, 1).to(ValueType.I32));
                one.purpose("it has been read").arriveRemote(read, other);
                one.waitParity(read, 0).order(WaitOrder.ACQUIRE_CLUSTER);
            });
            k.region(TILE);
        });
        assertArrayEquals(new int[] {8, 7}, run(program, 2, 2));
    }

    @Test
    void aRankMayBeAnInt() {
        assertEquals(TILE.at(4).in(Expr.of(1)), TILE.at(4).in(1));
        assertEquals(Body.steps(b -> b.arriveRemote(FULL, Expr.of(1)).count(2)),
                Body.steps(b -> b.arriveRemote(FULL, 1).count(2)));
    }

    @Property(tries = 40)
    void placesLoopsAndCountsAreInts(@ForAll int a, @ForAll int b, @ForAll @IntRange(min = 1) int by) {
        Expr x = Expr.of(a);
        Expr y = Expr.of(b);
        Body.LoopBody nothing = (_, _) -> { };
        for (Consumer<Body> loop : List.<Consumer<Body>>of(
                s -> s.loop("i", a, y, Expr.of(by), nothing), s -> s.loop("i", a, y, by, nothing),
                s -> s.loop("i", x, b, Expr.of(by), nothing), s -> s.loop("i", x, b, by, nothing),
                s -> s.loop("i", a, b, Expr.of(by), nothing), s -> s.loop("i", a, b, by, nothing),
                s -> s.loop("i", x, y, by, nothing))) {
            same(loop, s -> s.loop("i", x, y, Expr.of(by), nothing));
        }
        assertEquals(List.of(x, Builtin.THREAD, y, Expr.of(5L)), Expr.list(a, Builtin.THREAD, b, 5L));
        Expr.Var place = new Expr.Var("place", IntType.S32, 1);
        Procedure take = Procedure.of("take", "takes a number", List.of(place), _ -> { });
        same(s -> s.call(take, a), s -> s.add(new Operation.Call(take, List.of(x))));
        same(s -> s.bulkStore(OUT.at(0), TILE.at(0), 16).byteMask(a),
                s -> s.bulkStore(OUT.at(0), TILE.at(0), 16).byteMask(x));
        assertEquals(new MapEdit.BoxDim(1, x), new MapEdit.BoxDim(1, a));
        assertEquals(new MapEdit.GlobalDim(2, x), new MapEdit.GlobalDim(2, a));
        assertEquals(new MapEdit.GlobalStride(3, Expr.of((long) a)), new MapEdit.GlobalStride(3, a));
        assertEquals(new MapEdit.ElementStride(4, x), new MapEdit.ElementStride(4, a));
        Parameter.TensorMap rows = new Parameter.TensorMap("rows", 2);
        TensorLoad load = new TensorLoad(2);
        same(s -> s.tensorLoad(TILE.at(0), rows, Expr.list(a, b), FULL).gather4(Expr.list(by, x, y)),
                s -> s.issue(load.withMode(LoadMode.GATHER4), Input.of(TILE.at(0)), Input.of(rows), Input.of(a),
                        Input.of(b), Input.of(by), Input.of(x), Input.of(y), Input.of(FULL)));
        same(s -> s.tensorStore(rows, Expr.list(a, b), TILE.at(0)).scatter4(Expr.list(by, x, y)),
                s -> s.issue(new TensorStore(2).withMode(StoreMode.SCATTER4), Input.of(rows), Input.of(a),
                        Input.of(b), Input.of(by), Input.of(x), Input.of(y), Input.of(TILE.at(0))));
        same(s -> s.tensorPrefetch(MAP, AT).im2colWide(false, a, b),
                s -> s.tensorPrefetch(MAP, AT).im2colWide(false, x, y));
    }

    @Property(tries = 40)
    void offsetsAndLanesAreInts(@ForAll int a, @ForAll long far, @ForAll @IntRange(max = 5) int power) {
        Expr x = Expr.of(a);
        assertEquals(new Address.Global(OUT, x), new Address.Global(OUT, a));
        assertEquals(new Address.Global(OUT, Expr.of(far)), new Address.Global(OUT, far));
        assertEquals(new Address.MapBytes(MAP, x), new Address.MapBytes(MAP, a));
        int width = 1 << power;
        Value own = Builtin.THREAD.toValue();
        same(s -> s.warp().shuffleUp(own, a, width), s -> s.warp().shuffleUp(own, x, width));
        same(s -> s.warp().shuffleDown(own, a, width), s -> s.warp().shuffleDown(own, x, width));
        same(s -> s.warp().shuffleXor(own, a, width), s -> s.warp().shuffleXor(own, x, width));
        same(s -> s.warp().shuffleIndex(own, a, width), s -> s.warp().shuffleIndex(own, x, width));
    }

    @Test
    void whatIsNoNumberIsRefused() {
        assertEquals("a number is an int, a long or an Expr, got String",
                assertThrows(IllegalArgumentException.class, () -> Expr.list(1, "2")).getMessage());
        assertEquals("numbers: element 1 is null",
                assertThrows(IllegalArgumentException.class, () -> Expr.list(1, null)).getMessage());
        Parameter.TensorMap rows = new Parameter.TensorMap("rows", 2);
        assertEquals("three rows follow that of the coordinates, got 2", refusal(b -> b.tensorLoad(TILE.at(0), rows,
                Expr.list(0, 0), FULL).gather4(Expr.list(1, 2))));
    }

    @Test
    void aWaitForAValueIsThePollOfItsLoad() {
        for (ValueType type : List.of(ValueType.I32, ValueType.U32, ValueType.I64, ValueType.U64)) {
            DataType data = DataType.of(type.element().orElseThrow());
            polled(b -> b.waitUntil("v", type, OUT.at(2), v -> v.atLeast(1)), type,
                    Ld.acquire(Scope.GPU, Space.GLOBAL, data), OUT.at(2));
            polled(b -> b.waitUntil("v", type, TILE.at(8), v -> v.atLeast(1)).scope(Scope.CTA).order(Ld.Order.RELAXED),
                    type, Ld.relaxed(Scope.CTA, Space.SHARED_CTA, data), TILE.at(8));
        }
        same(b -> b.waitUntil("v", ValueType.U32, TILE.at(8).in(1), v -> v.atLeast(1)).order(Ld.Order.RELAXED)
                .order(Ld.Order.ACQUIRE).scope(Scope.CLUSTER), b -> {
            Expr there = b.issue("there", Mapa.ofShared(), Input.of(TILE.at(8)), Input.of(1));
            Expr.Var v = new Expr.Var("v", IntType.S32, 2);
            b.add(new Operation.Poll(Ld.acquire(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.U32),
                    List.of(Input.of(there)), new Operation.Until.Holds(v, v.atLeast(1))));
        });
        assertEquals("a value that is waited for is an integer of 32 or 64 bits, got f32",
                refusal(b -> b.waitUntil("v", ValueType.F32, OUT.at(0), v -> v.atLeast(1))));
        assertEquals("a value that is waited for is an integer of 32 or 64 bits, got u8",
                refusal(b -> b.waitUntil("v", ValueType.U8, OUT.at(0), v -> v.atLeast(1))));
        assertEquals("a value that is waited for is in global or shared memory, got a barrier of 'full'",
                refusal(b -> b.waitUntil("v", ValueType.U32, FULL, v -> v.atLeast(1))));
    }

    private static void polled(Consumer<Body> method, ValueType type, Ld load, Address from) {
        Expr.Var v = new Expr.Var("v", type.bits() == Long.SIZE ? IntType.S64 : IntType.S32, 1);
        same(method, b -> b.add(new Operation.Poll(load, List.of(Input.of(from)),
                new Operation.Until.Holds(v, v.atLeast(1)))));
    }

    /** The second block waits for a word that the first stores into its memory, and hands back what it found. */
    @Property(tries = 10)
    void aWaitForAValueRuns(@ForAll int told, @ForAll boolean wide) {
        ValueType type = wide ? ValueType.I64 : ValueType.I32;
        ProgramBuilder k = ProgramBuilder.of("told", 1).cluster(ClusterSize.of(Dim3.of(2)));
        k.parameter(OUT);
        k.region(TILE);
        TileProgram program = k.build(b -> {
            b.store(TILE.at(0), wide ? Value.i64(~told) : Value.i32(~told));
            b.clusterSync();
            b.when(Builtin.CLUSTER_RANK.isEqualTo(0),
                    first -> first.atomic(AtomicOp.EXCH, TILE.at(0), wide ? Value.i64(told) : Value.i32(told))
                            .order(Atom.Order.RELEASE),
                    second -> second.store(OUT, 0, second.waitUntil("seen", type, TILE.at(0).in(0),
                            v -> v.isEqualTo(told)).scope(Scope.CLUSTER).value().toS32().toValue()));
            b.clusterSync();
        });
        assertArrayEquals(new int[] {told}, run(program, 2, 1));
    }

    /** What reaches another block is the instruction's form on addresses that {@code mapa} gives. */
    @Test
    void whatReachesAnotherBlockIsItsInstruction() {
        Input bytes = Input.of(64);
        Input from = Input.of(TILE.at(16));
        remote(b -> b.bulkStore(TILE.at(32).in(1), TILE.at(16), 64, FULL), new BulkClusterCopy(), from, bytes);
        remote(b -> b.bulkReduce(AtomicOp.MIN, DataType.S32, TILE.at(32).in(1), TILE.at(16), 64, FULL),
                new BulkClusterReduce(AtomicOp.MIN, DataType.S32), from, bytes);
        Value five = Value.i32(5);
        Value wide = Value.i64(6);
        remote(b -> b.reduceAsync(AtomicOp.MAX, TILE.at(32).in(1), FULL, five),
                new RedAsync(AtomicOp.MAX, DataType.S32), Input.of(five));
        remote(b -> b.reduceAsync(AtomicOp.ADD, TILE.at(32).in(1), FULL, wide),
                new RedAsync(AtomicOp.ADD, DataType.U64), Input.of(wide));
        remote(b -> b.reduceAsync(AtomicOp.XOR, TILE.at(32).in(1), FULL, five),
                new RedAsync(AtomicOp.XOR, DataType.B32), Input.of(five));
    }

    /** @param between the inputs after the place, before the barrier */
    private static void remote(Consumer<Body> method, PtxInstruction form, Input... between) {
        same(method, b -> {
            Expr there = b.issue("there", Mapa.ofShared(), Input.of(TILE.at(32)), Input.of(1));
            Expr barrier = b.issue("barrier_there", Mapa.ofShared(), Input.of(FULL), Input.of(1));
            b.issue(form, Stream.of(Stream.of(Input.of(there)), Arrays.stream(between), Stream.of(Input.of(barrier)))
                    .flatMap(inputs -> inputs).toArray(Input[]::new));
        });
    }

    @Property(tries = 40)
    void aStoreIntoAnotherBlockHasOneTwoOrFourValues(@ForAll @IntRange(max = 6) int count, @ForAll boolean wide) {
        Value[] values = IntStream.range(0, count).mapToObj(i -> wide ? Value.i64(i) : Value.i32(i))
                .toArray(Value[]::new);
        Consumer<Body> store = b -> b.storeAsync(TILE.at(32).in(1), FULL, values);
        if (Integer.bitCount(count) == 1 && count * (wide ? 8 : 4) <= 16) {
            remote(store, new StAsync(wide ? DataType.B64 : DataType.B32).withVector(StAsync.Vector.of(count)),
                    Arrays.stream(values).map(Input::of).toArray(Input[]::new));
        } else {
            assertEquals(count == 0 ? "nothing is stored: give one value or more" : count == 4
                    ? "st.async into shared memory takes 1, 2 or 4 values of 32 bits, 1 or 2 of 64, got 4 of 64 (PTX "
                    + "ISA, \"st.async\")"
                    : "st.async takes 1, 2 or 4 values, got " + count, refusal(store));
        }
    }

    /** Of another block's memory, and of memory that the kernel found. */
    @Test
    void updatesAreTheirInstructionsInAnyMemory() {
        Value five = Value.i32(5);
        same(b -> b.atomic(AtomicOp.ADD, TILE.at(32).in(1), five).order(Atom.Order.RELEASE).scope(Scope.CLUSTER),
                b -> b.issue(Red.release(Scope.CLUSTER, Space.SHARED_CLUSTER, AtomicOp.ADD, DataType.S32),
                        Input.of(b.issue("there", Mapa.ofShared(), Input.of(TILE.at(32)), Input.of(1))),
                        Input.of(five)));
        same(b -> b.compareAndSwap(TILE.at(32).in(1), five, Value.i32(6)).old("old"), b -> b.issue("old",
                Atom.relaxed(Scope.GPU, Space.SHARED_CLUSTER, AtomicOp.CAS, DataType.B32),
                Input.of(b.issue("there", Mapa.ofShared(), Input.of(TILE.at(32)), Input.of(1))), Input.of(five),
                Input.of(Value.i32(6))));
        Address found = new Address.Pointed(OUT.deviceAddress());
        same(b -> b.atomic(AtomicOp.MIN, found, five), b -> b.issue(Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.MIN,
                DataType.S32), Input.of(found), Input.of(five)));
    }

    /** All threads of two blocks add to a word of the first, and take tickets there. */
    @Property(tries = 10)
    void updatesOfAnotherBlockRun(@ForAll @IntRange(min = 1, max = 40) int threads, @ForAll int add) {
        ProgramBuilder k = ProgramBuilder.of("tickets", threads).cluster(ClusterSize.of(Dim3.of(2)));
        k.parameter(OUT);
        k.region(TILE);
        TileProgram program = k.build(b -> {
            b.when(Builtin.THREAD.isEqualTo(0), one -> {
                one.store(TILE.at(0), Value.i32(7));
                one.store(TILE.at(4), Value.i32(0));
            });
            b.clusterSync();
            b.atomic(AtomicOp.ADD, TILE.at(0).in(0), Value.i32(add)).scope(Scope.CLUSTER);
            Value ticket = b.atomic(AtomicOp.ADD, TILE.at(4).in(0), Value.i32(1)).scope(Scope.CLUSTER).old("ticket");
            b.store(OUT, ticket.toIndex().plus(2), Value.i32(1));
            b.clusterSync();
            b.when(Builtin.THREAD.isEqualTo(0), one ->
                    one.store(OUT, Builtin.CLUSTER_RANK, one.load("all", ValueType.I32, TILE.at(0))));
        });
        int[] expected = new int[2 + 2 * threads];
        Arrays.fill(expected, 1);
        expected[0] = 7 + 2 * threads * add;
        expected[1] = 7;
        assertArrayEquals(expected, run(program, 2, expected.length));
    }

    @Test
    void whatIsNoMemoryForElementsIsNotUpdated() {
        assertEquals("an atomic update is of global or shared memory, got a barrier of 'full'",
                refusal(b -> b.atomic(AtomicOp.ADD, FULL, Value.i32(1))));
    }

    /** Each block of two copies, adds and stores into the other, whose barrier counts all bytes. */
    @Property(tries = 10)
    void whatReachesAnotherBlockRuns(@ForAll @IntRange(min = 1, max = 16) int lines, @ForAll int add) {
        int words = 4 * lines;
        SharedRegion.Buffer mine = new SharedRegion.Buffer("mine", 16 * lines, 16);
        SharedRegion.Buffer copied = new SharedRegion.Buffer("copied", 16 * lines, 16);
        SharedRegion.Buffer summed = new SharedRegion.Buffer("summed", 16 * lines, 16);
        ProgramBuilder k = ProgramBuilder.of("reach", words).cluster(ClusterSize.of(Dim3.of(2)));
        k.parameter(OUT);
        k.regions(List.of(mine, copied, summed, TILE));
        TileProgram program = k.build(b -> {
            Address.Barrier full = k.barrier("full", 1);
            Expr other = b.let("other", Builtin.CLUSTER_RANK.xor(1));
            Expr at = Builtin.THREAD.times(4);
            Value value = b.let("value", Builtin.THREAD.plus(Builtin.CLUSTER_RANK.times(1000)).toValue());
            b.store(mine.at(at), value);
            b.store(summed.at(at), value);
            b.when(Builtin.THREAD.isEqualTo(0), one -> one.store(TILE.at(4), Value.i32(1)));
            b.proxyFence(FenceProxyAsync.Memory.ALL);
            b.clusterSync();
            b.when(Builtin.THREAD.isEqualTo(0), one -> {
                one.arriveExpectTx(full, 32 * lines + 4 + 16);
                one.bulkStore(copied.at(0).in(other), mine.at(0), 16 * lines, full);
                one.bulkReduce(AtomicOp.ADD, DataType.S32, summed.at(0).in(other), mine.at(0), 16 * lines, full);
                one.reduceAsync(AtomicOp.ADD, TILE.at(4).in(other), full, Value.i32(add));
                one.storeAsync(TILE.at(16).in(other), full, value, value.plus(1), value.plus(2), value.plus(3));
            });
            b.waitParity(full, 0).order(WaitOrder.ACQUIRE_CLUSTER);
            Expr to = b.let("to", Builtin.CLUSTER_RANK.times(2 * words + 5));
            b.store(OUT, to.plus(Builtin.THREAD), b.load("copy", ValueType.I32, copied.at(at)));
            b.store(OUT, to.plus(Builtin.THREAD).plus(words), b.load("sum", ValueType.I32, summed.at(at)));
            b.when(Builtin.THREAD.isEqualTo(0), one -> {
                one.store(OUT, to.plus(2 * words), one.load("added", ValueType.I32, TILE.at(4)));
                for (int i = 0; i < 4; i++) {
                    one.store(OUT, to.plus(2 * words + 1 + i), one.load("came", ValueType.I32, TILE.at(16 + 4 * i)));
                }
            });
            b.clusterSync();
        });
        int[] expected = IntStream.range(0, 2).flatMap(rank -> {
            int there = 1000 * (1 - rank);
            return IntStream.of(IntStream.concat(IntStream.concat(
                    IntStream.range(0, words).map(i -> i + there), IntStream.range(0, words).map(i -> 2 * i + 1000)),
                    IntStream.of(1 + add, there, there + 1, there + 2, there + 3)).toArray());
        }).toArray();
        assertArrayEquals(expected, run(program, 2, expected.length));
    }

    /** Two groups of two warps read stages in turn: a phase of the ring takes the warps of either. */
    @Test
    void consumersAreANumberOfWarpsOfEitherGroup() {
        BarrierRing ring = BarrierRing.stages(2).buffer(StageBuffer.of("ring", 256)).consumerWarps(2).build();
        ProgramBuilder k = ProgramBuilder.of("ping_pong", 32 * 5);
        Parameter.Pointer in = k.input("in", ValueType.I32);
        k.parameter(OUT);
        k.regions(ring.regions());
        int turns = 6;
        TileProgram program = k.build(b -> {
            BarrierPipeline pipe = ring.open(b);
            b.when(Builtin.THREAD.isEqualTo(0), one -> pipe.produce(one, turns, (fill, turn, stage) ->
                    fill.bulkLoad(stage.start(), in.at(turn.times(64)), 256, stage.full())));
            Expr group = Builtin.THREAD.minus(32).dividedBy(64);
            b.when(Builtin.THREAD.atLeast(32), readers -> readers.loop("turn", group, turns, 2, (each, turn) -> {
                var stage = pipe.await(each, turn);
                Expr mine = Builtin.THREAD.minus(32).modulo(64);
                each.store(OUT, turn.times(64).plus(mine),
                        each.load("mine", ValueType.I32, stage.at(mine.times(4))).plus(1));
                pipe.release(each, stage);
            }));
        });
        int[] numbers = IntStream.range(0, 64 * turns).toArray();
        Launch launch = Launch.named(program, Dim3.ONE, Map.of("in", new Argument.Buffer(1),
                "out", new Argument.Buffer(0)));
        MemorySegment result = MemorySegment.ofArray(new int[64 * turns]);
        assertEquals(List.of(), HazardCheck.check(launch, List.of(result, MemorySegment.ofArray(numbers))).findings());
        assertArrayEquals(Arrays.stream(numbers).map(n -> n + 1).toArray(), result.toArray(ValueLayout.JAVA_INT));
    }
}
