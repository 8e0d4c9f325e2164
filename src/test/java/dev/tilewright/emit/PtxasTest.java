package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.Multiprocessor;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.mma.Wgmma;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The second opinion on the catalogue, where there is a ptxas on the PATH: every alternative of every gate is enough,
 * and no less is. Skipped without a ptxas; one older than CUDA 13.0 is asked what it knows. Of wgmma's sizes those of
 * {@link EveryFormCompilesTest} are asked about, all with {@code -Dtilewright.catalogue=all}.
 */
class PtxasTest {
    /** The catalogue, with each form's gate. */
    private static final Map<PtxInstruction, Gate> GATES = EveryFormCompilesTest.forms()
            .collect(Collectors.toMap(f -> f, PtxInstruction::gate, (one, other) -> one, LinkedHashMap::new));

    private static Ptxas ptxas;

    @TempDir
    static Path folder;

    @BeforeAll
    static void find() throws IOException, InterruptedException {
        ptxas = Ptxas.onPath(folder);
    }

    /** Every pair that some form's gate names, and that this ptxas knows. */
    static Stream<Gate.Alternative> pairs() {
        return GATES.values().stream().flatMap(gate -> gate.alternatives().stream()).distinct()
                .sorted(Comparator.comparing(Gate.Alternative::target).thenComparing(Gate.Alternative::since))
                .filter(a -> ptxas == null || ptxas.newest().compareTo(a.since()) >= 0);
    }

    private static List<PtxInstruction> forms(BiPredicate<PtxInstruction, Gate> wanted) {
        return GATES.entrySet().stream().filter(e -> wanted.test(e.getKey(), e.getValue())).map(Map.Entry::getKey)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void whatAGateNamesIsEnough(Gate.Alternative pair) throws IOException, InterruptedException {
        PtxVersion version = max(pair.since(), pair.target().since());
        List<PtxInstruction> forms = forms((_, gate) -> gate.alternatives().contains(pair));
        Map<PtxInstruction, String> refused = ptxas.refusals(forms, version, pair.target());
        System.err.println("ptxas " + ptxas.release() + ", PTX " + version + ", " + pair.target() + ": "
                + (forms.size() - refused.size()) + " of " + forms.size() + " forms assembled");
        assertEquals("", text(refused));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void theVersionBeforeIsNotEnough(Gate.Alternative pair) throws IOException, InterruptedException {
        PtxVersion before = before(pair.since());
        if (before.compareTo(pair.target().since()) < 0) {
            return;
        }
        List<PtxInstruction> forms = forms((form, gate) -> gate.alternatives().contains(pair) && !isTakenTooEarly(form)
                && !gate.admits(before, pair.target()));
        assertEquals(forms.size(), ptxas.refusals(forms, before, pair.target()).size(),
                () -> "in PTX " + before + " for "
                + pair.target());
    }

    static Stream<Target> targets() {
        return Target.KNOWN.stream();
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @MethodSource("targets")
    void aTargetHasWhatItsGatesSayAndNoMore(Target target) throws IOException, InterruptedException {
        PtxVersion version = ptxas.newest();
        // Those of wgmma, which take the assembler long, are above for the one target that has them.
        List<PtxInstruction> all = forms((form, _) -> !isTakenTooEarly(form)
                && !(form instanceof Wgmma && target.equals(Target.SM_90A)));
        Map<PtxInstruction, String> refused = ptxas.refusals(all, version, target);
        System.err.println("ptxas " + ptxas.release() + ", PTX " + version + ", " + target + ": "
                + (all.size() - refused.size()) + " of " + all.size() + " forms assembled");
        assertEquals("", text(refused.entrySet().stream().filter(e -> GATES.get(e.getKey()).admits(version, target))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue))),
                "refused, though the gate admits it");
        assertEquals(List.of(), all.stream().filter(f -> !GATES.get(f).admits(version, target)
                && !refused.containsKey(f))
                .map(PtxInstruction::opcode).toList(), "taken, though the gate does not admit it");
    }

    /** ptxas ignores how many blocks a kernel wants at once where they are more than a multiprocessor holds. */
    @ParameterizedTest
    @ValueSource(strings = {"sm_80", "sm_86", "sm_87", "sm_88", "sm_89", "sm_90", "sm_100", "sm_103", "sm_110",
            "sm_120", "sm_121"})
    void aMultiprocessorHoldsAsMuchAsPtxasKnows(String name) {
        Target target = Target.parse(name);
        Assumptions.assumeTrue(ptxas.newest().compareTo(target.since()) >= 0, "this ptxas does not know it");
        Multiprocessor limits = Multiprocessor.of(target).orElseThrow();
        int half = limits.threads() / 2 <= 1024 ? 2 : 3;
        Map<String, String> kernels = Map.of("all_blocks", kernel(32, limits.blocks()),
                "more_blocks", kernel(32, limits.blocks() + 1), "all_threads", kernel(limits.threads() / half, half),
                "more_threads", kernel(limits.threads() / half + 32, half));
        String said = ptxas.said(".version " + target.since() + "\n.target " + target + "\n.address_size 64\n"
                + kernels.entrySet().stream().map(k -> ".visible .entry " + k.getKey() + "() " + k.getValue())
                .collect(Collectors.joining("\n")), target);
        kernels.keySet().forEach(k -> assertEquals(k.startsWith("more"),
                said.contains("entry " + k + " is out of range"), () -> k + ": " + said));
    }

    private static String kernel(int threads, int blocks) {
        return ".maxntid " + threads + ", 1, 1 .minnctapersm " + blocks + " { ret; }";
    }

    /**
     * ptxas 13.0 takes one-way fences and cp.async's second spelling in every version; the ISA gives the fences to PTX
     * 8.6 and sm_90, the spelling to PTX 7.8.
     */
    private static boolean isTakenTooEarly(PtxInstruction form) {
        return form instanceof CpAsync c && c.spelling() == CpAsync.Spelling.SHARED_CTA
                || form instanceof Fence f && (f.strength() == Fence.Strength.ACQUIRE
                || f.strength() == Fence.Strength.RELEASE);
    }

    private static String text(Map<PtxInstruction, String> refused) {
        Map<String, String> lines = new TreeMap<>();
        refused.forEach((form, why) -> lines.put(form.opcode() + " " + form.listing(), why));
        return lines.entrySet().stream().map(e -> e.getKey() + ": " + e.getValue()).collect(Collectors.joining("\n"));
    }

    private static PtxVersion before(PtxVersion v) {
        return v.minor() > 0 ? PtxVersion.of(v.major(), v.minor() - 1) : PtxVersion.of(v.major() - 1, 8);
    }

    private static PtxVersion max(PtxVersion a, PtxVersion b) {
        return a.compareTo(b) >= 0 ? a : b;
    }
}
