package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.ptx.Target;
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
        ValuePrograms.Case c = ValuePrograms.random(seed, true);
        Driver driver = stage.driver(Target.SM_89);
        try (Arena arena = Arena.ofConfined(); LoadedKernel kernel = driver.load(c.program());
                DeviceBuffer x = driver.allocate(c.before().length); DeviceBuffer y = driver.allocate(c.after().length)) {
            driver.upload(arena.allocate(c.before().length, 64).copyFrom(MemorySegment.ofArray(c.before())), x);
            driver.fill(y, (byte) 0);
            driver.launch(kernel, c.launch(), List.of(x, y));
            MemorySegment left = arena.allocate(c.after().length, 64);
            driver.download(y, left);
            assertArrayEquals(c.after(), left.toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
