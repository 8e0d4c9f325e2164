package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.explain.Explanation;
import dev.tilewright.explain.timeline.Timeline;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.banks.BankConflicts;
import dev.tilewright.verify.KernelCheck;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Programs of which few steps are written and many performed: each procedure calls the one before it twice. Whatever
 * looks at the steps of such a program looks at each once, and what has to have them in every place refuses at once.
 */
class ProcedureTreesTest {
    private static final int DEEP = 60;
    /** Steps of the procedure that calls none; each other has three of its own, two of them calls. */
    private static final int INNERMOST = 8;
    /** No walk of 2^60 steps ends by then, and any of 400 does. */
    private static final Duration EVER = Duration.ofMinutes(2);
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 256, 16);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 2);
    private static final Expr.Var AT = new Expr.Var("at", IntType.S32);

    /** A program in which each of n procedures calls the one before it in two places. */
    private static TileProgram tree(int n) {
        Procedure last = Procedure.of("p0", "one tile", List.of(AT), b -> {
            Address here = TILE.at(Builtin.THREAD.times(4));
            Value v = b.load("v", ValueType.U32, new Address.Global(OUT, Builtin.THREAD.times(4).toS64()));
            b.store(here, v.plus(1));
            b.when(Builtin.THREAD.isEqualTo(0), one -> {
                one.arriveExpectTx(FULL.at(0), 128);
                one.bulkLoad(TILE.at(0), new Address.Global(OUT, 0), 128, FULL.at(0));
            });
            b.waitParity(FULL.at(0), AT.modulo(2));
            b.syncThreads();
        });
        for (int i = 1; i <= n; i++) {
            Procedure inner = last;
            boolean loops = i % 3 == 0;
            last = Procedure.of("p" + i, "calls twice", List.of(AT), b -> {
                b.call(inner, AT.plus(1));
                if (loops) {
                    b.loop("i", 2, (turn, j) -> turn.call(inner, AT.plus(j)));
                } else {
                    b.when(AT.lessThan(1000), some -> some.call(inner, AT));
                }
            });
        }
        Procedure outermost = last;
        return new TileProgram("tree", "calls a tree of procedures", 32, List.of(OUT),
                new SharedLayout(List.of(TILE, FULL)), Body.steps(b -> {
                    b.when(Builtin.THREAD.isEqualTo(0), one -> {
                        one.barrierInit(FULL.at(0), 1);
                        one.barrierInitFence();
                    });
                    b.syncThreads();
                    b.call(outermost, Expr.of(0));
                }));
    }

    private static Launch launch(TileProgram program) {
        return new Launch(program, 1, List.of(new Argument.Buffer(0, 0, 256)));
    }

    private static List<MemorySegment> memory() {
        return List.of(MemorySegment.ofArray(new int[64]));
    }

    private static void ends(Consumer<TileProgram> walk) {
        assertTimeoutPreemptively(EVER, () -> walk.accept(tree(DEEP)));
    }

    /** What looks at a program without running it. */
    @TestFactory
    Stream<DynamicTest> aLookSeesEachStepOnce() {
        Map<String, Consumer<TileProgram>> looks = new LinkedHashMap<>();
        looks.put("toString", p -> assertTrue(p.toString().length() < 100_000, "long"));
        looks.put("toString of a step", p -> assertTrue(p.body().getLast().toString().length() < 10_000, "long"));
        looks.put("toString of a launch", p -> assertTrue(launch(p).toString().length() < 100_000, "long"));
        looks.put("hashCode and equals", p -> {
            assertEquals(tree(DEEP).hashCode(), p.hashCode());
            assertEquals(tree(DEEP), p);
            assertNotEquals(tree(DEEP - 1), p);
        });
        looks.put("numbers", p -> assertEquals(DEEP + 1, p.procedures().size()));
        looks.put("gate", p -> p.requireAvailable(PtxVersion.parse("8.6"), Target.SM_90));
        looks.put("body", p -> p.withBody(p.body()).waitsForPriorGrid());
        looks.put("resolved launch", p -> launch(p).resolved());
        looks.put("emit", p -> assertTrue(CudaEmitter.emit(p).text().contains("p59("), "no p59"));
        looks.put("explain", p -> Explanation.of(p, List.of(Target.SM_90), () -> {
            throw new MissingRequirementException("none");
        }).lines());
        looks.put("mutants", p -> {
            List<Mutant> all = Mutants.of(p);
            all.forEach(m -> m.program().procedures());
        });
        looks.put("kernel check", p -> assertEquals(p, KernelCheck.of(launch(p)).program()));
        return looks.entrySet().stream().map(look -> DynamicTest.dynamicTest(look.getKey(),
                () -> ends(look.getValue())));
    }

    /** What has to have every step in its place says that there are too many, before it has looked at them. */
    @TestFactory
    Stream<DynamicTest> aRunIsRefusedAtOnce() {
        Map<String, Consumer<TileProgram>> runs = new LinkedHashMap<>();
        runs.put("reference", p -> Reference.run(launch(p), memory()));
        runs.put("hazard", p -> HazardCheck.check(launch(p), memory()));
        runs.put("prior", p -> HazardCheck.check(launch(p), launch(p), memory()));
        runs.put("banks", p -> BankConflicts.of(launch(p), memory()));
        runs.put("timeline", p -> Timeline.of(launch(p), memory()));
        runs.put("check", p -> KernelCheck.of(launch(p)).reports());
        runs.put("mutants", p -> KernelCheck.of(launch(p)).mutants(1, _ -> { }));
        runs.put("emulated", p -> {
            try (Gpu gpu = Gpu.emulated(); var kernel = gpu.load(p); var out = gpu.bytes(256)) {
                kernel.prepare(launch(p), out).start();
                gpu.synchronize();
            }
        });
        return runs.entrySet().stream().map(run -> DynamicTest.dynamicTest(run.getKey(), () -> ends(p -> {
            String said = assertThrows(RuntimeException.class, () -> run.getValue().accept(p)).getMessage();
            assertTrue(said.contains("kernel 'tree' has more than 2^63 steps where those of procedures stand in each "
                    + "place that calls them, " + ((INNERMOST + 3L << 17) - 3) + " of them in each call of 'p17', and "
                    + "the most that run on the CPU are 1048576: call it in a loop instead of in several places"),
                    said);
        })));
    }

    /** A chain of variables, each of which has the one before it twice, written out is as large as a tree of calls. */
    @Test
    void variablesThatNameOthersTwiceAreLookedAtOnce() {
        Expr[] end = new Expr[1];
        TileProgram program = new TileProgram("chain", "each variable has the one before it twice", 64, List.of(OUT),
                new SharedLayout(List.of(TILE, FULL)), Body.steps(b -> {
                    b.when(Builtin.THREAD.isEqualTo(0), one -> one.barrierInit(FULL.at(0), 2));
                    b.syncThreads();
                    Expr last = Builtin.THREAD;
                    for (int i = 0; i < DEEP; i++) {
                        last = b.let("x" + i, last.plus(last).modulo(64));
                    }
                    Expr at = last;
                    end[0] = at;
                    b.when(at.lessThan(1000), all -> {
                        Value v = all.load("v", ValueType.U32, TILE.at(at.times(4)));
                        all.store(TILE.at(Builtin.THREAD.times(4)), v.plus(1));
                    });
                    b.when(at.plus(Builtin.THREAD).isEqualTo(63), one -> one.arrive(FULL.at(at.modulo(2))));
                    b.waitParity(FULL.at(at.modulo(2)), 0);
                }));
        assertTimeoutPreemptively(EVER, () -> {
            Launch launch = launch(program);
            HazardReport report = HazardCheck.check(launch, memory());
            assertTrue(report.codes().contains(HazardCode.MISSING_BARRIER), report::toString);
            Mutants.of(program);
            CudaEmitter.emit(program);
            Timeline.of(launch, memory());
            ProgramFlow flow = new ProgramFlow(program);
            int load = flow.steps(Operation.LoadValues.class::isInstance).getFirst();
            assertFalse(flow.mentions(load, Builtin.BLOCK));
            assertTrue(flow.mentions(load, Builtin.THREAD));
            assertEquals(Optional.empty(), flow.definitions().base(Input.of(end[0])));
            assertSame(flow.definitions().resolved(end[0]), flow.definitions().resolved(end[0]));
        });
    }
}
