package dev.tilewright.bench;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Mechanism;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The kernels whose copying speed is measured: the builders' defaults, or a sweep over what the builders declare. */
public final class CopySuite {
    private static final ElementType TYPE = ElementType.F32;
    private static final int RANK = 2;
    private static final int COLUMNS = 4096;
    /** The number of tiles per block that makes the grid exactly what the device holds at once. */
    private static final int PERSISTENT = 0;
    private static final int[] TILES_PER_BLOCK = {1, 2, 4, 8, PERSISTENT};
    /** What users choose beside the defaults, because of bank conflicts. */
    private static final Preset SWIZZLED = new Preset("tensor-copy-128b", TensorCopy.MECHANISM,
            "copies a matrix in swizzled tiles", Map.of("swizzle", "128B"));

    /**
     * One kernel to measure.
     *
     * @param name what it is called in the report
     * @param tilesPerBlock tiles of each block, or 0 for a grid of exactly the blocks that the device holds at once
     */
    public record Candidate(String name, TileKernel kernel, int tilesPerBlock) {

        GridPolicy gridPolicy(int residentBlocks) {
            return tilesPerBlock == PERSISTENT ? GridPolicy.over(residentBlocks) : GridPolicy.tilesEach(tilesPerBlock);
        }
    }

    private CopySuite() {
    }

    /** The builders as they are when a user chooses nothing, and swizzled tiles. */
    public static List<Candidate> defaults(List<Mechanism<?>> mechanisms) {
        List<Candidate> all = new ArrayList<>();
        for (Mechanism<?> mechanism : mechanisms) {
            all.add(new Candidate(mechanism.name(), standing(mechanism).build(TYPE), 1));
            if (mechanism == SWIZZLED.mechanism()) {
                all.add(new Candidate(SWIZZLED.mechanism().name() + ", swizzle 128B", SWIZZLED.build(TYPE), 1));
            }
        }
        return all;
    }

    /**
     * Every combination of the values that builders say to sweep, in several grids. Builders that sweep none are left
     * out.
     */
    public static List<Candidate> sweep(List<Mechanism<?>> mechanisms) {
        Map<String, TileKernel> kernels = new LinkedHashMap<>();
        for (Mechanism<?> mechanism : mechanisms) {
            Preset standing = standing(mechanism);
            for (Map<String, String> choices : combinations(mechanism)) {
                StringBuilder name = new StringBuilder(mechanism.name());
                choices.forEach((option, value) -> name.append(" --").append(option).append(' ').append(value));
                try {
                    kernels.put(name.toString(), standing.build(TYPE, RANK, choices));
                } catch (BadRequestException e) {
                    // Values that do not go together, such as too many stages of a large tile.
                }
            }
        }
        List<Candidate> all = new ArrayList<>();
        for (int each : TILES_PER_BLOCK) {
            kernels.forEach((name, kernel) -> all.add(new Candidate(
                    name + (each == PERSISTENT ? ", persistent" : ", " + each + " tiles a block"), kernel, each)));
        }
        return all;
    }

    private static Preset standing(Mechanism<?> mechanism) {
        return new Preset(mechanism.name(), mechanism, mechanism.name() + " as it stands", Map.of());
    }

    private static List<Map<String, String>> combinations(Mechanism<?> mechanism) {
        List<Option<?, ?>> swept = mechanism.options().stream().filter(o -> !o.sweep().isEmpty()).toList();
        List<Map<String, String>> all = swept.isEmpty() ? List.of() : List.of(Map.of());
        for (Option<?, ?> option : swept) {
            all = all.stream().flatMap(chosen -> option.sweep().stream()
                    .map(value -> with(chosen, option.name(), value))).toList();
        }
        return all;
    }

    private static Map<String, String> with(Map<String, String> chosen, String option, String value) {
        Map<String, String> all = new LinkedHashMap<>(chosen);
        all.put(option, value);
        return all;
    }

    /** Measures cuMemcpy and these kernels on a matrix. @param bytes size of the matrix, a multiple of 1 MiB */
    public static List<CopyBenchmark.Row> measure(CopyBenchmark benchmark, long bytes, List<Candidate> candidates) {
        List<Long> matrix = List.of(bytes / TYPE.bytes() / COLUMNS, (long) COLUMNS);
        List<CopyBenchmark.Row> rows = new ArrayList<>(List.of(benchmark.memcpy()));
        for (Candidate candidate : candidates) {
            rows.add(benchmark.copy(candidate.name(), candidate.kernel(), matrix, candidate::gridPolicy));
        }
        return rows;
    }
}
