package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import dev.tilewright.program.WarpKernels;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Warps that meet in parts: what they leave, that the check finds nothing in them, and what is said of mistakes. */
class WarpKernelsTest {

    static Stream<WarpKernels.Case> cases() {
        return WarpKernels.all().stream();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void leaveWhatTheyShouldInEveryOrder(WarpKernels.Case c) {
        try (Arena arena = Arena.ofConfined()) {
            for (int seed = 0; seed < Thorough.of(7, 20); seed++) {
                MemorySegment source = source(arena, c);
                MemorySegment result = arena.allocate(4L * c.words(), 16);
                ReferenceOptions options = seed == 0 ? ReferenceOptions.DEFAULT
                        : ReferenceOptions.DEFAULT.withSeed(seed);
                Reference.run(launch(c.program()), List.of(source, result), options);
                for (int i = 0; i < c.words(); i++) {
                    assertEquals(c.expected().applyAsInt(i), result.getAtIndex(ValueLayout.JAVA_INT, i), "word " + i);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void haveNoHazards(WarpKernels.Case c) {
        try (Arena arena = Arena.ofConfined()) {
            HazardReport report = HazardCheck.check(launch(c.program()),
                    List.of(source(arena, c), arena.allocate(4L * c.words(), 16)));
            assertEquals(List.of(), report.findings(), report::toString);
            assertTrue(report.complete());
        }
    }

    private static MemorySegment source(Arena arena, WarpKernels.Case c) {
        MemorySegment source = arena.allocate(4L * c.words(), 16);
        for (int i = 0; i < c.words(); i++) {
            source.setAtIndex(ValueLayout.JAVA_INT, i, WarpKernels.source(i));
        }
        return source;
    }

    private static Launch launch(TileProgram program) {
        return new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
    }

    // ---- mistakes

    @Test
    void aLaneThatIsNotAmongItsMembers() {
        says(Kind.WARP, "lane 4 comes with the mask 0x0000000F, in which its bit is not set: a lane is among the "
                + "members "
                + "that it names", 32, body -> body.syncWarp(0xF));
    }

    @Test
    void membersThatWaitForEachOtherWithDifferentMasks() {
        says(Kind.WARP, "lane 16 comes here with the mask 0xFFFF0001, and lane 0 waits for it at the same instruction "
                + "with the mask 0xFFFFFFFF: all members of a mask come to one instruction with that mask", 32,
                body -> body.when(Builtin.THREAD.isEqualTo(0), b -> b.syncWarp(),
                        rest -> rest.when(Builtin.THREAD.atLeast(16), b -> b.syncWarp(0xFFFF_0001))));
    }

    @Test
    void lanesAtDifferentInstructions() {
        ReferenceException e = fails(32, body -> body.when(Builtin.THREAD.lessThan(16), b -> b.syncWarp(),
                b -> b.warp().any(Value.of(Builtin.THREAD.lessThan(20)))));
        assertEquals(Kind.WARP, e.kind());
        assertTrue(e.sentence()
                .startsWith("lane 16 comes here with the mask 0xFFFFFFFF, and lanes 0 to 15 wait for it at "),
                e.sentence());
    }

    @Test
    void aMemberThatNeverComes() {
        ReferenceException e = fails(64, body -> {
            body.purpose("some").when(Warp.lane().lessThan(16), b -> b.purpose("meet").syncWarp());
            body.purpose("all").syncThreads();
        });
        assertEquals(Kind.WARP, e.kind());
        assertEquals("not every member of the warp reaches this step: threads 0-15 wait for lanes 16 to 31 of warp 0 "
                + "in step "
                + "'meet'; threads 32-47 wait for lanes 16 to 31 of warp 1 in step 'meet'; threads 16-31, 48-63 are at "
                + "__syncthreads() in step 'all'", e.sentence());
    }

    @Test
    void lanesThatHaveEndedAreNotWaitedFor() {
        runs(48, body -> body.when(Warp.lane().lessThan(16), b -> {
            b.syncWarp();
            b.warp().any(Value.of(Builtin.THREAD.lessThan(20)));
        }));
    }

    @Test
    void aShuffleFromALaneThatHasEnded() {
        says(Kind.LANE, "lane 8 takes the value of lane 16, which does not take part: lanes 0 to 15 came", 32,
                body -> body.when(Builtin.THREAD.lessThan(16), b -> b.warp().shuffleDown(Value.i32(1), 8)));
    }

    @Test
    void namedBarriersWithTheWrongNumbers() {
        says(Kind.NAMED_BARRIER, "a block has the barriers 0 to 15, got 16", 32,
                body -> body.loop("i", 16, 17, 1, (b, i) -> b.namedBarrier(i, 32).sync()));
        says(Kind.NAMED_BARRIER, "warp 1 reaches barrier 1 for 96 threads, and others that came before did for 64: "
                + "all come "
                + "for the same number", 96, body -> body.when(Builtin.THREAD.lessThan(32),
                b -> b.namedBarrier(1, 64).sync(),
                        b -> b.namedBarrier(1, 96).sync()));
        says(Kind.NAMED_BARRIER, "not enough threads come to this named barrier: threads 0-31 wait at barrier 3, to "
                + "which 32 of "
                + "64 threads have come, in step 'meet'; threads 32-63 have exited", 64, body ->
                body.when(Builtin.THREAD.lessThan(32), b -> b.purpose("meet").namedBarrier(3, 64).sync()));
        says(Kind.NAMED_BARRIER, "threads wait at __syncthreads(), which is barrier 0, when others come to barrier 0 "
                + "by its "
                + "number: use one of 1 to 15", 64, body -> body.when(Builtin.THREAD.lessThan(32), b -> b.syncThreads(),
                        b -> b.namedBarrier(0, 64).sync()));
    }

    private static void says(Kind kind, String sentence, int threads, Consumer<Body> code) {
        ReferenceException e = fails(threads, code);
        assertEquals(sentence, e.sentence());
        assertEquals(kind, e.kind());
    }

    private static ReferenceException fails(int threads, Consumer<Body> code) {
        return assertThrows(ReferenceException.class, () -> runs(threads, code));
    }

    private static void runs(int threads, Consumer<Body> code) {
        TileProgram program = new TileProgram("small", "one mistake", threads, List.of(), new SharedLayout(List.of()),
                Body.steps(code));
        Reference.run(new Launch(program, 1, List.of()), List.of());
    }
}
