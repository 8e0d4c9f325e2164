package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.WarpKernels;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.verify.CaseDevice;
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
        assumeTrue(stage.takes(seed, 4), "an ordinary run takes one in four");
        CaseDevice device = stage.device(Target.SM_90, seed);
        WarpPrograms warps = new WarpPrograms(seed, TASKS);
        WarpPrograms.Data drawn = warps.data(seed);
        TileProgram program = warps.program();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(drawn.expected().length, 256).fill((byte) 0xCD);
            device.run(
                    new Launch(program, 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1))),
                    List.of(arena.allocate(drawn.source().length, 256).copyFrom(MemorySegment.ofArray(drawn.source())),
                            result));
            assertArrayEquals(drawn.expected(), result.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    static Stream<WarpKernels.Case> cases() {
        return WarpKernels.all().stream();
    }

    /** Named barriers, masks in two branches, waits that test, registers that change hands. */
    @ParameterizedTest
    @MethodSource("cases")
    void warpsThatMeetInParts(WarpKernels.Case c) {
        CaseDevice device = stage.device(c.program().minimumTarget(), 3);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment words = arena.allocate(4L * c.words(), 256);
            for (int i = 0; i < c.words(); i++) {
                words.setAtIndex(ValueLayout.JAVA_INT, i, WarpKernels.source(i));
            }
            Launch launch = new Launch(c.program(), 1, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
            for (int round = 0; round < stage.most(4, 20); round++) {
                MemorySegment there = arena.allocate(4L * c.words(), 256).fill((byte) 0xCD);
                device.run(launch, List.of(words, there));
                for (int i = 0; i < c.words(); i++) {
                    assertEquals(c.expected().applyAsInt(i), there.getAtIndex(ValueLayout.JAVA_INT, i), "word " + i);
                }
            }
        }
    }

    /**
     * Launches that may begin before the one in front has ended, and wait for it: each adds 1 to what that one left.
     */
    @Test
    void dependentLaunches() {
        int launches = 200;
        int words = 128 * 4;
        TileProgram program = WarpKernels.dependent(true);
        Launch launch = new Launch(program, 4, List.of(new Argument.Buffer(0), new Argument.Buffer(1)));
        Gpu gpu = stage == Stage.GPU ? TestGpu.atLeast(program.minimumTarget())
                : Gpu.emulated(ReferenceOptions.DEFAULT.withSeed(5));
        try (Kernel kernel = gpu.load(program); dev.tilewright.gpu.Stream stream = gpu.stream();
                Buffer<int[]> source = gpu.ints(words);
                Buffer<int[]> result = gpu.ints(words)) {
            result.fill((byte) 0);
            KernelLaunch prepared = kernel.prepare(launch, source, result).on(stream);
            for (int i = 0; i < launches; i++) {
                prepared.start();
            }
            stream.synchronize();
            for (int word : result.download()) {
                assertEquals(launches, word);
            }
        }
    }
}
