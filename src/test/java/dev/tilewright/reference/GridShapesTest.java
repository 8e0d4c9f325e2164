package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.GridKernels;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.reference.fault.ReferenceException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Grids, blocks and clusters of several dimensions: every thread is where CUDA's definitions put it, and clusters are
 * who they say.
 */
class GridShapesTest {
    private static final List<Argument> OUT = List.of(new Argument.Buffer(0));

    private static Launch launch(TileProgram program, Dim3 grid, Dim3 cluster) {
        return program.cluster().chosenAtLaunch() ? new Launch(program, grid, OUT).inClustersOf(cluster)
                : new Launch(program, grid, OUT);
    }

    @Property(tries = 60)
    @OrdinaryTries(25)
    void everyThreadIsWhereItSays(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Dim3 cluster = new Dim3(1 + random.nextInt(2), 1 + random.nextInt(2), 1 + random.nextInt(2));
        Dim3 grid = new Dim3(cluster.x() * (1 + random.nextInt(3)), cluster.y() * (1 + random.nextInt(3)),
                cluster.z() * (1 + random.nextInt(2)));
        Dim3 threads = new Dim3(1 + random.nextInt(5), 1 + random.nextInt(4), 1 + random.nextInt(3));
        TileProgram program = GridKernels.places(threads, random.nextBoolean() ? ClusterSize.of(cluster)
                : ClusterSize.AT_LAUNCH);
        Launch launch = launch(program, grid, cluster);
        ReferenceOptions options = random.nextBoolean() ? ReferenceOptions.DEFAULT
                : ReferenceOptions.DEFAULT.withSeed(seed);
        int[] shown = new int[GridKernels.placesBytes(launch) / 4];
        Reference.run(launch, List.of(MemorySegment.ofArray(shown)), options);
        assertArrayEquals(GridKernels.expectedPlaces(launch), shown);
    }

    @Property(tries = 30)
    @OrdinaryTries(10)
    void blocksReachTheNextOfTheirCluster(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Dim3 cluster = List.of(Dim3.of(2), Dim3.of(1, 2), Dim3.of(2, 2), Dim3.of(3, 2), new Dim3(1, 2, 2),
                new Dim3(2, 2, 2),
                new Dim3(4, 2, 2), Dim3.ONE).get(random.nextInt(8));
        Dim3 grid = new Dim3(cluster.x() * (1 + random.nextInt(2)), cluster.y() * (1 + random.nextInt(3)),
                cluster.z() * (1 + random.nextInt(2)));
        boolean fixed = random.nextBoolean() && cluster.count() > 1;
        Launch launch = launch(GridKernels.neighbours(fixed ? ClusterSize.of(cluster) : ClusterSize.AT_LAUNCH, true),
                grid, cluster);
        int[] shown = new int[launch.blocks()];
        Reference.run(launch, List.of(MemorySegment.ofArray(shown)));
        assertArrayEquals(GridKernels.expectedNumbers(grid, cluster), shown);
        HazardReport report = HazardCheck.check(launch, List.of(MemorySegment.ofArray(shown)));
        assertTrue(report.isClean(), report::toString);
        assertEquals(launch.blocks(), report.blocks());
    }

    @Test
    void warpsAreOfThreadsWithNeighbouringNumbers() {
        for (Dim3 threads : List.of(new Dim3(4, 4, 4), new Dim3(2, 16, 3), Dim3.of(3, 32), Dim3.of(96))) {
            int[] shown = new int[3];
            Reference.run(new Launch(GridKernels.warps(threads), 1, OUT), List.of(MemorySegment.ofArray(shown)));
            assertArrayEquals(new int[] {1, 2, threads.count() == 64 ? 0 : 3}, shown, threads::toString);
        }
    }

    /** The mistake is named, with the blocks as CUDA names them. */
    @Test
    void aClusterThatDoesNotMeetRaces() {
        Launch launch = launch(GridKernels.neighbours(ClusterSize.AT_LAUNCH, false), Dim3.of(4, 4), Dim3.of(2, 2));
        HazardReport report = HazardCheck.check(launch, List.of(MemorySegment.ofArray(new int[16])));
        assertTrue(report.codes().contains(HazardCode.MISSING_BARRIER), report::toString);
        assertTrue(report.findings().getFirst().message().contains("is blockIdx ("), report::toString);
        HazardReport first = HazardCheck.check(launch, List.of(MemorySegment.ofArray(new int[16])),
                HazardOptions.firstBlocks(3));
        assertEquals(4, first.blocks(), "whole clusters");
    }

    @Test
    void aFaultNamesTheBlockAsCudaDoes() {
        TileProgram program = new TileProgram("late", "a grid of two dimensions", Dim3.of(2, 2),
                ClusterSize.of(Dim3.of(1, 2)),
                List.of(GridKernels.OUT), new SharedLayout(List.of()), Body.steps(body ->
                        body.purpose("look").load("word", ElementType.U32, 1, new Address.Global(GridKernels.OUT,
                                Builtin.BLOCK_Y.times(3).plus(Builtin.BLOCK).times(16).plus(Builtin.THREAD_Y.times(8))
                                .toS64()))));
        assertEquals("kernel 'late', block 6, thread 0, step 'look': bytes 96 to 99 are outside 'out', which has 96 "
                + "bytes "
                + "(block 6 is blockIdx (0, 2, 0), since blocks count cluster by cluster, x first)",
                assertThrows(ReferenceException.class, () -> Reference.run(new Launch(program, Dim3.of(3, 4), OUT),
                        List.of(MemorySegment.ofArray(new byte[96])))).getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "4 | 4 | 1 | 2 | 2 | kernel 'places' runs in clusters of 2 blocks, which no launch can change, got 2 x 2",
        "4 | 3 | 1 | 1 | 2 | kernel 'places' runs in clusters of 1 x 2 blocks: the grid must be a multiple of that "
                + "in each dimension, got 4 x 3 blocks",
        "5 | 1 | 1 | 3 | 1 | kernel 'places' runs in clusters of 3 blocks: the grid must be a multiple of that, got "
                + "5 blocks",
        "9 | 1 | 1 | 9 | 1 | 'blocks per cluster must be in [1, 8] or 16, got 9'",
        "9 | 3 | 1 | 3 | 3 | 'blocks per cluster must be in [1, 8] or 16, got 3 x 3 = 9'",
        "1 | 65536 | 1 | 1 | 1 | 'a grid has less than 2^31 blocks, and at most 65535 along y and z, got 1 x 65536'",
        "65536 | 32768 | 1 | 1 | 1 | 'a grid has less than 2^31 blocks, and at most 65535 along y and z, got 65536 x "
                + "32768'"})
    void refusals(int x, int y, int z, int clusterX, int clusterY, String message) {
        ClusterSize size = message.contains("no launch") ? ClusterSize.of(Dim3.of(2)) : ClusterSize.AT_LAUNCH;
        assertEquals(message, assertThrows(IllegalArgumentException.class, () ->
                new Launch(GridKernels.places(Dim3.of(32), size),
                new Dim3(x, y, z), Dim3.of(clusterX, clusterY), OUT)).getMessage());
    }

    @Test
    void moreThanCanBeCounted() {
        Dim3 most = new Dim3(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);
        assertEquals(Long.MAX_VALUE, most.count());
        assertEquals("blocks per cluster must be in [1, 8] or 16, got 2147483647 x 2147483647 x 2147483647 = "
                + Long.MAX_VALUE, assertThrows(IllegalArgumentException.class, () -> ClusterSize.of(most))
                .getMessage());
        assertThrows(IllegalArgumentException.class, () -> GridKernels.places(most, ClusterSize.NONE));
        assertThrows(IllegalArgumentException.class,
                () -> new Launch(GridKernels.places(Dim3.of(32), ClusterSize.NONE), most, OUT));
    }

    @Test
    void blocksOfThreads() {
        assertEquals("threads per block must be in [1, 1024], got 32 x 33", assertThrows(IllegalArgumentException.class,
                () -> GridKernels.places(Dim3.of(32, 33), ClusterSize.NONE)).getMessage());
        assertEquals("a block has at most 64 threads along z, got 1 x 1 x 65",
                assertThrows(IllegalArgumentException.class,
                () -> GridKernels.places(new Dim3(1, 1, 65), ClusterSize.NONE)).getMessage());
        assertEquals("a dimension is at least 0, got -1 x 1 x 1", assertThrows(IllegalArgumentException.class, () ->
                Dim3.of(-1)).getMessage());
        assertEquals(16, GridKernels.places(Dim3.of(128), ClusterSize.NONE).withAtOnce(16).atOnce());
        for (int blocks : new int[] {-1, 17}) {
            assertEquals("a multiprocessor runs 0 to 16 blocks of 128 threads at once, got " + blocks,
                    assertThrows(IllegalArgumentException.class, () -> GridKernels.places(Dim3.of(128),
                            ClusterSize.NONE).withAtOnce(blocks)).getMessage());
        }
        assertEquals(0, new Launch(GridKernels.places(Dim3.of(32), ClusterSize.NONE), new Dim3(4, 0, 2), OUT).blocks());
        assertEquals(1, new Launch(GridKernels.places(Dim3.of(32), ClusterSize.AT_LAUNCH), 1,
                OUT).resolved().program().clusterBlocks());
    }
}
