package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Schedule;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.Decision;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.LoweredKernel;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.lower.analysis.Epilogue;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which tiles a product's launch is computed in: the fastest ones, and which of equally fast ones. */
class TileSizeTest {
    private static final List<Integer> LENGTHS = List.of(256, 128, 64, 32, 16);
    private static final List<ValueType> TYPES = List.of(ValueType.BF16, ValueType.F16, ValueType.TF32, ValueType.F32,
            ValueType.F64, ValueType.E4M3, ValueType.I8);
    private static final List<Integer> MULTIPROCESSORS = List.of(1, 7, 114, 132);
    /** Tiles of a launch that is long even if each multiprocessor takes one. */
    private static final int MANY = 64;
    private static final int LAUNCHES = Thorough.of(60, 200);
    /** A kernel's own tiles stay unless others take less than this part of their time. */
    private static final double STAYS = 0.97;
    private static final long SIDE = 300;
    private static final long DEPTH = 24;

    @ParameterizedTest
    @CsvSource({"BF16, true, 8191, 8185, 8184, 128 x 256", "F32, false, 4096, 4096, 4096, 128 x 256",
            "F64, false, 4096, 4096, 4096, 128 x 128", "F32, false, 2048, 2048, 2048, 128 x 256",
            "BF16, true, 2047, 2041, 2040, 128 x 256", "F32, false, 1024, 1024, 1024, 128 x 128",
            "F32, false, 512, 512, 512, 256 x 64", "F64, false, 8192, 8192, 8192, 128 x 128",
            "F64, false, 3072, 3072, 3072, 128 x 128", "F64, false, 1024, 1024, 1024, 64 x 128"})
    void launchesHaveTheirFastestTiles(ValueType type, boolean byColumns, long m, long n, long k, String tile) {
        LoweredKernel lowered = of(type, false, byColumns).kernel().lowered(Target.SM_90A, Map.of("m", m, "n", n,
                "k", k));
        assertTrue(lowered.decisions().stream().map(Decision::choice).anyMatch(("tiles of " + tile)::equals),
                lowered::toString);
    }

    private static Gemm of(ValueType type, boolean transposedA, boolean transposedB) {
        Gemm gemm = Gemm.of(type);
        gemm = transposedA ? gemm.withTransposedA() : gemm;
        return transposedB ? gemm.withTransposedB() : gemm;
    }

    private static TileKernel inTiles(Gemm gemm, List<Integer> lengths) {
        return gemm.withTiles(lengths.getFirst(), lengths.getLast(), gemm.depth()).kernel();
    }

    private static List<Integer> lengths(Grid grid) {
        return grid.steps().stream().map(Steps::length).toList();
    }

    /** A product's launch, and how long each tile takes that a block has room for. */
    private record Drawn(Gemm gemm, Map<String, Long> extents, int multiprocessors,
            Map<List<Integer>, ProductTime> times) {
        static Drawn of(long seed) {
            Random random = new Random(seed);
            ValueType type = TYPES.get(random.nextInt(TYPES.size()));
            boolean either = type == ValueType.BF16 || type == ValueType.F16 || type.bytes() * type.bits() >= 128
                    && type != ValueType.TF32;
            Gemm gemm = TileSizeTest.of(type, either && random.nextBoolean(), !either || random.nextBoolean());
            Map<String, Long> extents = new LinkedHashMap<>();
            int each = 1 << random.nextInt(7);
            List.of("m", "n", "k").forEach(name -> extents.put(name, Math.ceilDiv(1L + random.nextInt(
                    1 << 3 + random.nextInt(11)), each) * each));
            Drawn drawn = new Drawn(gemm, extents, MULTIPROCESSORS.get(random.nextInt(MULTIPROCESSORS.size())),
                    new LinkedHashMap<>());
            for (int rows : LENGTHS) {
                for (int columns : LENGTHS) {
                    List<Integer> tile = List.of(rows, columns);
                    drawn.time(inTiles(gemm, tile)).ifPresent(time -> drawn.times.put(tile, time));
                }
            }
            return drawn;
        }

        private static Predicate<Tensor> aligned(Map<String, Long> extents) {
            return tensor -> Lowering.isAligned(tensor, ArrayShape.dense(tensor.dims().stream().map(dim ->
                    extents.get(dim.name())).toList()));
        }

        private Optional<ProductTime> time(TileKernel kernel) {
            long tiles = kernel.grid().steps().stream().mapToLong(steps -> Math.ceilDiv(extents.get(
                    steps.dim().name()), (long) steps.length())).reduce(1, Math::multiplyExact);
            return Paths.match(kernel, extents, aligned(extents), Choices.NONE, Target.SM_90A).pattern()
                    .filter(pattern -> ProductProgram.room(pattern, 0) >= 2)
                    .map(pattern -> ProductTime.of(pattern, tiles, extents, multiprocessors,
                            Epilogue.of(kernel)));
        }

        List<Integer> chosen() {
            return lengths(TileSize.of(gemm.kernel(), grid -> inTiles(gemm, lengths(grid)), new TileSize.Launched(
                    extents, aligned(extents), Choices.NONE, Target.SM_90A, multiprocessors)).kernel().grid());
        }
    }

    @Test
    void timeAloneDecidesAndTiesAreBrokenAsStated() {
        int broken = 0;
        int kept = 0;
        for (long seed = 0; seed < LAUNCHES; seed++) {
            Drawn drawn = Drawn.of(seed);
            List<Integer> own = List.of(drawn.gemm.rows(), drawn.gemm.columns());
            List<Integer> chosen = drawn.chosen();
            String what = seed + ": " + drawn + " in tiles of " + chosen;
            if (!drawn.times.isEmpty()) {
                double least = drawn.times.values().stream().mapToDouble(ProductTime::cycles).min().orElseThrow();
                boolean stays = drawn.times.containsKey(own) && least >= STAYS * drawn.times.get(own).cycles();
                List<List<Integer>> equals = drawn.times.keySet().stream().filter(tile -> drawn.times.get(tile)
                        .cycles() == least).toList();
                ProductTime first = drawn.times.get(equals.getFirst());
                boolean isLong = first.turns() > 1 || first.tiles() >= MANY;
                assertEquals(stays ? own : isLong ? largest(equals) : equals.getFirst(), chosen, what);
                broken += !stays && isLong && !chosen.equals(equals.getFirst()) ? 1 : 0;
                kept += !stays && !isLong && !chosen.equals(largest(equals)) ? 1 : 0;
            }
            TileKernel kernel = drawn.gemm.kernel();
            assertEquals(kernel.signature(Target.SM_90A), kernel.with(Schedule.DEFAULT.with("tile", chosen.getFirst()
                    + "x" + chosen.getLast())).signature(Target.SM_90A), what);
        }
        assertTrue(broken > LAUNCHES / 40 && kept > LAUNCHES / 40, broken + " ties broken, " + kept + " kept");
    }

    /** Of tiles in any order: the largest, of these the squarest, of these the widest. */
    private static List<Integer> largest(List<List<Integer>> tiles) {
        List<Integer> best = tiles.getFirst();
        for (List<Integer> tile : tiles) {
            int area = tile.getFirst() * tile.getLast() - best.getFirst() * best.getLast();
            int longer = Math.max(tile.getFirst(), tile.getLast()) - Math.max(best.getFirst(), best.getLast());
            if (area > 0 || area == 0 && (longer < 0 || longer == 0 && tile.getLast() > best.getLast())) {
                best = tile;
            }
        }
        return best;
    }

    @Test
    void bitsAreTheSameInWhateverTiles() {
        TileKernel kernel = Gemm.of(ValueType.F32).kernel();
        Map<String, ArrayShape> shapes = Map.of("a", ArrayShape.dense(List.of(SIDE, DEPTH)), "b", ArrayShape.dense(
                List.of(DEPTH, SIDE)), "c", ArrayShape.dense(List.of(SIDE, SIDE)));
        float[] a = numbers(1);
        float[] b = numbers(2);
        float[] wanted = new float[Math.toIntExact(SIDE * SIDE)];
        kernel.onCpu().set("a", a, SIDE, DEPTH).set("b", b, DEPTH, SIDE).set("c", wanted, SIDE, SIDE).run();
        Set<TileProgram> programs = new HashSet<>();
        for (int multiprocessors : MULTIPROCESSORS) {
            Launch launch = kernel.launch(shapes, Scalars.NONE, Target.SM_90A, multiprocessors);
            programs.add(launch.program());
            float[] c = new float[wanted.length];
            Reference.run(launch, Stream.of(a, b, c).map(MemorySegment::ofArray).toList());
            assertArrayEquals(wanted, c, () -> multiprocessors + " multiprocessors");
        }
        assertTrue(programs.size() > 1, "all have the same tiles");
    }

    private static float[] numbers(long seed) {
        Random random = new Random(seed);
        float[] numbers = new float[Math.toIntExact(SIDE * DEPTH)];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return numbers;
    }
}
