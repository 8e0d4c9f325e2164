package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.WarpCase;
import dev.tilewright.ptx.Target;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every warp operation, on drawn values, lanes, masks and widths, leaves what a direct computation says. */
@OnEveryStage
record WarpGpuTest(Stage stage) {
    private static final int TASKS = 60;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void warpOperations(long seed) {
        WarpCase drawn = new WarpCase(seed, TASKS);
        Driver device = stage.driver(Target.SM_90, seed);
        try (Arena arena = Arena.ofShared();
                LoadedKernel kernel = device.load(drawn.program());
                DeviceBuffer source = device.allocate(drawn.source().length);
                DeviceBuffer result = device.allocate(drawn.expected().length)) {
            device.upload(arena.allocateFrom(ValueLayout.JAVA_BYTE, drawn.source()), source);
            device.fill(result, (byte) 0xCD);
            device.launch(kernel, new Launch(drawn.program(), 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                    List.of(source, result));
            MemorySegment there = arena.allocate(drawn.expected().length, 16);
            device.download(result, there);
            assertArrayEquals(drawn.expected(), there.toArray(ValueLayout.JAVA_BYTE));
        }
    }
}
