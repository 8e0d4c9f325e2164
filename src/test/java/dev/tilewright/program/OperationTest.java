package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What every operation, address, fragment and step refuses when it is made, with the whole message. */
class OperationTest {
    private static final Parameter.Pointer IN = new Parameter.Pointer("in", false);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final Parameter.TensorMap MAP = new Parameter.TensorMap("map", 2);
    private static final SharedRegion.Buffer RING = new SharedRegion.Buffer("ring", 1024, 128);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 2);
    private static final Expr N = Expr.of(16);
    private static final Expr W = Expr.of(16L);
    private static final Address.Shared PLACE = RING.at(N);
    private static final Address.Global FROM = new Address.Global(IN, W);
    private static final Address.Global TO = new Address.Global(OUT, W);
    private static final Address.Barrier BARRIER = FULL.at(N);
    private static final Ld LOAD = Ld.acquire(Scope.GPU, Space.GLOBAL, DataType.U32);
    private static final Fragment HALVES = new Fragment("halves", ElementType.F16, 8);

    @ParameterizedTest
    @MethodSource
    void refusals(Runnable wrong, String message) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, wrong::run).getMessage());
    }

    static Stream<Arguments> refusals() {
        Expr.Var x = new Expr.Var("x", IntType.S32);
        return Stream.of(
                refusal(() -> new Operation.Let(x, W), "variable 'x' has type S32, its value has type S64"),
                refusal(() -> new Operation.Loop(x, W, N, N, List.of()),
                "variable 'x' has type S32, its value has type S64"),
                refusal(() -> new Operation.Loop(x, N, W, N, List.of()),
                "variable 'x' has type S32, its value has type S64"),
                refusal(() -> new Operation.Loop(x, N, N, W, List.of()),
                "variable 'x' has type S32, its value has type S64"),
                refusal(() -> new Operation.Guard(N, List.of(), List.of()),
                "a guard needs a condition, got an integer of type S32"),
                refusal(() -> new Operation.Load(HALVES, BARRIER), "barrier 'full' is not memory for elements"),
                refusal(() -> new Operation.Store(BARRIER, HALVES), "barrier 'full' is not memory for elements"),
                refusal(() -> new Operation.Store(FROM, HALVES), "pointer 'in' is declared read-only"),
                refusal(() -> steps(b -> b.cpAsync(PLACE, FROM, 12)),
                "cp.async copies 4, 8 or 16 bytes, got 12 (PTX ISA, \"cp.async\")"),
                refusal(() -> steps(b -> b.cpAsync(PLACE, FROM, 16).sourceBytes(W)),
                        "cp.async.cg.shared.global: operand 'src_bytes' takes a 32-bit number, got a number of type "
                        + "S64"),
                refusal(() -> steps(b -> b.cpAsyncWait(-1)),
                        "pending groups must be at least 0, got -1 (PTX ISA, \"cp.async.wait_group / "
                        + "cp.async.wait_all\")"),
                refusal(() -> steps(b -> b.bulkWaitRead(-2)),
                        "pending groups must be at least 0, got -2 (PTX ISA, \"cp.async.bulk.wait_group\")"),
                refusal(() -> steps(b -> b.bulkLoad(PLACE, FROM, W, BARRIER)),
                        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes: operand 'bytes' takes a "
                        + "32-bit number, "
                                + "got a number of type S64"),
                refusal(() -> steps(b -> b.bulkStore(TO, PLACE, W)),
                        "cp.async.bulk.global.shared::cta.bulk_group: operand 'bytes' takes a 32-bit number, got a "
                        + "number of type S64"),
                refusal(() -> steps(b -> b.bulkStore(FROM, PLACE, N)),
                        "cp.async.bulk.global.shared::cta.bulk_group: pointer 'in' is declared read-only"),
                refusal(() -> steps(b -> b.tensorLoad(PLACE, MAP, List.of(N), BARRIER)),
                        "tensor map 'map' of rank 2 takes 2 coordinates, got 1"),
                refusal(() -> steps(b -> b.tensorStore(MAP, List.of(N, N, N), PLACE)),
                        "tensor map 'map' of rank 2 takes 2 coordinates, got 3"),
                refusal(() -> steps(b -> b.tensorStore(MAP, List.of(N, W), PLACE)),
                        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group: operand 'c1' takes a 32-bit number, "
                                + "got a number of type S64"),
                refusal(() -> steps(b -> b.barrierInit(BARRIER, 0)), "arrivals must be in [1, 1048575], got 0"),
                refusal(() -> steps(b -> b.barrierInit(BARRIER, 1 << 20)),
                "arrivals must be in [1, 1048575], got 1048576"),
                refusal(() -> steps(b -> b.arriveExpectTx(BARRIER, W)),
                        "mbarrier.arrive.expect_tx.shared::cta.b64: operand 'bytes' takes a 32-bit number, got a "
                        + "number of type S64"),
                refusal(() -> steps(b -> b.expectTx(BARRIER, W)),
                        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64: operand 'bytes' takes a 32-bit number, got a "
                        + "number of type S64"),
                refusal(() -> steps(b -> b.waitParity(BARRIER, W)),
                        "mbarrier.try_wait.parity.shared::cta.b64: operand 'parity' takes a 32-bit number, got a "
                        + "number of type S64"),
                refusal(() -> new Operation.Until.Holds(x, x.plus(1)),
                        "a poll ends when a condition holds, got an integer of type S32"),
                refusal(() -> new Operation.Poll(LOAD, List.of(Input.of(FROM)),
                        new Operation.Until.Holds(new Expr.Var("y", IntType.S64), x.isEqualTo(1))),
                        "ld.acquire.gpu.global.u32: result 'value' has type S32, variable 'y' has type S64"),
                refusal(() -> RING.at(W), "a shared offset has 32 bits, got type S64: use toS32()"),
                refusal(() -> FULL.at(N.lessThan(N)), "a barrier index has 32 bits, got type BOOL"),
                refusal(() -> new Operation.Poll(LOAD, List.of(Input.of(FROM)), new Operation.Until.Done()),
                        "ld.acquire.gpu.global.u32 does not say whether something is done: only an instruction whose "
                        + "single "
                                + "result is a predicate can be polled like this"),
                refusal(() -> steps(b -> b.purpose("left alone")), "no step follows the purpose 'left alone'"),
                refusal(() -> steps(b -> b.purpose("left alone").purpose("again")),
                "no step follows the purpose 'left alone'"),
                refusal(() -> new Fragment("f", ElementType.F32, 3),
                "fragment 'f' must have 1, 2, 4, 8 or 16 bytes, got 3 x f32"),
                refusal(() -> new Fragment("f", ElementType.F64, 4),
                "fragment 'f' must have 1, 2, 4, 8 or 16 bytes, got 4 x f64"),
                refusal(() -> new Fragment("f", ElementType.U8, 0),
                "fragment 'f' must have 1, 2, 4, 8 or 16 bytes, got 0 x u8"),
                refusal(() -> new Fragment("f", ElementType.U8, -16),
                "fragment 'f' must have 1, 2, 4, 8 or 16 bytes, got -16 x u8"),
                refusal(() -> new Parameter.TensorMap("map", 0), "tensor map 'map' must have rank 1 to 5, got 0"),
                refusal(() -> new Parameter.TensorMap("map", 6), "tensor map 'map' must have rank 1 to 5, got 6"),
                refusal(() -> new Step(" ", new Operation.SyncThreads()),
                "a step's purpose is one line of text, got ' '"),
                refusal(() -> new Step("a\nb", new Operation.SyncThreads()),
                "a step's purpose is one line of text, got 'a\nb'"),
                refusal(() -> new Step("a\rb", new Operation.SyncThreads()),
                "a step's purpose is one line of text, got 'a\rb'"),
                refusal(() -> new Step("a \\ ", new Operation.SyncThreads()),
                "a step's purpose is one line of text, got 'a \\ '"));
    }

    private static void steps(Consumer<Body> code) {
        Body.steps(code);
    }

    private static Arguments refusal(Runnable wrong, String message) {
        return Arguments.of(wrong, message);
    }

    @Test
    void largestAndSmallestThatFit() {
        assertEquals(16, new Fragment("f", ElementType.U8, 16).bytes());
        assertEquals(1, Body.steps(b -> b.barrierInit(BARRIER, 1048575)).size());
        assertEquals(5, new Parameter.TensorMap("map", 5).rank());
        assertEquals("a \\ b", new Step("a \\ b", new Operation.SyncThreads()).purpose());
    }
}
