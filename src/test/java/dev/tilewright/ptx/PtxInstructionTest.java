package dev.tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The instruction records: what they refuse, and that operands, text and names of every form fit together. */
class PtxInstructionTest {

    /** Every form, with small numbers for those that take a count of groups. */
    static Stream<PtxInstruction> forms() {
        List<PtxInstruction> all = new ArrayList<>(List.of(new CpAsyncCommitGroup(), new BulkLoad(), new BulkStore(),
                new BulkCommitGroup(), new MbarrierInit(), new MbarrierArrive(), new MbarrierArriveExpectTx(), new MbarrierExpectTx(),
                new MbarrierTryWait(), new MbarrierTryWaitParity(), new FenceMbarrierInit(), new TensormapCpFenceproxy(),
                new FenceProxyTensormapAcquire(), new FenceProxyTensormapRelease(), new PrefetchTensormap()));
        for (boolean sized : new boolean[] {false, true}) {
            for (int bytes : new int[] {4, 8, 16}) {
                all.add(new CpAsync(CpAsync.Cache.CA, bytes, sized));
            }
            all.add(new CpAsync(CpAsync.Cache.CG, 16, sized));
            for (int pending = 0; pending < 8; pending++) {
                all.add(new BulkWaitGroup(pending, sized));
            }
        }
        IntStream.range(0, 8).forEach(pending -> all.add(new CpAsyncWaitGroup(pending)));
        for (int rank = 1; rank <= 5; rank++) {
            all.add(new TensorLoad(rank));
            all.add(new TensorStore(rank));
        }
        for (FenceProxyAsync.Scope scope : FenceProxyAsync.Scope.values()) {
            all.add(new FenceProxyAsync(scope));
        }
        for (TensormapReplace.Field field : TensormapReplace.Field.values()) {
            IntStream.rangeClosed(0, field.lastImmediate()).forEach(n -> all.add(new TensormapReplace(field, n)));
        }
        return all.stream();
    }

    @Test
    void everyRecordIsAmongTheForms() {
        assertEquals(Set.of(PtxInstruction.class.getPermittedSubclasses()), forms().map(Object::getClass).collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @MethodSource("forms")
    void operandsAndTextFitTogether(PtxInstruction form) {
        List<String> inText = Pattern.compile("%([a-z0-9_]+)%").matcher(form.operandText()).results().map(m -> m.group(1)).toList();
        assertEquals(form.operands().stream().map(Operand::name).toList(), inText);
        for (Operand o : form.operands()) {
            assertEquals(o.kind().bracketed(), form.operandText().contains("[%" + o.name() + "%]"), o::toString);
        }
        assertTrue(form.operands().stream().filter(o -> o.kind().isOutput()).count() <= 1);
        assertFalse(form.opcode().contains(" ") || form.opcode().endsWith("."), form.opcode());
        assertTrue(form.functionName().matches("[a-z][a-z0-9_]*"), form.functionName());
        assertFalse(form.summary().isBlank() || form.summary().contains("\n"));
        assertTrue(form.since().compareTo(PtxVersion.of(7, 0)) >= 0 && form.since().compareTo(PtxVersion.of(9, 9)) < 0);
    }

    @Test
    void noTwoFormsShareAFunctionOrALine() {
        Set<String> functions = new HashSet<>();
        Set<String> lines = new HashSet<>();
        forms().forEach(form -> {
            assertTrue(functions.add(form.functionName()), form.functionName());
            assertTrue(lines.add(form.opcode() + " " + form.operandText()), form.opcode());
        });
    }

    @ParameterizedTest
    @MethodSource("forms")
    void copyEngineAndTransactionsNeedHopper(PtxInstruction form) {
        boolean ampere = form instanceof CpAsync || form instanceof CpAsyncCommitGroup || form instanceof CpAsyncWaitGroup
                || form instanceof MbarrierInit || form instanceof MbarrierArrive;
        assertEquals(ampere ? Target.SM_80 : form instanceof TensormapReplace ? Target.SM_90A : Target.SM_90, form.minimumTarget());
    }

    @ParameterizedTest
    @MethodSource
    void refusals(Runnable wrong, String message) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, wrong::run).getMessage());
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                refusal(() -> new TensorLoad(0), "a tensor copy has rank 1 to 5, got 0"),
                refusal(() -> new TensorLoad(6), "a tensor copy has rank 1 to 5, got 6"),
                refusal(() -> new TensorStore(0), "a tensor copy has rank 1 to 5, got 0"),
                refusal(() -> new TensorStore(6), "a tensor copy has rank 1 to 5, got 6"),
                refusal(() -> CpAsync.streaming(3, true), "cp.async copies 4, 8 or 16 bytes, got 3"),
                refusal(() -> CpAsync.streaming(0, false), "cp.async copies 4, 8 or 16 bytes, got 0"),
                refusal(() -> new CpAsync(CpAsync.Cache.CA, 32, false), "cp.async copies 4, 8 or 16 bytes, got 32"),
                refusal(() -> new CpAsync(CpAsync.Cache.CG, 4, false), "cp.async.cg copies 16 bytes, got 4"),
                refusal(() -> new CpAsync(CpAsync.Cache.CG, 8, true), "cp.async.cg copies 16 bytes, got 8"),
                refusal(() -> new CpAsyncWaitGroup(-1), "pending groups must be at least 0, got -1"),
                refusal(() -> new TensormapReplace(TensormapReplace.Field.GLOBAL_DIM, 5), "tensormap.replace.global_dim: "
                        + "the number of the dimension or stride must be in [0, 4], got 5"),
                refusal(() -> new TensormapReplace(TensormapReplace.Field.RANK, 1),
                        "tensormap.replace.rank: what is part of the instruction (its value is not) must be in [0, 0], got 1"),
                refusal(() -> new BulkWaitGroup(-1, false), "pending groups must be at least 0, got -1"));
    }

    private static Arguments refusal(Runnable wrong, String message) {
        return Arguments.of(wrong, message);
    }

    @Test
    void streamingGoesPastL1WhereItCan() {
        assertEquals(new CpAsync(CpAsync.Cache.CG, 16, true), CpAsync.streaming(16, true));
        assertEquals(new CpAsync(CpAsync.Cache.CA, 8, false), CpAsync.streaming(8, false));
        assertEquals(new CpAsync(CpAsync.Cache.CA, 4, true), CpAsync.streaming(4, true));
    }

    @Test
    void versionsAreOrderedByNumber() {
        assertTrue(PtxVersion.of(7, 8).compareTo(PtxVersion.of(8, 0)) < 0);
        assertTrue(PtxVersion.of(8, 10).compareTo(PtxVersion.of(8, 9)) > 0);
        assertEquals("8.0", PtxVersion.of(8, 0).toString());
    }
}
