package dev.tilewright.bench.suite;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Mechanism;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.layout.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** The kernels whose copying speed is measured: the builders' defaults, or a sweep over what the builders declare. */
public final class CopyRows {
    private static final ElementType TYPE = ElementType.F32;
    private static final int RANK = 2;
    private static final int COLUMNS = 4096;
    private static final IntFunction<GridPolicy> EACH_1 = _ -> GridPolicy.tilesEach(1);
    /** The last is as many blocks as the device holds at once. */
    private static final List<IntFunction<GridPolicy>> GRIDS = List.of(EACH_1, _ -> GridPolicy.tilesEach(2),
            _ -> GridPolicy.tilesEach(4), _ -> GridPolicy.tilesEach(8), GridPolicy::over);
    /** What users choose beside the defaults, because of bank conflicts. */
    private static final Preset SWIZZLED = new Preset("tensor-copy-128b", TensorCopy.MECHANISM,
            "copies a matrix in swizzled tiles", Schedule.parse("swizzle=128B"));

    private CopyRows() { }

    /** What speeds are demanded of, then the builders as they are when a user chooses nothing, and swizzled tiles. */
    public static List<CopyRow> defaults(List<Mechanism<?>> mechanisms) {
        List<CopyRow> all = new ArrayList<>(DemandedRows.all());
        for (Mechanism<?> mechanism : mechanisms) {
            Preset standing = standing(mechanism);
            all.add(row(standing, Schedule.DEFAULT, standing.build(TYPE), EACH_1));
            if (mechanism == SWIZZLED.mechanism()) {
                all.add(row(SWIZZLED, Schedule.DEFAULT, SWIZZLED.build(TYPE), EACH_1));
            }
        }
        return all;
    }

    /**
     * Every combination of the values that builders say to sweep, in several grids. Builders that sweep none are left
     * out.
     */
    public static List<CopyRow> sweep(List<Mechanism<?>> mechanisms) {
        List<CopyRow> all = new ArrayList<>();
        for (IntFunction<GridPolicy> grid : GRIDS) {
            for (Mechanism<?> mechanism : mechanisms) {
                Preset standing = standing(mechanism);
                for (Schedule choices : combinations(mechanism)) {
                    try {
                        all.add(row(standing, choices, standing.build(TYPE, RANK, choices), grid));
                    } catch (BadRequestException e) {
                        // Values that do not go together, such as too many stages of a large tile.
                    }
                }
            }
        }
        return all;
    }

    private static CopyRow row(Preset preset, Schedule choices, ElementwiseKernel kernel,
            IntFunction<GridPolicy> grid) {
        Schedule all = preset.schedule().with(choices);
        return new CopyRow(preset.name(), Map.of(), kernel, CopyRows::matrix,
                resident -> all.with(grid.apply(resident)), 0, null);
    }

    private static List<Long> matrix(long bytes) {
        return List.of(bytes / TYPE.bytes() / COLUMNS, (long) COLUMNS);
    }

    private static Preset standing(Mechanism<?> mechanism) {
        return new Preset(mechanism.name(), mechanism, mechanism.name() + " as it stands", Schedule.DEFAULT);
    }

    private static List<Schedule> combinations(Mechanism<?> mechanism) {
        List<Option<?, ?>> swept = mechanism.options().stream().filter(o -> !o.sweep().isEmpty()).toList();
        List<Schedule> all = swept.isEmpty() ? List.of() : List.of(Schedule.DEFAULT);
        for (Option<?, ?> option : swept) {
            all = Schedule.combinations(all, option.name(), option.sweep());
        }
        return all;
    }
}
