package dev.tilewright.hazard.mutant;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Verdicts on mutants of kernels so small that one sees what they should be. */
class MutantRunTest {
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", 256, 16);
    private static final int THREADS = 64;

    /** Each thread loads a word by cp.async and writes its neighbour's. */
    private static TileProgram neighbours(Consumer<Body> between) {
        return new TileProgram("neighbours", "each thread writes what another one loaded", THREADS,
                List.of(SOURCE, RESULT), new SharedLayout(List.of(BUFFER)), Body.steps(body -> {
                    Expr own = Builtin.THREAD.times(4);
                    body.purpose("load a word").cpAsync(BUFFER.at(own), new Address.Global(SOURCE, own.toS64()), 4);
                    body.purpose("close the group").cpAsyncCommit();
                    between.accept(body);
                    body.purpose("write the neighbour's").store(new Address.Global(RESULT, own.toS64()),
                            body.purpose("read it")
                                    .load("word", ElementType.U32, 1, BUFFER.at(Builtin.THREAD.xor(32).times(4))));
                }));
    }

    private static List<MutantResult> results(TileProgram program) {
        try (Arena arena = Arena.ofShared()) {
            Launch launch = new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
            var source = arena.allocate(256, 16);
            for (int i = 0; i < 256; i++) {
                source.set(java.lang.foreign.ValueLayout.JAVA_BYTE, i, (byte) (i * 7));
            }
            MutantRun trial = new MutantRun(List.of(MutationTarget.moving(launch, List.of(source), 256, 0)), arena, 4);
            return Mutants.of(program).stream().map(trial::of).toList();
        }
    }

    private static MutantResult named(List<MutantResult> results, String name) {
        return results.stream().filter(r -> r.mutant().name().equals(name)).findFirst().orElseThrow();
    }

    @Test
    void whatOrdersTheNeighboursWordIsNeeded() {
        List<MutantResult> results = results(neighbours(body -> {
            body.purpose("the word has landed").cpAsyncWait(0);
            body.purpose("everyone's has").syncThreads();
        }));
        for (String name : List.of("without-commit@2", "without-wait@3", "shallower-wait@3", "without-sync@4",
                "moved-later@4")) {
            MutantResult result = named(results, name);
            assertEquals(MutantVerdict.FOUND, result.verdict(), result.toString());
            assertFalse(result.report().isClean());
        }
        // The wait of each thread must come before the barrier that all meet at.
        assertEquals(MutantVerdict.FOUND, named(results, "moved-later@3").verdict());
    }

    @Test
    void whatIsThereTwiceIsHarmlessToLose() {
        List<MutantResult> results = results(neighbours(body -> {
            body.purpose("the word has landed").cpAsyncWait(0);
            body.purpose("once more").cpAsyncWait(0);
            body.purpose("everyone's has").syncThreads();
            body.purpose("once more").syncThreads();
        }));
        for (String name : List.of("without-wait@3", "without-sync@5", "shallower-wait@3")) {
            MutantResult result = named(results, name);
            assertEquals(MutantVerdict.HARMLESS, result.verdict(), result.toString());
            assertTrue(result.reason().contains("4 seeds"), result.reason());
        }
    }

    /** Thread 0 looks for a flag until thread 32 has set it. */
    private static TileProgram flag(boolean set) {
        return new TileProgram("flag", "waits for a flag", THREADS, List.of(RESULT), new SharedLayout(List.of()),
                Body.steps(body -> {
                    Address flag = new Address.Global(RESULT, 0);
                    body.when(Builtin.THREAD.isEqualTo(32), one -> one.purpose("set the flag")
                            .issue(St.release(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(flag),
                                    Input.of(set ? 1 : 0)));
                    body.when(Builtin.THREAD.isEqualTo(0), one -> {
                        Register seen = one.variable("seen", 0);
                        one.repeatWhile(seen.get().toIndex().isEqualTo(0), turn -> turn.assign(seen,
                                turn.issue("now", Ld.acquire(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(flag))));
                    });
                }));
    }

    /** The check ends at its limit, and that is the verdict: no exception that ends all mutants. */
    @Test
    void whatDoesNotEndIsFound() {
        try (Arena arena = Arena.ofShared()) {
            MutantRun trial = new MutantRun(List.of(MutationTarget.moving(
                    new Launch(flag(true), 1, List.of(new Argument.Buffer(0))), List.of(), 256, 0)), arena, 4,
                    HazardOptions.DEFAULT.withMostSteps(1 << 14));
            TileProgram endless = flag(false);
            MutantResult result = trial.of(new Mutant("without-flag@2", MutantKind.WITHOUT_WAIT, "sets no flag", 2,
                    endless, IntStream.rangeClosed(1, new StepNumbers(endless).count()).boxed().toList()));
            assertEquals(MutantVerdict.FOUND, result.verdict(), result.toString());
            assertTrue(result.reason().matches("it does not end: kernel 'flag': .* at most 16384 steps are allowed; in "
                    + "block 0, thread 0 is in step .*"), result.reason());
        }
    }

    @Test
    void stepsThatHaveNothingToDoWithItAreNotRight() {
        SharedRegion.Buffer other = new SharedRegion.Buffer("other", 256, 16);
        TileProgram program = new TileProgram("two", "a ring and something else", THREADS, List.of(SOURCE, RESULT),
                new SharedLayout(List.of(BUFFER, other)), Body.steps(body -> {
                    Expr own = Builtin.THREAD.times(4);
                    body.purpose("load a word").cpAsync(BUFFER.at(own), new Address.Global(SOURCE, own.toS64()), 4);
                    body.purpose("close the group").cpAsyncCommit();
                    body.purpose("landed").cpAsyncWait(0);
                    body.purpose("elsewhere")
                            .store(other.at(own), body.purpose("read")
                            .load("word", ElementType.U32, 1, BUFFER.at(own)));
                    body.purpose("back")
                            .store(new Address.Global(RESULT, own.toS64()), body.purpose("again")
                            .load("same", ElementType.U32, 1, other.at(own)));
                }));
        Mutant mutant = Mutants.of(program).stream().filter(m -> m.name().equals("without-wait@3")).findFirst()
                .orElseThrow();
        BlameOracle right = new BlameOracle(program);
        assertEquals(List.of(true, true, true, true, false, false, false),
                List.of(1, 2, 3, 4, 5, 6, 7).stream().map(step -> right.isRight(mutant, step)).toList());
        assertFalse(right.isRight(mutant, 0));
        assertEquals(4, mutant.origin(3));
    }
}
