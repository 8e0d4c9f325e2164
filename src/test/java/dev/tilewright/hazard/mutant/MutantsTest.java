package dev.tilewright.hazard.mutant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.WarpKernels;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every edit of a program, and nothing but one edit. */
class MutantsTest {
    private static final Set<MutantKind> ONE_STEP_LESS = EnumSet.of(MutantKind.WITHOUT_SYNC, MutantKind.WITHOUT_WAIT,
            MutantKind.WITHOUT_FENCE, MutantKind.WITHOUT_COMMIT, MutantKind.WITHOUT_ARRIVAL, MutantKind.WITHOUT_INIT,
            MutantKind.WITHOUT_MAP, MutantKind.WITHOUT_LOAD, MutantKind.WITHOUT_GUARD);

    static List<Preset> presets() {
        return Presets.ALL;
    }

    private static TileProgram program(String preset) {
        return Presets.named(preset).build(ElementType.F32).program();
    }

    @ParameterizedTest
    @MethodSource("presets")
    void eachIsAnotherProgramWithOneEdit(Preset preset) {
        TileProgram program = preset.build(ElementType.F32).program();
        StepNumbers steps = new StepNumbers(program);
        Set<String> names = new HashSet<>();
        Set<TileProgram> programs = new HashSet<>();
        List<Mutant> mutants = Mutants.of(program);
        // A kernel without shared memory has no step that orders others.
        assertTrue(program.shared().regions().isEmpty() ? mutants.isEmpty() : mutants.size() > 10,
                "mutants of " + preset.name());
        for (Mutant m : mutants) {
            assertTrue(names.add(m.name()), m.name());
            assertTrue(programs.add(m.program()), m.name());
            assertNotEquals(program, m.program(), m.name());
            StepNumbers edited = new StepNumbers(m.program());
            assertEquals(edited.count(), m.origins().size());
            boolean oneLess = ONE_STEP_LESS.contains(m.kind())
                    || m.kind() == MutantKind.WITHOUT_EXPECT && steps.step(m.step()).operation()
                            instanceof Operation.Issue(MbarrierExpectTx _, var _, var _);
            assertEquals(steps.count() - (oneLess ? 1 : 0), edited.count(), m.name());
            for (int number = 1; number <= edited.count(); number++) {
                assertEquals(steps.step(m.origin(number)).purpose(), edited.step(number).purpose(), m.name());
            }
            assertEquals(edited.count(), Set.copyOf(m.origins()).size(), "each step comes from another one");
            assertEquals(!oneLess, m.origins().contains(m.step()), m.name());
        }
    }

    @Test
    void everyKindIsMadeFromSomeKernel() {
        Set<MutantKind> made = EnumSet.noneOf(MutantKind.class);
        Presets.ALL.forEach(p -> Mutants.of(p.build(ElementType.F32).program()).forEach(m -> made.add(m.kind())));
        WarpKernels.all().forEach(c -> Mutants.of(c.program()).forEach(m -> made.add(m.kind())));
        // A named barrier for some warps of a block, so that one for more of them is one, too.
        TileProgram some = new TileProgram("some_warps", "two of three warps meet", 96, List.of(),
                new SharedLayout(List.of()), Body.steps(b -> b.when(Expr.Builtin.THREAD.lessThan(64),
                        two -> two.namedBarrier(1, 64).sync())));
        Mutants.of(some).forEach(m -> made.add(m.kind()));
        // A wait until bulk copies are written, not only read.
        TileProgram written = new TileProgram("written", "a thread waits for nothing", 32, List.of(),
                new SharedLayout(List.of()), Body.steps(b -> b.bulkWait(0)));
        Mutants.of(written).forEach(m -> made.add(m.kind()));
        assertEquals(EnumSet.allOf(MutantKind.class), made);
    }

    @Test
    void theEditsOfARingOfCpAsyncCopies() {
        assertEquals(List.of("without-commit@17", "moved-earlier@17", "moved-later@17", "without-wait@19",
                "shallower-wait@19", "moved-earlier@19", "moved-later@19", "next-stage@22", "without-commit@23",
                "moved-earlier@23", "moved-later@23", "next-stage@24"),
                Mutants.of(program("cp-async-pipeline")).stream().map(Mutant::name).toList());
    }

    @Test
    void anEditIsSaidInWords() {
        List<Mutant> mutants = Mutants.of(program("bulk-add"));
        assertEquals("without step 33, 'every thread is done with the stage' (__syncthreads)",
                named(mutants, "without-sync@33").edit());
        assertEquals("step 40, 'the store of the stage's previous tile has read it' (cp.async.bulk.wait_group.read)"
                + " leaves 2 pending instead of 1", named(mutants, "shallower-wait@40").edit());
        assertEquals("step 43, 'the block must not exit before its last tiles have been read' "
                + "(cp.async.bulk.wait_group.read) follows step 42, 'the storing thread' (if)",
                named(mutants, "moved-later@43").edit());
    }

    @Test
    void instructionsOfTheCatalogueAreStepsToo() {
        SharedRegion.Buffer buffer = new SharedRegion.Buffer("buffer", 64, 128);
        Parameter.Pointer source = new Parameter.Pointer("source", false);
        TileProgram program = new TileProgram("by_hand", "a cluster's barrier and a fence", 32, 2, List.of(source),
                new SharedLayout(List.of(buffer)), Body.steps(body -> {
                    body.purpose("write").store(buffer.at(Builtin.THREAD.bitAnd(1).times(4)),
                            body.purpose("read").load("word", ElementType.U32, 1, buffer.at(0)));
                    body.purpose("fence").issue(new FenceProxyAsync());
                    body.purpose("all").clusterSync();
                }));
        List<String> names = Mutants.of(program).stream().map(Mutant::name).toList();
        assertTrue(names.containsAll(List.of("without-fence@3", "without-sync@4", "without-sync@5", "moved-earlier@3")),
                names::toString);
    }

    private static Mutant named(List<Mutant> mutants, String name) {
        return mutants.stream().filter(m -> m.name().equals(name)).findFirst().orElseThrow();
    }
}
