package dev.tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.ptx.approx.Approximation;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.CopyInstruction;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.copy.Destination;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.ptx.warp.Setmaxnreg;
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

/** The instruction records: what they refuse, and that operands, text, names and effects of every form fit together. */
class PtxInstructionTest {
    private static final Pattern PLACEHOLDER = Pattern.compile("%([a-z0-9_]+)%");

    static Stream<Class<? extends PtxInstruction>> instructions() {
        return Catalogue.instructions().stream();
    }

    @ParameterizedTest
    @MethodSource("instructions")
    void everyRecordHasForms(Class<? extends PtxInstruction> instruction) {
        List<? extends PtxInstruction> forms = Catalogue.forms(instruction).toList();
        assertFalse(forms.isEmpty());
        assertEquals(forms.size(), new HashSet<>(forms).size());
    }

    /** Forms of an instruction: an ordinary run takes one in four. */
    private static Stream<? extends PtxInstruction> some(Class<? extends PtxInstruction> instruction) {
        List<? extends PtxInstruction> all = Catalogue.forms(instruction).toList();
        int first = instruction.getName().hashCode();
        return IntStream.range(0, all.size()).filter(i -> Thorough.takes(first + i, 4)).mapToObj(all::get);
    }

    @ParameterizedTest
    @MethodSource("instructions")
    void operandsAndTextFitTogether(Class<? extends PtxInstruction> instruction) {
        some(instruction).forEach(form -> {
            List<String> inText = PLACEHOLDER.matcher(form.operandText()).results().map(m -> m.group(1)).toList();
            assertEquals(form.operands().stream().map(Operand::name).toList(), inText);
            assertEquals(inText.size(), new HashSet<>(inText).size(), "no name stands for two operands: " + inText);
            for (Operand o : form.operands()) {
                assertEquals(o.kind().bracketed(), form.operandText().contains("[%" + o.name() + "%]"), o::toString);
                assertTrue(form.listing().contains(o.name()), form.listing());
            }
            assertFalse(form.opcode().contains(" ") || form.opcode().contains("..") || form.opcode().endsWith("."),
                    form.opcode());
            assertFalse(form.listing().contains("%"), form.listing());
            assertTrue(form.functionName().matches("[a-z][a-z0-9_]*"), form.functionName());
            assertFalse(form.summary().isBlank() || form.summary().contains("\n"));
            assertFalse(form.section().isBlank());
        });
    }

    @ParameterizedTest
    @MethodSource("instructions")
    void effectsSpeakOfOperands(Class<? extends PtxInstruction> instruction) {
        some(instruction).forEach(form -> {
            Set<String> names = form.operands().stream().map(Operand::name).collect(Collectors.toSet());
            for (Effects.Access access : form.effects().accesses()) {
                assertTrue(names.contains(access.operand()), () -> form.opcode() + ": " + access);
                if (access.extent() instanceof Effects.Extent.Counted(String operand)) {
                    assertTrue(names.contains(operand), () -> form.opcode() + ": " + access);
                }
            }
            boolean counts = form.effects().completion() == Effects.Completion.MBARRIER;
            assertEquals(counts, form.opcode().contains("mbarrier::complete_tx"), form.opcode());
            assertEquals(counts && form instanceof CopyInstruction, form.role() == StepRole.COUNTED_LOAD,
                    form.opcode());
            assertEquals(form.effects().completion() == Effects.Completion.BULK_GROUP,
                    form.opcode().endsWith("bulk_group")
                    || form.opcode().contains(".bulk_group."), form.opcode());
        });
    }

    @Test
    void noTwoFormsShareAFunctionOrALine() {
        Set<String> functions = new HashSet<>();
        Set<String> lines = new HashSet<>();
        Catalogue.forms().forEach(form -> {
            assertTrue(functions.add(form.functionName()), form.functionName());
            assertTrue(lines.add(form.opcode() + " " + form.listing()), form.opcode());
        });
        assertTrue(functions.size() >= 5_000, "there are " + functions.size() + " forms");
    }

    @ParameterizedTest
    @MethodSource("instructions")
    void gatesAreSound(Class<? extends PtxInstruction> instruction) {
        some(instruction).forEach(form -> {
            assertTrue(form.gate().admits(form.since(), form.minimumTarget()), form.opcode());
            assertTrue(Target.KNOWN.contains(form.minimumTarget()), form.opcode());
            assertEquals(form.minimumTarget().major() < 10 && !(form instanceof Approximation),
                    form.evidence() == Evidence.MEASURED, form.opcode());
            for (Target t : Target.KNOWN) {
                if (t.major() * 10 + t.minor() < form.minimumTarget().major() * 10 + form.minimumTarget().minor()) {
                    assertFalse(form.gate().admits(PtxVersion.of(9, 9), t), form.opcode() + " on " + t);
                }
            }
        });
    }

    @ParameterizedTest
    @MethodSource("instructions")
    void spellingsAreOfOneOperation(Class<? extends PtxInstruction> instruction) {
        some(instruction).forEach(form -> {
            assertTrue(form.spellings().contains(form), form.opcode());
            for (PtxInstruction other : form.spellings()) {
                assertEquals(form.spellings(), other.spellings());
                assertEquals(form.operands(), other.operands());
                assertEquals(form.effects(), other.effects());
            }
        });
    }

    @Test
    void theSpellingFollowsTheCompiler() {
        TensorLoad own = new TensorLoad(2).withDestination(Destination.SHARED_CTA);
        assertEquals(new TensorLoad(2), own.spelledFor(PtxVersion.of(8, 5), Target.SM_90A));
        assertEquals(own, own.spelledFor(PtxVersion.of(8, 6), Target.SM_90A));
        assertEquals(new TensorLoad(2), new TensorLoad(2).spelledFor(PtxVersion.of(9, 0), Target.SM_90A));
    }

    @ParameterizedTest
    @MethodSource
    void whatATargetLacksSaysWhatItNeeds(PtxInstruction form, PtxVersion version, Target target, String message) {
        assertEquals(message, assertThrows(UnavailableFormException.class, () -> form.spelledFor(version, target))
                .getMessage());
    }

    static Stream<Arguments> whatATargetLacksSaysWhatItNeeds() {
        return Stream.of(
                Arguments.of(new BulkCommitGroup(), PtxVersion.of(7, 8), Target.SM_90,
                        "cp.async.bulk.commit_group needs PTX 8.0 and sm_90 or later; asked for PTX 7.8 and sm_90"),
                Arguments.of(new BulkCommitGroup(), PtxVersion.of(9, 0), Target.SM_89,
                        "cp.async.bulk.commit_group needs PTX 8.0 and sm_90 or later; asked for PTX 9.0 and sm_89"),
                Arguments.of(Setmaxnreg.inc(64), PtxVersion.of(9, 0), Target.SM_100,
                        "setmaxnreg.inc.sync.aligned.u32 needs PTX 8.0 and sm_90a, or PTX 8.6 and sm_100a, or PTX 8.8 "
                        + "and sm_100f"
                                + " or later in its family, or PTX 9.0 and sm_110a, or PTX 9.0 and sm_110f or later in "
                                + "its family,"
                                + " or PTX 8.7 and sm_120a, or PTX 8.8 and sm_120f or later in its family;"
                                + " asked for PTX 9.0 and sm_100"));
    }

    @ParameterizedTest
    @MethodSource
    void refusals(Runnable wrong, String message) {
        assertEquals(message, assertThrows(IllegalFormException.class, wrong::run).getMessage());
    }

    static Stream<Arguments> refusals() {
        return Stream.of(
                refusal(() -> new TensorLoad(0), "a tensor copy has rank 1 to 5, got 0 (PTX ISA, "
                + "\"cp.async.bulk.tensor\")"), refusal(() -> new TensorStore(6),
                "a tensor copy has rank 1 to 5, got 6 (PTX ISA, \"cp.async.bulk.tensor\")"),
                refusal(() -> new TensorLoad(2).withMode(LoadMode.IM2COL), "im2col is of tensors of rank 3 to 5, got 2"
                        + " (PTX ISA, \"cp.async.bulk.tensor\")"),
                refusal(() -> new BulkLoad().withDestination(Destination.SHARED_CTA).withMulticast(),
                        "cp.async.bulk copies to several blocks with a"
                        + " destination in .shared::cluster, got .shared::cta (PTX ISA, \"cp.async.bulk\")"),
                refusal(() -> new BulkReduce(AtomicOp.ADD, DataType.S64),
                        "cp.reduce.async.bulk to global memory takes .add of"
                        + " [u32, u64, s32, f16, bf16, f32, f64], got s64 (PTX ISA, \"cp.reduce.async.bulk\")"),
                refusal(() -> CpAsync.of(3), "cp.async copies 4, 8 or 16 bytes, got 3 (PTX ISA, \"cp.async\")"),
                refusal(() -> CpAsync.of(4).withCache(CpAsync.Cache.CG),
                        "cp.async.cg copies 16 bytes, got 4 (PTX ISA, \"cp.async\")"),
                refusal(() -> new CpAsyncWaitGroup(-1), "pending groups must be at least 0, got -1"
                        + " (PTX ISA, \"cp.async.wait_group / cp.async.wait_all\")"),
                refusal(() -> new MbarrierArrive().withSpace(Space.SHARED_CLUSTER).withResult(ArriveResult.TOKEN),
                        "mbarrier.arrive in .shared::cluster hands out no token: the sink _ stands in its place"
                                + " (PTX ISA, \"mbarrier.arrive\")"),
                refusal(() -> Red.release(Scope.GPU, Space.GLOBAL, AtomicOp.CAS, DataType.B32),
                        "red has no .cas: use atom (PTX ISA, \"red\")"),
                refusal(() -> new TensormapReplace(TensormapReplace.Field.GLOBAL_DIM, 5),
                "tensormap.replace.global_dim: "
                        + "the number of the dimension or stride must be in [0, 4], got 5 (PTX ISA, "
                        + "\"tensormap.replace\")"),
                refusal(() -> Setmaxnreg.inc(20), "setmaxnreg takes a multiple of 8 from 24 to 256, got 20"
                        + " (PTX ISA, \"setmaxnreg\")"));
    }

    private static Arguments refusal(Runnable wrong, String message) {
        return Arguments.of(wrong, message);
    }

    @Test
    void streamingGoesPastL1WhereItCan() {
        assertEquals(CpAsync.Cache.CG, CpAsync.of(16).cache());
        assertEquals(CpAsync.Cache.CA, CpAsync.of(8).cache());
        assertEquals(CpAsync.Cache.CA, CpAsync.of(4).cache());
    }

    @Test
    void versionsAreOrderedByNumber() {
        assertTrue(PtxVersion.of(7, 8).compareTo(PtxVersion.of(8, 0)) < 0);
        assertTrue(PtxVersion.of(8, 10).compareTo(PtxVersion.of(8, 9)) > 0);
        assertEquals("8.0", PtxVersion.of(8, 0).toString());
        assertEquals(PtxVersion.of(8, 10), PtxVersion.parse("8.10"));
        assertThrows(IllegalArgumentException.class, () -> PtxVersion.parse("8"));
    }

    @Test
    void everyToolkitTakesAVersion() {
        assertEquals(PtxVersion.of(7, 0), PtxVersion.ofCuda(11, 0));
        assertEquals(PtxVersion.of(7, 8), PtxVersion.ofCuda(11, 8));
        assertEquals(PtxVersion.of(8, 5), PtxVersion.ofCuda(12, 5));
        assertEquals(PtxVersion.of(8, 5), PtxVersion.ofCuda(12, 6));
        assertEquals(PtxVersion.of(8, 7), PtxVersion.ofCuda(12, 8));
        assertEquals(PtxVersion.of(8, 8), PtxVersion.ofCuda(12, 9));
        assertEquals(PtxVersion.of(9, 0), PtxVersion.ofCuda(13, 0));
    }

    /**
     * Mutants break what orders by its role: an instruction that fences or waits and says none would be left out. What
     * waits for the grid before is left out, since mutants are of one launch.
     */
    @Test
    void whatFencesOrWaitsHasARole() {
        assertEquals(List.of("griddepcontrol.wait"), Catalogue.forms()
                .filter(f -> f.effects().fence().isPresent() || f.effects().waitsFor().isPresent()
                        || f.effects().accesses().isEmpty() && f.effects().order().isPresent())
                .filter(f -> !f.role().orders()).map(PtxInstruction::opcode).toList());
    }
}
