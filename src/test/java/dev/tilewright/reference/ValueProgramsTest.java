package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.OrdinaryTries;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.verify.draw.ValuePrograms;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random programs that compute leave what their trees of operations say, watched and not. */
class ValueProgramsTest {

    @Property(tries = 50)
    @OrdinaryTries(20)
    void leavesWhatTheTreesSay(@ForAll long seed) {
        ValuePrograms.Case c = ValuePrograms.random(seed, true);
        assertArrayEquals(c.after(), run(c));
    }

    static LongStream seeds() {
        return LongStream.range(0, 12);
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @MethodSource("seeds")
    void watchedToo(long seed) {
        ValuePrograms.Case c = ValuePrograms.random(seed, true);
        try (Arena arena = Arena.ofShared()) {
            MemorySegment x = arena.allocate(c.before().length, 64).copyFrom(MemorySegment.ofArray(c.before()));
            MemorySegment y = arena.allocate(c.after().length, 64);
            HazardReport report = HazardCheck.check(c.launch(), List.of(x, y));
            assertEquals(List.of(), report.findings());
            assertArrayEquals(c.after(), y.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private static byte[] run(ValuePrograms.Case c) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment x = arena.allocate(c.before().length, 64).copyFrom(MemorySegment.ofArray(c.before()));
            MemorySegment y = arena.allocate(c.after().length, 64);
            Reference.run(c.launch(), List.of(x, y));
            return y.toArray(ValueLayout.JAVA_BYTE);
        }
    }
}
