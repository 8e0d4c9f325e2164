package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gputest.MutantOutcome.Kind;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.SmallCase;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the hazard check says of a broken kernel, hardware shows: {@link ReliableMutants} hang or leave wrong bytes as
 * predicted, and the unbroken kernel does neither. What all other mutants do is written down by {@link MutantSurvey}:
 *
 * <pre>{@code
 * gpu-bundle/gpu-tests --include-classname '.*MutantsGpuTest'
 * cd gpu-bundle && runtime/bin/java --enable-native-access=ALL-UNNAMED -Dtilewright.root=. \
 *     -cp 'test-classes:lib/*:test-lib/*' dev.tilewright.gputest.MutantSurvey mutants.tsv 540 5
 * }</pre>
 */
@Order(1)
class MutantsGpuTest {
    private static final int MOST_LAUNCHES = 20;

    static List<String> presets() {
        return ReliableMutants.presets();
    }

    @Tag("gpu")
    @ResourceLock(TestGpu.FAULTS)
    @ParameterizedTest
    @MethodSource("presets")
    void hardwareDoesWhatTheFindingSays(String name) throws Exception {
        Preset preset = Presets.named(name);
        TestGpu.atLeast(preset.minimumTarget());
        List<ReliableMutants.Entry> entries = ReliableMutants.of(name);
        List<String> mutants = new ArrayList<>(List.of(MutantWorker.UNBROKEN));
        List<Mutant> all = Mutants.of(LargeCase.of(preset).kernel().program());
        entries.forEach(e -> mutants.add(e.among(all).name()));
        compile(Stream.concat(Stream.of(LargeCase.of(preset).kernel().program()),
                entries.stream().map(e -> e.among(all).program())));
        List<MutantOutcome> outcomes = new ArrayList<>();
        new MutantRuns(name, MOST_LAUNCHES, true, Duration.ofSeconds(60))
                .run(mutants, Instant.now().plusSeconds(300), outcomes::add);
        assertEquals(mutants, outcomes.stream().map(MutantOutcome::mutant).toList(), "what was run in time");
        assertEquals(Kind.FINE, outcomes.getFirst().kind(), outcomes.getFirst().toString());
        for (int i = 0; i < entries.size(); i++) {
            assertEquals(entries.get(i).kind(), outcomes.get(i + 1).kind(), outcomes.get(i + 1).toString());
        }
    }

    /** Keeps the kernels where the workers find them, each of which would else start a compiler for a few of them. */
    private static void compile(Stream<TileProgram> programs) {
        try (Gpu gpu = TestGpu.open(EncoderChoice.configured(TestGpu.atLeast(Target.SM_80).target()),
                MutantWorker.BOUNDED);
                SharedPoison _ = new SharedPoison(gpu)) {
            programs.forEach(program -> gpu.load(program).close());
        }
    }

    /** Without a GPU: the list names mutants that there are, and the check predicts what it says of them. */
    @ParameterizedTest
    @OrdinaryShare(4)
    @MethodSource("presets")
    void theCheckPredictsIt(String name) {
        CopyCase small = SmallCase.of(Presets.named(name), Schedule.DEFAULT, ElementType.F32);
        Launch launch = small.launch();
        List<Mutant> mutants = Mutants.of(launch.program());
        try (Arena arena = Arena.ofShared()) {
            MemorySegment data = small.data(arena);
            for (ReliableMutants.Entry entry : ReliableMutants.of(name)) {
                Launch broken = new Launch(entry.among(mutants).program(), launch.blocks(), launch.arguments());
                HazardReport report = HazardCheck.check(broken, List.of(data, arena.allocate(small.bytes(), 64),
                        arena.allocate(small.kernel().workspaceBytes(launch), 128)));
                assertTrue(Prediction.of(report).contains(entry.kind()),
                        () -> entry + ", and the check says: " + report);
            }
        }
    }
}
