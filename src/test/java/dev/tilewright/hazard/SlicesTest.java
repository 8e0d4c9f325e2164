package dev.tilewright.hazard;

import dev.tilewright.hazard.check.HazardCheck;
import static dev.tilewright.hazard.SmallKernels.RESULT;
import static dev.tilewright.hazard.SmallKernels.SOURCE;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Buffers may be slices of one allocation: what is written through one parameter is read through another. */
class SlicesTest {
    private static final int BYTES = 4 * THREADS;
    private static final Parameter.Pointer MIDDLE = new Parameter.Pointer("middle", false);

    static Stream<MemorySegment> memory() {
        return Stream.of(Arena.global().allocate(2 * BYTES, 256), MemorySegment.ofArray(new int[2 * BYTES / 4]));
    }

    @ParameterizedTest
    @MethodSource("memory")
    void whatIsWrittenThroughOneAndReadThroughAnother(MemorySegment memory) {
        Twins.found(HazardCode.MISSING_BARRIER, "take", check(memory, BYTES / 2, false));
        Twins.clean(check(memory, BYTES / 2, true));
        Twins.clean(check(memory, BYTES, false));
    }

    /** A third slice connects two that do not overlap. */
    @ParameterizedTest
    @MethodSource("memory")
    void slicesInAChain(MemorySegment memory) {
        MemorySegment all = memory.asSlice(0, 2 * BYTES);
        Twins.found(HazardCode.MISSING_BARRIER, "take", check(List.of(memory.asSlice(0, BYTES),
                memory.asSlice(BYTES / 2, BYTES),
                all), false));
    }

    private static HazardReport check(MemorySegment memory, int apart, boolean synchronised) {
        return check(List.of(memory.asSlice(0, BYTES), memory.asSlice(apart, BYTES), memory.asSlice(0, 16)),
                synchronised);
    }

    private static HazardReport check(List<MemorySegment> slices, boolean synchronised) {
        TileProgram program = new TileProgram("slices", "through two names", THREADS, List.of(SOURCE, RESULT, MIDDLE),
                new SharedLayout(List.of()), Body.steps(body -> {
            Fragment word = body.purpose("a word").load("word", ElementType.U32, 1, new Address.Global(MIDDLE, 0));
            body.purpose("all have it").syncThreads();
            body.purpose("put it").store(new Address.Global(RESULT, T.times(4).toS64()), word);
            if (synchronised) {
                body.purpose("all have put theirs").syncThreads();
            }
            Fragment other = body.purpose("take").load("other", ElementType.U32, 1, new Address.Global(SOURCE,
                    Expr.of(THREADS - 1).minus(T).times(4).toS64()));
            body.purpose("use it").when(T.isEqualTo(THREADS), b -> b.purpose("never").store(
                    new Address.Global(RESULT, 0), other));
        }));
        return HazardCheck.check(Launch.of(program, 1, Map.of(RESULT, new Argument.Buffer(0), SOURCE,
                new Argument.Buffer(1), MIDDLE,
                new Argument.Buffer(2))), slices);
    }
}
