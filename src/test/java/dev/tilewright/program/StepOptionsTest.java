package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Token;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.StoreMode;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.mbarrier.ArriveOp;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierTryWait;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.reference.Reference;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every option of a step gives the form and the inputs that it should: the same as the instruction written out, and the
 * same line of generated code. In whatever order options are given, and one that is given again counts as given last.
 */
class StepOptionsTest {
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 2);
    private static final Parameter.TensorMap IMAGE = new Parameter.TensorMap("image", 4);
    private static final SharedRegion.Buffer RING = new SharedRegion.Buffer("ring", 1024, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Address.Shared TO = RING.at(0);
    private static final Address.Global FROM = new Address.Global(IN, 0);
    private static final Address.Global DESTINATION = new Address.Global(OUT, 0);
    private static final Address.Barrier BARRIER = FULL.at(0);
    private static final Expr BYTES = Expr.of(64);
    private static final Expr MASK = Expr.of(3);
    private static final Expr POLICY = Expr.of(7L);
    private static final List<Expr> AT = Expr.list(1, 2);
    private static final List<Expr> PIXEL = Expr.list(1, 2, 3, 4);
    private static final Expr.Var PHASE = new Expr.Var("phase", IntType.S64, 1);

    static Stream<Arguments> options() {
        Input to = Input.of(TO);
        Input from = Input.of(FROM);
        Input policy = Input.of(POLICY);
        Input mbar = Input.of(BARRIER);
        Input bytes = Input.of(BYTES);
        CpAsync cp = CpAsync.of(4);
        String cpText = "(ptx::shared_address(ring), in";
        MbarrierArrive arrive = new MbarrierArrive();
        MbarrierArriveExpectTx expect = new MbarrierArriveExpectTx();
        TensorLoad load = new TensorLoad(2);
        return Stream.of(
                // cp.async
                option(b -> b.cpAsync(TO, FROM, 4), issue(cp, to, from), "ptx::cp_async_4_ca" + cpText + ");"),
                option(b -> b.cpAsync(TO, FROM, 16), issue(CpAsync.of(16), to, from),
                "ptx::cp_async_16" + cpText + ");"), option(b -> b.cpAsync(TO, FROM, 16).throughL1(),
                issue(CpAsync.of(16).withCache(CpAsync.Cache.CA), to, from),
                        "ptx::cp_async_16_ca" + cpText + ");"),
                option(b -> b.cpAsync(TO, FROM, 4).sourceBytes(3),
                        issue(cp.withSource(CpAsync.Source.SIZED), to, from, Input.of(3)),
                        "ptx::cp_async_4_ca_zero_fill" + cpText + ", 3);"),
                option(b -> b.cpAsync(TO, FROM, 4).ignoreSource(Expr.of(1)),
                        issue(cp.withSource(CpAsync.Source.IGNORABLE), to, from, Input.of(1)),
                        "ptx::cp_async_4_ca_ignore" + cpText + ", 1);"),
                option(b -> b.cpAsync(TO, FROM, 4).prefetchL2(CpAsync.PrefetchSize.L2_128B),
                        issue(cp.withPrefetch(CpAsync.PrefetchSize.L2_128B), to, from),
                        "ptx::cp_async_4_ca_l2_128b" + cpText + ");"),
                option(b -> b.cpAsync(TO, FROM, 4).cacheHint(POLICY), issue(cp.withCacheHint(), to, from, policy),
                        "ptx::cp_async_4_ca_hint" + cpText + ", ptx::unknown_b64(7LL));"),
                option(b -> b.cpAsync(TO, FROM, 4).cacheHint(POLICY).sourceBytes(3)
                .prefetchL2(CpAsync.PrefetchSize.L2_64B),
                        issue(cp.withSource(CpAsync.Source.SIZED).withPrefetch(CpAsync.PrefetchSize.L2_64B)
                        .withCacheHint(), to, from,
                                Input.of(3), policy), "ptx::cp_async_4_ca_zero_fill_l2_64b_hint" + cpText
                                + ", 3, ptx::unknown_b64(7LL));"),
                option(b -> b.cpAsync(TO, FROM, 4).sourceBytes(3).ignoreSource(Expr.of(1)),
                        issue(cp.withSource(CpAsync.Source.IGNORABLE), to, from, Input.of(1)),
                        "ptx::cp_async_4_ca_ignore" + cpText + ", 1);"),
                // bulk copies
                option(b -> b.bulkLoad(TO, FROM, BYTES, BARRIER), issue(new BulkLoad(), to, from, bytes, mbar),
                        "ptx::bulk_load(ptx::shared_address(ring), in, 64, ptx::shared_address(full));"),
                option(b -> b.bulkLoad(TO, FROM, BYTES, BARRIER).multicast(MASK),
                        issue(new BulkLoad().withMulticast(), to, from, bytes, mbar, Input.of(MASK)),
                        "ptx::bulk_load_multicast(ptx::shared_address(ring), in, 64, ptx::shared_address(full), 3);"),
                option(b -> b.bulkLoad(TO, FROM, BYTES, BARRIER).cacheHint(POLICY),
                        issue(new BulkLoad().withCacheHint(), to, from, bytes, mbar, policy),
                        "ptx::bulk_load_hint(ptx::shared_address(ring), in, 64, ptx::shared_address(full), 7LL);"),
                option(b -> b.bulkLoad(TO, FROM, BYTES, BARRIER).cacheHint(POLICY).multicast(MASK),
                        issue(new BulkLoad().withMulticast().withCacheHint(), to, from, bytes, mbar, Input.of(MASK),
                        policy), "ptx::bulk_load_multicast_hint(ptx::shared_address(ring), in, 64, "
                        + "ptx::shared_address(full), 3, 7LL);"),
                option(b -> b.bulkStore(DESTINATION, TO, BYTES),
                issue(new BulkStore(), Input.of(DESTINATION), to, bytes),
                        "ptx::bulk_store(out, ptx::shared_address(ring), 64);"),
                option(b -> b.bulkStore(DESTINATION, TO, BYTES).cacheHint(POLICY),
                        issue(new BulkStore().withCacheHint(), Input.of(DESTINATION), to, bytes, policy),
                        "ptx::bulk_store_hint(out, ptx::shared_address(ring), 64, 7LL);"),
                // tensor copies
                option(b -> b.tensorLoad(TO, MAP, AT, BARRIER),
                        issue(load, to, Input.of(MAP), Input.of(1), Input.of(2), mbar),
                        "ptx::tensor_load_2d(ptx::shared_address(ring), &map, 1, 2, ptx::shared_address(full));"),
                option(b -> b.tensorLoad(TO, MAP, AT, BARRIER).multicast(MASK),
                        issue(load.withMulticast(), to, Input.of(MAP), Input.of(1), Input.of(2), mbar, Input.of(MASK)),
                        "ptx::tensor_load_2d_multicast(ptx::shared_address(ring), &map, 1, 2, "
                        + "ptx::shared_address(full), 3);"),
                option(b -> b.tensorLoad(TO, MAP, AT, BARRIER).cacheHint(POLICY),
                        issue(load.withCacheHint(), to, Input.of(MAP), Input.of(1), Input.of(2), mbar, policy),
                        "ptx::tensor_load_2d_hint(ptx::shared_address(ring), &map, 1, 2, ptx::shared_address(full), "
                        + "7LL);"),
                option(b -> b.tensorLoad(TO, IMAGE, PIXEL, BARRIER).cacheHint(POLICY)
                .im2col(Expr.list(5, 6)).multicast(MASK),
                        issue(new TensorLoad(4).withMode(LoadMode.IM2COL).withMulticast().withCacheHint(), to,
                        Input.of(IMAGE), Input.of(1),
                                Input.of(2), Input.of(3), Input.of(4), mbar, Input.of(5), Input.of(6), Input.of(MASK),
                                policy),
                        "ptx::tensor_load_4d_im2col_multicast_hint(ptx::shared_address(ring), &image, 1, 2, 3, 4, "
                                + "ptx::shared_address(full), 5, 6, 3, 7LL);"),
                option(b -> b.tensorStore(MAP, AT, TO), issue(new TensorStore(2), Input.of(MAP), Input.of(1),
                Input.of(2), to),
                        "ptx::tensor_store_2d(&map, 1, 2, ptx::shared_address(ring));"),
                option(b -> b.tensorStore(IMAGE, PIXEL, TO).im2col(),
                        issue(new TensorStore(4).withMode(StoreMode.IM2COL_NO_OFFS), Input.of(IMAGE), Input.of(1),
                        Input.of(2), Input.of(3),
                                Input.of(4), to),
                        "ptx::tensor_store_4d_im2col_no_offs(&image, 1, 2, 3, 4, ptx::shared_address(ring));"),
                option(b -> b.tensorStore(MAP, AT, TO).cacheHint(POLICY),
                        issue(new TensorStore(2).withCacheHint(), Input.of(MAP), Input.of(1), Input.of(2), to, policy),
                        "ptx::tensor_store_2d_hint(&map, 1, 2, ptx::shared_address(ring), 7LL);"),
                // arrivals
                option(b -> b.arrive(BARRIER), issue(arrive, mbar), "ptx::mbarrier_arrive(ptx::shared_address(full));"),
                option(b -> b.arrive(BARRIER).order(ArriveOrder.RELEASE_CLUSTER),
                        issue(arrive.withOrder(ArriveOrder.RELEASE_CLUSTER), mbar),
                        "ptx::mbarrier_arrive_release_cluster(ptx::shared_address(full));"),
                option(b -> b.arrive(BARRIER).count(2), issue(arrive.withCount(), mbar, Input.of(2)),
                        "ptx::mbarrier_arrive_counted(ptx::shared_address(full), 2);"),
                option(b -> b.arrive(BARRIER).drop(), issue(arrive.withKind(ArriveOp.ARRIVE_DROP), mbar),
                        "ptx::mbarrier_arrive_drop(ptx::shared_address(full));"),
                option(b -> b.arrive(BARRIER).token("phase"),
                new Operation.Issue(arrive, List.of(mbar), List.of(PHASE)),
                        "[[maybe_unused]] const long long phase = (long "
                        + "long)ptx::mbarrier_arrive(ptx::shared_address(full));"),
                option(b -> b.arrive(BARRIER).drop().count(2).order(ArriveOrder.RELAXED_CTA).token("phase"),
                        new Operation.Issue(arrive.withKind(ArriveOp.ARRIVE_DROP).withCount()
                        .withOrder(ArriveOrder.RELAXED_CTA),
                                List.of(mbar, Input.of(2)), List.of(PHASE)),
                        "[[maybe_unused]] const long long phase = (long "
                        + "long)ptx::mbarrier_arrive_drop_relaxed_cta_counted(ptx::shared_address(full), 2);"),
                option(b -> b.arriveExpectTx(BARRIER, BYTES), issue(expect, mbar, bytes),
                        "ptx::mbarrier_arrive_expect_tx(ptx::shared_address(full), 64);"),
                option(b -> b.arriveExpectTx(BARRIER, BYTES).order(ArriveOrder.RELAXED_CLUSTER),
                        issue(expect.withOrder(ArriveOrder.RELAXED_CLUSTER), mbar, bytes),
                        "ptx::mbarrier_arrive_expect_tx_relaxed_cluster(ptx::shared_address(full), 64);"),
                option(b -> b.arriveExpectTx(BARRIER, BYTES).drop(),
                issue(expect.withKind(ArriveOp.ARRIVE_DROP), mbar, bytes),
                        "ptx::mbarrier_arrive_drop_expect_tx(ptx::shared_address(full), 64);"),
                option(b -> b.arriveExpectTx(BARRIER, BYTES).token("phase"),
                        new Operation.Issue(expect, List.of(mbar, bytes), List.of(PHASE)),
                        "[[maybe_unused]] const long long phase = (long "
                        + "long)ptx::mbarrier_arrive_expect_tx(ptx::shared_address(full), 64);"),
                // waits
                option(b -> b.waitParity(BARRIER, 0), poll(new MbarrierTryWaitParity(), mbar, Input.of(0)),
                        "ptx::mbarrier_wait_parity(ptx::shared_address(full), 0);"),
                option(b -> b.waitParity(BARRIER, 0).order(WaitOrder.ACQUIRE_CLUSTER),
                        poll(new MbarrierTryWaitParity().withOrder(WaitOrder.ACQUIRE_CLUSTER), mbar, Input.of(0)),
                        "ptx::mbarrier_wait_parity_acquire_cluster(ptx::shared_address(full), 0);"),
                option(b -> b.waitToken(BARRIER, new Token(b.let("phase", Expr.of(0L)))).order(WaitOrder.RELAXED_CTA)
                .order(WaitOrder.ACQUIRE_CTA),
                        poll(new MbarrierTryWait().withOrder(WaitOrder.ACQUIRE_CTA), mbar, Input.of(PHASE)),
                        "ptx::mbarrier_wait_acquire_cta(ptx::shared_address(full), phase);"));
    }

    private static Arguments option(Consumer<Body> code, Operation written, String line) {
        return Arguments.of(code, written, line);
    }

    private static Operation issue(PtxInstruction form, Input... inputs) {
        return new Operation.Issue(form, inputs);
    }

    private static Operation poll(PtxInstruction form, Input... inputs) {
        return new Operation.Poll(form, List.of(inputs), new Operation.Until.Done());
    }

    @ParameterizedTest
    @MethodSource("options")
    void anOptionIsWhatIsWrittenOut(Consumer<Body> code, Operation written, String line) {
        List<Step> steps = Body.steps(code);
        assertEquals(written, steps.getLast().operation());
        String text = CudaEmitter.emit(new TileProgram("options", "has one step", 32, 2, List.of(IN, OUT, MAP, IMAGE),
                new SharedLayout(List.of(RING, FULL)), steps)).text();
        // Lines that were too long are one again.
        String joined = text.replaceAll("\n {12,}", " ");
        assertEquals("    " + line, joined.lines().toList().get((int) joined.lines().count() - 2), text);
    }

    @Test
    void anOptionKeepsThePurposeAndTheLine() {
        List<Step> steps = Body.steps(b -> {
            CpAsyncStep step = b.purpose("the tail").cpAsync(TO, FROM, 4);
            b.purpose("all copies are started").cpAsyncCommit();
            step.sourceBytes(3).cacheHint(POLICY);
        });
        assertEquals(List.of("the tail", "all copies are started"), steps.stream().map(Step::purpose).toList());
        assertEquals(
                new Step("the tail", issue(CpAsync.of(4).withSource(CpAsync.Source.SIZED).withCacheHint(), Input.of(TO),
                Input.of(FROM), Input.of(3), Input.of(POLICY))), steps.getFirst());
        int line = steps.getLast().javaLine().orElseThrow().line();
        assertEquals(new JavaLine("StepOptionsTest.java", line - 1), steps.getFirst().javaLine().orElseThrow());
    }

    @Test
    void optionsThatAFormDoesNotHaveAreRefused() {
        refused("an im2col copy of rank 4 takes 2 offsets, got 1",
                b -> b.tensorLoad(TO, IMAGE, PIXEL, BARRIER).im2col(Expr.list(5)));
        refused("cp.async.ca.shared.global.L2::cache_hint: operand 'policy' takes a 64-bit number, got a number of "
                + "type S32", b -> b.cpAsync(TO, FROM, 4).cacheHint(Expr.of(7)));
        refused("mbarrier.arrive.shared::cta.b64: operand 'count' takes a 32-bit number, got a number of type S64",
                b -> b.arrive(BARRIER).count(Expr.of(2L)));
    }

    private static void refused(String message, Consumer<Body> code) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, () -> Body.steps(code)).getMessage());
    }

    /** Hints change no byte; less of the source means zeros. */
    @Test
    void copiesWithOptionsRun() {
        byte[] in = new byte[64];
        IntStream.range(0, 64).forEach(i -> in[i] = (byte) (i + 1));
        byte[] out = new byte[64];
        TileProgram program = new TileProgram("copies", "with options", 4, List.of(IN, OUT),
                new SharedLayout(List.of(RING)), Body.steps(b -> {
            Expr at = b.let("at", Builtin.THREAD.times(16));
            Address.Global from = new Address.Global(IN, at.toS64());
            b.when(Builtin.THREAD.isEqualTo(0), one -> one.cpAsync(RING.at(at), from, 16).cacheHint(Expr.of(0L))
                    .throughL1());
            b.when(Builtin.THREAD.isEqualTo(1), one -> one.cpAsync(RING.at(at), from, 16).sourceBytes(5));
            b.when(Builtin.THREAD.isEqualTo(2), one -> one.cpAsync(RING.at(at), from, 16).ignoreSource(Expr.of(1)));
            b.when(Builtin.THREAD.isEqualTo(3), one -> one.cpAsync(RING.at(at), from, 16).ignoreSource(Expr.of(0))
                    .prefetchL2(CpAsync.PrefetchSize.L2_256B));
            b.cpAsyncCommit();
            b.cpAsyncWait(0);
            b.store(new Address.Global(OUT, at.toS64()), b.load("piece", ElementType.U32, 4, RING.at(at)));
        }));
        Reference.run(new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                List.of(MemorySegment.ofArray(in), MemorySegment.ofArray(out)));
        byte[] expected = in.clone();
        Arrays.fill(expected, 21, 48, (byte) 0);
        assertArrayEquals(expected, out);
    }

    /** One of four arrivals leaves; the next phase takes three, and the wait of another block's scope sees them. */
    @Test
    void arrivalsWithOptionsRun() {
        byte[] out = new byte[8];
        TileProgram program = new TileProgram("arrives", "with options", 1, List.of(OUT),
                new SharedLayout(List.of(FULL)), Body.steps(b -> {
            b.barrierInit(BARRIER, 4);
            b.arrive(BARRIER).count(2).order(ArriveOrder.RELAXED_CTA);
            b.arrive(BARRIER).drop().order(ArriveOrder.RELEASE_CLUSTER);
            Token first = b.arriveExpectTx(BARRIER, 0).order(ArriveOrder.RELEASE_CTA).token("phase");
            b.waitToken(BARRIER, first).order(WaitOrder.ACQUIRE_CTA);
            Token second = b.arrive(BARRIER).count(3).token("phase");
            b.waitToken(BARRIER, second);
            b.waitParity(BARRIER, 1).order(WaitOrder.ACQUIRE_CLUSTER);
            b.issue(St.relaxed(Scope.GPU, Space.GLOBAL,
                    DataType.B32), Input.of(DESTINATION), Input.of(42));
        }));
        Reference.run(new Launch(program, 1, List.of(new Argument.Buffer(0))), List.of(MemorySegment.ofArray(out)));
        assertEquals(42, out[0]);
    }
}
