package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.program.Argument;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.GridKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Grids, blocks and clusters of several dimensions, whose size the kernel or the launch says: every thread is where
 * CUDA's definitions put it, worked out directly.
 */
@OnEveryStage
record GridGpuTest(Stage stage) {
    private static final int ROUNDS = 3;
    private static final List<Argument> OUT = List.of(new Argument.Buffer(0));

    static Stream<Launch> places() {
        Dim3 box = new Dim3(2, 2, 2);
        return Stream.of(new Launch(GridKernels.places(new Dim3(8, 4, 2), ClusterSize.NONE), new Dim3(5, 3, 2), OUT),
                new Launch(GridKernels.places(new Dim3(3, 5, 7), ClusterSize.of(Dim3.of(1, 4))), Dim3.of(3, 8), OUT),
                new Launch(GridKernels.places(Dim3.of(8, 4), ClusterSize.of(box)), new Dim3(4, 2, 6), OUT),
                new Launch(GridKernels.places(Dim3.of(32), ClusterSize.AT_LAUNCH), new Dim3(6, 4, 2), OUT),
                new Launch(GridKernels.places(Dim3.of(32), ClusterSize.AT_LAUNCH), new Dim3(6, 4, 2),
                        OUT).inClustersOf(Dim3.of(3, 2)),
                new Launch(GridKernels.places(Dim3.of(32), ClusterSize.AT_LAUNCH), new Dim3(6, 4, 2),
                        OUT).inClustersOf(box));
    }

    @ParameterizedTest
    @MethodSource("places")
    void everyThreadIsWhereItSays(Launch launch) {
        assertLeaves(GridKernels.expectedPlaces(launch), launch);
    }

    static Stream<Launch> neighbours() {
        TileProgram open = GridKernels.neighbours(ClusterSize.AT_LAUNCH, true);
        return Stream.of(new Launch(GridKernels.neighbours(ClusterSize.of(Dim3.of(2, 2)), true), new Dim3(6, 4, 2),
                OUT),
                new Launch(GridKernels.neighbours(ClusterSize.of(new Dim3(1, 2, 3)), true), new Dim3(5, 4, 3), OUT),
                new Launch(open, Dim3.of(4, 4), OUT).inClustersOf(Dim3.of(2)),
                        new Launch(open, Dim3.of(4, 4), OUT).inClustersOf(Dim3.of(4, 2)),
                new Launch(open, Dim3.of(16, 4), OUT).inClustersOf(Dim3.of(4, 4)),
                        new Launch(open, Dim3.of(4, 4), OUT));
    }

    @ParameterizedTest
    @MethodSource("neighbours")
    void blocksReachTheNextOfTheirCluster(Launch launch) {
        assertLeaves(GridKernels.expectedNumbers(launch.grid(), launch.cluster()), launch);
    }

    static Stream<Dim3> blocks() {
        return Stream.of(new Dim3(4, 4, 6), new Dim3(2, 16, 3), Dim3.of(3, 32), Dim3.of(96));
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void warpsAreOfThreadsWithNeighbouringNumbers(Dim3 threads) {
        Launch launch = new Launch(GridKernels.warps(threads), 1, OUT);
        for (int round = 0; round < ROUNDS; round++) {
            assertArrayEquals(new int[] {1, 2, 3}, run(stage.device(launch.program().minimumTarget(), round), launch, 3,
                    (byte) 0));
        }
    }

    private void assertLeaves(int[] expected, Launch launch) {
        for (int round = 0; round < ROUNDS; round++) {
            assertArrayEquals(expected, run(stage.device(launch.program().minimumTarget(), round), launch,
                    expected.length, (byte) 0xCD));
        }
    }

    private static int[] run(CaseDevice device, Launch launch, int words, byte before) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(4L * words, 64).fill(before);
            device.run(launch, List.of(out));
            return out.toArray(ValueLayout.JAVA_INT);
        }
    }
}
