package dev.tilewright.hazard.explore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePresets;
import dev.tilewright.verify.KernelCheck;
import dev.tilewright.verify.SmallCase;
import dev.tilewright.verify.TileLaunch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The explorer beside the reference and the check, on presets of a warp: the same bytes, and broken ones are seen. */
class PresetsInEveryOrderTest {
    private static final int MOST_STATES = 200;
    /** Mutants of one preset whose orders are tried. */
    private static final int SOME = 24;

    private static KernelCheck check(String name, String options) {
        Preset preset = Presets.CATALOG.find(name).orElseThrow();
        return KernelCheck.of(SmallCase.all(preset, Schedule.parse(options), ElementType.F32));
    }

    private static List<byte[]> bytes(List<MemorySegment> memory) {
        return memory.stream().map(m -> m.toArray(ValueLayout.JAVA_BYTE)).toList();
    }

    @ParameterizedTest
    @OrdinaryShare(4)
    @CsvSource({"vector-copy, threads=32", "bulk-copy, threads=32 tile=64", "bulk-add, threads=32 tile=64",
        "bulk-copy-token, threads=32 tile=64", "tensor-copy-1d, none", "tensor-copy, none",
        "tensor-copy-128b, threads=32 tile=8x32"})
    void endsWithTheReferencesBytes(String name, String options) {
        check(name, options).first((launch, memory) -> {
            Exploration verdict = Explorer.explore(launch.resolved(), bytes(memory), MOST_STATES);
            assertTrue(verdict.isRight(), () -> verdict.why() + verdict.endings());
            Reference.run(launch, memory);
            for (int i = 0; i < memory.size(); i++) {
                assertArrayEquals(memory.get(i).toArray(ValueLayout.JAVA_BYTE),
                        verdict.orders().getFirst().memory().get(i), name + ", buffer " + i);
            }
            return null;
        });
    }

    /** Shuffles and exchanges by shared memory: what ships for rows, small. */
    @ParameterizedTest
    @OrdinaryShare(3)
    @ValueSource(strings = {"softmax", "row-sums", "arg-max"})
    void rowsEndWithTheReferencesBytes(String name) {
        TileKernel kernel = TilePresets.find(name).orElseThrow().kernel()
                .with(Schedule.parse("threads=64"));
        Map<String, Long> extents = new TreeMap<>();
        kernel.dims().forEach(dim -> extents.put(dim.name(), dim.name().equals("rows") ? 2L : 96L));
        endsWithTheReferencesBytes(name, kernel, extents);
    }

    /** A warp loads tiles by tensor maps, in a ring of stages, and four multiply them on tensor cores. */
    @Test
    void aProductEndsWithTheReferencesBytes() {
        assumeTrue(Thorough.takes(0, 4), "one ordinary run in four");
        endsWithTheReferencesBytes("gemm-f64", TilePresets.find("gemm-f64").orElseThrow().kernel(),
                Map.of("m", 8L, "n", 8L, "k", 40L));
    }

    private static void endsWithTheReferencesBytes(String name, TileKernel kernel, Map<String, Long> extents) {
        TileLaunch.small(kernel, extents, Target.SM_90A).check().first((launch, memory) -> {
            Exploration verdict = Explorer.explore(launch.resolved(), bytes(memory), MOST_STATES);
            assertTrue(verdict.isRight(), () -> verdict.why() + verdict.endings());
            Reference.run(launch, memory);
            for (int i = 0; i < memory.size(); i++) {
                assertArrayEquals(memory.get(i).toArray(ValueLayout.JAVA_BYTE),
                        verdict.orders().getFirst().memory().get(i), name + ", buffer " + i);
            }
            return null;
        });
    }

    /** Whatever goes wrong in some order, the check has found. */
    @Test
    void mutantsThatGoWrongAreFound() {
        KernelCheck check = check("bulk-add", "threads=32 tile=64 stages=2");
        List<String> missed = new ArrayList<>();
        int wrong = 0;
        for (Mutant mutant : Mutants.of(check.program()).stream().limit(SOME).filter(Thorough.share(4)).toList()) {
            Exploration verdict;
            try {
                verdict = check.first((launch, memory) -> Explorer.explore(launch.resolved().of(mutant.program()),
                        bytes(memory), MOST_STATES));
            } catch (Unsupported e) {
                continue;
            }
            if (verdict.isWrong()) {
                wrong++;
                boolean clean = check.first((Launch launch, List<MemorySegment> memory) ->
                        HazardCheck.check(launch.resolved().of(mutant.program()), memory).isClean());
                if (clean) {
                    missed.add(mutant.name() + ": " + verdict.why());
                }
            }
        }
        assertEquals(List.of(), missed);
        assertTrue(wrong > Thorough.of(0, SOME / 4), wrong + " of " + SOME);
    }
}
