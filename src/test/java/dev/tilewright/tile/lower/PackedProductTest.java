package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.junit.GpuAssertions;
import dev.tilewright.junit.HazardFree;
import dev.tilewright.junit.HostArray;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.QuantisedGemm;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Products whose right factor is packed in bytes: which are taken apart by warps, their bytes, and their hazards. */
class PackedProductTest {
    private static final List<String> SCHEDULES = List.of("", "tile=8x32", "tile=16x128", "stages=2", "tile=64x32",
            "tile=16x64, 3 blocks", "tile=32x64 stages=2", "early=1", "early=b", "tile=2x64", "tile=4x128 early=b");

    static IntStream seeds() {
        return IntStream.rangeClosed(1, Thorough.of(6, 12));
    }

    /** Shapes, types, groups and schedules at random. */
    @ParameterizedTest
    @OrdinaryShare(2)
    @MethodSource("seeds")
    void drawnOnesHaveTheExecutorsBytesAndNoHazard(int seed) {
        Random random = new Random(seed);
        int bits = 4 << random.nextInt(2);
        int group = 64 << random.nextInt(bits == 4 ? 3 : 2);
        ValueType type = random.nextBoolean() ? ValueType.BF16 : ValueType.F16;
        int m = 1 + random.nextInt(random.nextBoolean() ? 8 : 80);
        int n = 1 + random.nextInt(150);
        // Rows begin at multiples of 16 bytes.
        int k = (1 + random.nextInt(9 * group / 16)) * 16;
        String schedule = SCHEDULES.get(random.nextInt(SCHEDULES.size()));
        TileKernel own = QuantisedGemm.of(type, bits, group).kernel();
        TileKernel kernel = schedule.isEmpty() ? own : own.with(Schedule.parse(schedule));
        String title = bits + " bits, groups of " + group + ", " + m + " x " + n + " x " + k + ", " + schedule;
        Map<String, Long> extents = Map.of("m", (long) m, "n", (long) n, "k", (long) k);
        assertTrue(isPacked(kernel, extents), () -> title + "\n" + kernel.explain(Target.SM_90A, extents));
        Map<String, HostArray> arrays = arrays(random, type, bits, group, m, n, k);
        try (Gpu gpu = Gpu.emulated()) {
            GpuAssertions.assertSameAsOnCpu(gpu, kernel, arrays, Map.of());
        }
        HazardFree.assertHazardFree(kernel, Target.SM_90A, arrays, Map.of());
    }

    private static boolean isPacked(TileKernel kernel, Map<String, Long> extents) {
        return kernel.explain(Target.SM_90A, extents).contains("become its left factor where they are");
    }

    private static Map<String, HostArray> arrays(Random random, ValueType type, int bits, int group, int m, int n,
            int k) {
        int groups = Math.ceilDiv(k, group);
        int bytes = bits == 4 ? groups * group / 2 : k;
        byte[] b = new byte[n * bytes];
        random.nextBytes(b);
        ElementType half = type == ValueType.BF16 ? ElementType.BF16 : ElementType.F16;
        return Map.of("a", HostArray.of(halves(random, type, m * k), half, m, k),
                "b", HostArray.of(MemorySegment.ofArray(b), bits == 4 ? ElementType.U8 : ElementType.I8, n, bytes),
                "scales", HostArray.of(halves(random, type, n * groups), half, n, groups),
                "c", HostArray.of(MemorySegment.ofArray(new short[m * n]), half, m, n));
    }

    private static MemorySegment halves(Random random, ValueType type, int count) {
        short[] halves = new short[count];
        for (int i = 0; i < count; i++) {
            float number = (float) random.nextGaussian();
            halves[i] = type == ValueType.BF16 ? (short) FloatBits.toBf16(number) : Float.floatToFloat16(number);
        }
        return MemorySegment.ofArray(halves);
    }

    @ParameterizedTest
    @CsvSource({"4, 128, false, 1, 64, 1024, true", "4, 128, false, 5000, 64, 1024, true",
        "4, 128, false, 1, 64, 1020, false", "4, 32, false, 1, 64, 1024, false", "4, 128, true, 1, 64, 1024, false",
        "8, 128, false, 1, 64, 1024, true", "8, 256, false, 1, 64, 1024, false", "8, 128, false, 1, 64, 1032, false"})
    void groupsAndRowsThatFitAreTakenApartByWarps(int bits, int group, boolean zeros, long m, long n, long k,
            boolean fits) {
        QuantisedGemm gemm = QuantisedGemm.of(ValueType.BF16, bits, group);
        assertEquals(fits, isPacked((zeros ? gemm.withZeros() : gemm).kernel(), Map.of("m", m, "n", n, "k", k)));
    }

    /** Of GPUs whose blocks have less shared memory there are fewer stages, or smaller tiles. */
    @ParameterizedTest
    @OrdinaryShare(3)
    @CsvSource({"sm_90a, 1, 2 x 32", "sm_90a, 70, 64 x 64", "sm_120, 1, 2 x 32", "sm_120, 70, 8 x 32",
        "sm_100, 70, 16 x 32"})
    void stagesAndTilesFitIntoSharedMemory(String target, long m, String tile) {
        Target of = Target.parse(target);
        TileKernel kernel = QuantisedGemm.of(ValueType.BF16, 4, 128).kernel();
        Map<String, Long> extents = Map.of("m", m, "n", 64L, "k", 1024L);
        String said = kernel.explain(of, extents);
        assertTrue(said.contains("become its left factor where they are") && said.contains("tiles of " + tile), said);
        Random random = new Random(m);
        HazardFree.assertHazardFree(kernel, of, arrays(random, ValueType.BF16, 4, 128, (int) m, 64, 1024), Map.of());
    }

    /** Where each multiprocessor has one tile at most, unless the schedule says otherwise. */
    @ParameterizedTest
    @CsvSource({"1, 64, '', true", "64, 64, '', true", "1, 64, early=0, false", "1, 65536, '', false"})
    void shortLaunchesBeginEarly(long m, long n, String schedule, boolean early) {
        TileKernel own = QuantisedGemm.of(ValueType.BF16, 4, 128).kernel();
        TileKernel kernel = schedule.isEmpty() ? own : own.with(Schedule.parse(schedule));
        assertEquals(early, kernel.explain(Target.SM_90A, Map.of("m", m, "n", n, "k", 1024L)).contains("starts before "
                + "the previous launch has ended"));
    }

    @Test
    void otherKernelsAreNone() {
        TileKernel kernel = QuantisedGemm.of(ValueType.BF16, 4, 128).quantising();
        assertEquals("no loop adds up matrix products", Paths.packed(kernel, Map.of("n", 64L, "k", 128L),
                _ -> true, Choices.NONE, Target.SM_90A).reason());
    }
}
