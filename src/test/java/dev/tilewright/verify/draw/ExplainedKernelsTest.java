package dev.tilewright.verify.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.explain.Explanation;
import dev.tilewright.explain.WaitFact;
import dev.tilewright.program.Operation;
import dev.tilewright.program.StepNumbers;
import dev.tilewright.program.TileProgram;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Drawn kernels of every kind, with every form among them, are explained: {@code -Dtilewright.explained=N} of each. */
class ExplainedKernelsTest {
    private static final int CASES = Integer.getInteger("tilewright.explained", Thorough.of(6, 20));
    private static final long SEED = 25;

    @Test
    void everyWaitIsExplained() {
        SplittableRandom random = new SplittableRandom(SEED);
        long waits = 0;
        for (DrawnKind kind : Kinds.DRAWN) {
            for (int n = 0; n < CASES; n++) {
                try {
                    waits += explained(kind.generator()
                            .make(DrawnChoices.startingWith(kind.generator().first(SEED, n), random.nextLong()))
                            .program());
                } catch (Redraw e) {
                    // Choices that do not go together.
                }
            }
        }
        assertTrue(waits > CASES, "waits: " + waits);
    }

    private static int explained(TileProgram program) {
        Explanation explained = Explanation.of(program, List.of(), () -> null);
        StepNumbers steps = new StepNumbers(program);
        CudaSource source = CudaEmitter.emit(program);
        assertTrue(explained.bytesInFlight() <= program.shared().bytes(), explained.lines()::toString);
        for (WaitFact wait : explained.waits()) {
            assertEquals(steps.step(wait.step()).purpose(), wait.purpose());
            assertEquals(source.lineOf(wait.step()), wait.line());
            assertTrue(!wait.waitsFor().isBlank() && !wait.then().isBlank(), wait::toString);
        }
        // Nothing that polls, or holds the block up, is left out.
        assertEquals(IntStream.rangeClosed(1, steps.count())
                .filter(n -> steps.step(n).operation() instanceof Operation.Poll
                || steps.step(n).operation() instanceof Operation.SyncThreads).boxed().toList(),
                explained.waits().stream().map(WaitFact::step)
                .filter(n -> steps.step(n).operation() instanceof Operation.Poll
                || steps.step(n).operation() instanceof Operation.SyncThreads).toList());
        return explained.waits().size();
    }
}
