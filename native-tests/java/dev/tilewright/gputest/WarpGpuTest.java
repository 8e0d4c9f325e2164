package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.WarpKernels;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.draw.WarpPrograms;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every warp operation, on drawn values, lanes, masks and widths, leaves what a direct computation says. */
@OnEveryStage
record WarpGpuTest(Stage stage) {
    private static final int TASKS = 60;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void warpOperations(long seed) {
        WarpPrograms warps = new WarpPrograms(seed, TASKS);
        WarpPrograms.Data drawn = warps.data(seed);
        TileProgram program = warps.program();
        Driver device = stage.driver(Target.SM_90, seed);
        try (Arena arena = Arena.ofConfined();
                LoadedKernel kernel = device.load(program);
                DeviceBuffer source = device.allocate(drawn.source().length);
                DeviceBuffer result = device.allocate(drawn.expected().length)) {
            device.upload(arena.allocateFrom(ValueLayout.JAVA_BYTE, drawn.source()), source);
            device.fill(result, (byte) 0xCD);
            device.launch(kernel, new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                    List.of(source, result));
            MemorySegment there = arena.allocate(drawn.expected().length, 16);
            device.download(result, there);
            assertArrayEquals(drawn.expected(), there.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    static Stream<WarpKernels.Case> cases() {
        return WarpKernels.all().stream();
    }

    /** Named barriers, masks in two branches, waits that test, registers that change hands. */
    @ParameterizedTest
    @MethodSource("cases")
    void warpsThatMeetInParts(WarpKernels.Case c) {
        Driver device = stage.driver(c.program().minimumTarget(), 3);
        try (Arena arena = Arena.ofConfined(); LoadedKernel kernel = device.load(c.program());
                DeviceBuffer source = device.allocate(4L * c.words());
                DeviceBuffer result = device.allocate(4L * c.words())) {
            MemorySegment words = arena.allocate(4L * c.words(), 16);
            for (int i = 0; i < c.words(); i++) {
                words.setAtIndex(ValueLayout.JAVA_INT, i, WarpKernels.source(i));
            }
            device.upload(words, source);
            for (int round = 0; round < 20; round++) {
                device.fill(result, (byte) 0xCD);
                device.launch(kernel, new Launch(c.program(), 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                        List.of(source, result));
                MemorySegment there = arena.allocate(4L * c.words(), 16);
                device.download(result, there);
                for (int i = 0; i < c.words(); i++) {
                    assertEquals(c.expected().applyAsInt(i), there.getAtIndex(ValueLayout.JAVA_INT, i), "word " + i);
                }
            }
        }
    }

    /** Launches that may begin before the one in front has ended, and wait for it: each adds 1 to what that one left. */
    @Test
    void dependentLaunches() {
        int launches = 200;
        int words = 128 * 4;
        TileProgram program = WarpKernels.dependent(true);
        Driver device = stage.driver(program.minimumTarget(), 5);
        try (Arena arena = Arena.ofConfined(); LoadedKernel kernel = device.load(program);
                DeviceBuffer source = device.allocate(4L * words); DeviceBuffer result = device.allocate(4L * words)) {
            device.fill(result, (byte) 0);
            Launch launch = new Launch(program, 4, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
            for (int i = 0; i < launches; i++) {
                device.launch(kernel, launch, List.of(source, result));
            }
            MemorySegment there = arena.allocate(4L * words, 16);
            device.download(result, there);
            for (int i = 0; i < words; i++) {
                assertEquals(launches, there.getAtIndex(ValueLayout.JAVA_INT, i), "word " + i);
            }
        }
    }
}
