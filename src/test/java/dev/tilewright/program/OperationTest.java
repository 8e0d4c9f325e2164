package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.WordType;
import dev.tilewright.ptx.memory.Ld;
import java.util.List;
import java.util.Optional;
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
    private static final Ld LOAD = Ld.acquire(Scope.GPU, Space.GLOBAL, WordType.U32);
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
                refusal(() -> new Operation.Loop(x, W, N, N, List.of()), "variable 'x' has type S32, its value has type S64"),
                refusal(() -> new Operation.Loop(x, N, W, N, List.of()), "variable 'x' has type S32, its value has type S64"),
                refusal(() -> new Operation.Loop(x, N, N, W, List.of()), "variable 'x' has type S32, its value has type S64"),
                refusal(() -> new Operation.Guard(N, List.of(), List.of()), "a guard needs a condition, got an integer of type S32"),
                refusal(() -> new Operation.Load(HALVES, BARRIER), "barrier 'full' is not memory for elements"),
                refusal(() -> new Operation.Store(BARRIER, HALVES), "barrier 'full' is not memory for elements"),
                refusal(() -> new Operation.Store(FROM, HALVES), "pointer 'in' is declared read-only"),
                refusal(() -> new Operation.Apply(HALVES, ElementStep.COPY, new Parameter.Scalar("s", ElementType.F32)),
                        "a COPY step leaves the fragment as it is: leave it out"),
                refusal(() -> new Operation.Apply(HALVES, ElementStep.SCALE, new Parameter.Scalar("s", ElementType.F16)),
                        "scalar 's' must have type f32 for elements of type f16, got f16"),
                refusal(() -> new Operation.CpAsyncCopy(PLACE, FROM, 12, Optional.empty()), "cp.async copies 4, 8 or 16 bytes, got 12 (PTX ISA, \"cp.async\")"),
                refusal(() -> new Operation.CpAsyncCopy(PLACE, FROM, 16, Optional.of(W)),
                        "the number of source bytes must have type S32, got S64"),
                refusal(() -> new Operation.CpAsyncWait(-1), "pending groups must be at least 0, got -1"),
                refusal(() -> new Operation.BulkWait(-2, true), "pending groups must be at least 0, got -2"),
                refusal(() -> new Operation.BulkLoadCopy(PLACE, FROM, W, BARRIER), "the byte count must have type S32, got S64"),
                refusal(() -> new Operation.BulkStoreCopy(TO, PLACE, W), "the byte count must have type S32, got S64"),
                refusal(() -> new Operation.BulkStoreCopy(FROM, PLACE, N), "pointer 'in' is declared read-only"),
                refusal(() -> new Operation.TensorLoadBox(PLACE, MAP, List.of(N), BARRIER),
                        "tensor map 'map' of rank 2 takes 2 coordinates, got 1"),
                refusal(() -> new Operation.TensorStoreBox(MAP, List.of(N, N, N), PLACE),
                        "tensor map 'map' of rank 2 takes 2 coordinates, got 3"),
                refusal(() -> new Operation.TensorStoreBox(MAP, List.of(N, W), PLACE), "a coordinate must have type S32, got S64"),
                refusal(() -> new Operation.BarrierInit(BARRIER, 0), "arrivals must be in [1, 1048575], got 0"),
                refusal(() -> new Operation.BarrierInit(BARRIER, 1 << 20), "arrivals must be in [1, 1048575], got 1048576"),
                refusal(() -> new Operation.ArriveExpectTx(BARRIER, W, Optional.empty()), "the byte count must have type S32, got S64"),
                refusal(() -> new Operation.ExpectTx(BARRIER, W), "the byte count must have type S32, got S64"),
                refusal(() -> new Operation.WaitParity(BARRIER, W), "a parity must have type S32, got S64"),
                refusal(() -> new Operation.WaitUntil(LOAD, Input.of(FROM), x, x.plus(1)),
                        "what a value is waited for by must have type BOOL, got S32"),
                refusal(() -> new Operation.WaitUntil(LOAD, Input.of(FROM), new Expr.Var("y", IntType.S64), x.isEqualTo(1)),
                        "ld.acquire.gpu.global.u32: result 'value' has type S32, variable 'y' has type S64"),
                refusal(() -> RING.at(W), "a shared offset must have type S32, got S64"),
                refusal(() -> FULL.at(N.lessThan(N)), "a barrier index must have type S32, got BOOL"),
                refusal(() -> new Address.Global(IN, N), "a global offset must have type S64, got S32"),
                refusal(() -> new Fragment("f", ElementType.F32, 3), "fragment 'f' must have 1, 2, 4, 8 or 16 bytes, got 3 x f32"),
                refusal(() -> new Fragment("f", ElementType.F64, 4), "fragment 'f' must have 1, 2, 4, 8 or 16 bytes, got 4 x f64"),
                refusal(() -> new Fragment("f", ElementType.U8, 0), "fragment 'f' must have 1, 2, 4, 8 or 16 bytes, got 0 x u8"),
                refusal(() -> new Fragment("f", ElementType.U8, -16), "fragment 'f' must have 1, 2, 4, 8 or 16 bytes, got -16 x u8"),
                refusal(() -> new Parameter.TensorMap("map", 0), "tensor map 'map' must have rank 1 to 5, got 0"),
                refusal(() -> new Parameter.TensorMap("map", 6), "tensor map 'map' must have rank 1 to 5, got 6"),
                refusal(() -> new Step(" ", new Operation.SyncThreads()), "a step's purpose is one line of text, got ' '"),
                refusal(() -> new Step("a\nb", new Operation.SyncThreads()), "a step's purpose is one line of text, got 'a\nb'"),
                refusal(() -> new Step("a\rb", new Operation.SyncThreads()), "a step's purpose is one line of text, got 'a\rb'"),
                refusal(() -> new Step("a \\ ", new Operation.SyncThreads()), "a step's purpose is one line of text, got 'a \\ '"));
    }

    private static Arguments refusal(Runnable wrong, String message) {
        return Arguments.of(wrong, message);
    }

    @Test
    void largestAndSmallestThatFit() {
        assertEquals(16, new Fragment("f", ElementType.U8, 16).bytes());
        assertEquals(1048575, new Operation.BarrierInit(BARRIER, 1048575).arrivals());
        assertEquals(5, new Parameter.TensorMap("map", 5).rank());
        assertEquals("a \\ b", new Step("a \\ b", new Operation.SyncThreads()).purpose());
    }
}
