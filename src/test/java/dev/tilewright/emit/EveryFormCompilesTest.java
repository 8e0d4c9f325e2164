package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.ptx.Catalogue;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.copy.RedAsyncRelease;
import dev.tilewright.ptx.copy.StAsyncRelease;
import dev.tilewright.ptx.mma.Wgmma;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every form of the catalogue is assembled as the emitter writes it, by the assembler inside the embedded NVRTC 13.3:
 * many forms in one compilation, which is halved where it fails until the form at fault stands alone. No toolkit is
 * needed. {@link PtxasTest} asks a second assembler. Of wgmma's forms, 4,896, those with the least, an odd and the
 * largest n are compiled, with everything else that they can have; {@code -Dtilewright.catalogue=all} takes all, which
 * is minutes: the others without the assembler's optimisation, which refuses nothing and takes half of the time.
 */
@Order(10)
class EveryFormCompilesTest {
    private static final int FORMS_AT_ONCE = 150;
    private static final int FURTHER_AT_ONCE = 40;
    private static final boolean ALL = "all".equals(System.getProperty("tilewright.catalogue"));

    private static Nvrtc nvrtc;
    private static PtxVersion newest;

    @BeforeAll
    static void find() {
        nvrtc = EmbeddedCompiler.release("13.3");
        newest = nvrtc.ptxVersion();
    }

    /** Forms of device registers at GPU scope: ptxas 13.0 takes them, 13.3 says that the scope has to be the system. */
    static boolean isRefusedBy13_3(PtxInstruction form) {
        return form instanceof StAsyncRelease s && s.mmio() && s.scope() == Scope.GPU
                || form instanceof RedAsyncRelease r && r.mmio() && r.scope() == Scope.GPU;
    }

    static Stream<Target> lowestTargets() {
        return Catalogue.forms().map(PtxInstruction::minimumTarget).distinct().sorted();
    }

    @ParameterizedTest
    @MethodSource("lowestTargets")
    void onItsLowestTarget(Target target) {
        check(target, form -> form.minimumTarget().equals(target));
    }

    /** One in six, all with {@code -Dtilewright.thorough=true}: PtxasTest asks about all, too. */
    @Test
    void allThatHopperHasFromOlderTargetsToo() {
        AtomicInteger number = new AtomicInteger();
        int each = Thorough.of(6, 1);
        check(Target.SM_90A, form -> form.gate().admits(newest, Target.SM_90A) && !form.minimumTarget()
                .equals(Target.SM_90A) && number.getAndIncrement() % each == 0);
    }

    /** All of the catalogue, or a part of wgmma's. */
    static Stream<PtxInstruction> forms() {
        return Catalogue.forms()
                .filter(f -> ALL || !isFurtherSize(f));
    }

    private static boolean isFurtherSize(PtxInstruction form) {
        return form instanceof Wgmma w && w.n() != 8 && w.n() != 24 && w.n() != 256;
    }

    private static void check(Target target, Predicate<PtxInstruction> wanted) {
        List<PtxInstruction> forms = forms().filter(wanted).toList();
        assertFalse(forms.isEmpty());
        List<String> refused = new ArrayList<>();
        Map<Boolean, List<PtxInstruction>> further =
                forms.stream().collect(Collectors.partitioningBy(EveryFormCompilesTest::isFurtherSize));
        assemble(target, further.get(false), FORMS_AT_ONCE, List.of(), refused);
        assemble(target, further.get(true), FURTHER_AT_ONCE, List.of("--ptxas-options=-O0"), refused);
        refused.forEach(r -> System.err.println("refused: " + r));
        System.err.println("NVRTC " + nvrtc.version() + ", " + target + ": " + (forms.size() - refused.size()) + " of "
                + forms.size()
                + " forms assembled");
        assertEquals(forms.stream().filter(EveryFormCompilesTest::isRefusedBy13_3).count(), refused.size(),
                () -> String.join("\n", refused));
        assertTrue(refused.stream().allMatch(r -> r.contains("Illegal modifier '.gpu'")),
                () -> String.join("\n", refused));
    }

    private static void assemble(Target target, List<PtxInstruction> forms, int atOnce, List<String> options,
            List<String> refused) {
        for (int i = 0; i < forms.size(); i += atOnce) {
            assemble(target, forms.subList(i, Math.min(forms.size(), i + atOnce)), options, refused);
        }
    }

    private static void assemble(Target target, List<PtxInstruction> forms, List<String> options,
            List<String> refused) {
        String refusal =
                EmbeddedCompiler.refusal(nvrtc, AssemblyKernel.of(forms), AssemblyKernel.NAME, target, options);
        if (!refusal.isEmpty() && forms.size() > 1) {
            int half = forms.size() / 2;
            assemble(target, forms.subList(0, half), options, refused);
            assemble(target, forms.subList(half, forms.size()), options, refused);
        } else if (!refusal.isEmpty()) {
            refused.add(forms.getFirst().opcode() + " " + forms.getFirst().listing() + " for " + target + ": "
                    + refusal.lines().filter(l -> l.contains("error")).findFirst().orElse(refusal));
        }
    }
}
