package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.draw.ValuePrograms;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random programs that compute with every type leave what their trees of operations say, to the bit. */
@OnEveryStage
record ValueProgramsGpuTest(Stage stage) {

    static LongStream seeds() {
        return LongStream.range(1000, 1000 + Long.getLong("tilewright.tests.value-programs", 40));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void leavesWhatTheTreesSay(long seed) {
        assumeTrue(stage.takes(seed, 4), "an ordinary run takes one in four");
        CaseDevice device = stage.device(Target.SM_89);
        ValuePrograms.Case c = ValuePrograms.random(seed, true);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment left = arena.allocate(c.after().length, 64);
            device.run(c.launch(),
                    List.of(arena.allocate(c.before().length, 64).copyFrom(MemorySegment.ofArray(c.before())), left));
            assertArrayEquals(c.after(), left.toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
