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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The kernels whose copying speed is measured: the builders' defaults, or a sweep over what the builders declare. */
public final class CopyRows {
    private static final ElementType TYPE = ElementType.F32;
    private static final int RANK = 2;
    private static final int COLUMNS = 4096;
    /** The number of tiles per block that makes the grid exactly what the device holds at once. */
    private static final int PERSISTENT = 0;
    private static final int[] TILES_PER_BLOCK = {1, 2, 4, 8, PERSISTENT};
    /** What users choose beside the defaults, because of bank conflicts. */
    private static final Preset SWIZZLED = new Preset("tensor-copy-128b", TensorCopy.MECHANISM,
            "copies a matrix in swizzled tiles", Schedule.parse("swizzle=128B"));

    private CopyRows() { }

    /** What speeds are demanded of, then the builders as they are when a user chooses nothing, and swizzled tiles. */
    public static List<CopyRow> defaults(List<Mechanism<?>> mechanisms) {
        List<CopyRow> all = new ArrayList<>(DemandedRows.all());
        for (Mechanism<?> mechanism : mechanisms) {
            all.add(row(mechanism, Schedule.DEFAULT, standing(mechanism).build(TYPE), 1));
            if (mechanism == SWIZZLED.mechanism()) {
                all.add(row(mechanism, SWIZZLED.schedule(), SWIZZLED.build(TYPE), 1));
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
        for (int each : TILES_PER_BLOCK) {
            for (Mechanism<?> mechanism : mechanisms) {
                for (Schedule choices : combinations(mechanism)) {
                    try {
                        all.add(row(mechanism, choices, standing(mechanism).build(TYPE, RANK, choices), each));
                    } catch (BadRequestException e) {
                        // Values that do not go together, such as too many stages of a large tile.
                    }
                }
            }
        }
        return all;
    }

    private static CopyRow row(Mechanism<?> mechanism, Schedule choices, ElementwiseKernel kernel, int each) {
        Map<String, String> parameters = new LinkedHashMap<>();
        mechanism.options().forEach(option ->
                choices.get(option.name()).ifPresent(value -> parameters.put(option.name(), value)));
        parameters.put("tiles", each == PERSISTENT ? "as many blocks as fit" : each + " a block");
        return new CopyRow(mechanism.name(), parameters, kernel, CopyRows::matrix,
                resident -> each == PERSISTENT ? GridPolicy.over(resident) : GridPolicy.tilesEach(each), 0, null);
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
