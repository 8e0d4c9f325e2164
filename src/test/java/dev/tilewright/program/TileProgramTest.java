package dev.tilewright.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a whole program refuses, and what it says about the instructions in it. */
class TileProgramTest {
    private static final Expr TWO = Expr.of(2);

    private static TileProgram program(int threads, List<SharedRegion> shared, Consumer<Body> body) {
        return new TileProgram("kernel", "for a test", threads, List.of(), new SharedLayout(shared), Body.steps(body));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -32, 1025})
    void aBlockHas1To1024Threads(int threads) {
        assertEquals("threads per block must be in [1, 1024], got " + threads,
                assertThrows(IllegalArgumentException.class, () -> program(threads, List.of(), _ -> { })).getMessage());
    }

    @Test
    void sharedMemoryFitsTheLargestBlock() {
        SharedRegion most = new SharedRegion.Buffer("most", 227 * 1024, 1024);
        assertEquals(232448, program(1024, List.of(most), _ -> { }).shared().bytes());
        assertEquals("kernel 'kernel' needs 232456 bytes of shared memory, the largest block has 232448", assertThrows(
                IllegalArgumentException.class, () -> program(1, List.of(most, new SharedRegion.Barriers("full", 1)),
                _ -> { })).getMessage());
    }

    @Test
    void thePurposeStaysInItsComment() {
        assertEquals("a kernel's purpose is one line of text, got 'copies\n}; int x'",
                assertThrows(IllegalArgumentException.class,
                () -> new TileProgram("kernel", "copies\n}; int x", 1, List.of(), new SharedLayout(List.of()),
                List.of())).getMessage());
    }

    @Test
    void instructionsAreListedOnceInOrderOfFirstUse() {
        TileProgram program = program(32, List.of(), b -> {
            b.purpose("loop")
                    .loop("i", 0, TWO, 1, (each, i) -> each.purpose("guard").when(i.lessThan(1),
                    yes -> yes.purpose("wait").cpAsyncWait(2), no -> no.purpose("commit").cpAsyncCommit()));
            b.purpose("wait again").cpAsyncWait(2);
            b.purpose("wait for all").cpAsyncWait(0);
        });
        assertEquals(List.of(new CpAsyncWaitGroup(2), new CpAsyncCommitGroup(), new CpAsyncWaitGroup(0)),
                List.copyOf(program.instructions()));
        assertEquals(Target.SM_80, program.minimumTarget());
    }

    @Test
    void theMostDemandingInstructionDecidesTheTarget() {
        assertEquals(Target.SM_80, program(1, List.of(), _ -> { }).minimumTarget());
        TileProgram program = program(1, List.of(), b -> {
            b.purpose("commit").cpAsyncCommit();
            b.purpose("otherwise")
                    .when(Expr.Builtin.THREAD.isEqualTo(0), _ -> { }, no -> no.purpose("commit").bulkCommit());
        });
        assertEquals(Target.SM_90, program.minimumTarget());
        assertEquals(List.of(new CpAsyncCommitGroup(), new BulkCommitGroup()), List.copyOf(program.instructions()));
    }

    @Test
    void aProgramIsAValue() {
        Consumer<Body> body = b -> b.purpose("loop")
                .loop("i", 0, TWO, 1, (each, i) -> each.purpose("double it").let("d", i.times(2)));
        assertEquals(program(32, List.of(), body), program(32, List.of(), body));
    }
}
