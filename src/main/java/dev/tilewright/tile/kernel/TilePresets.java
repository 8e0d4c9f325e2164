package dev.tilewright.tile.kernel;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The tile kernels that have names, in the order in which they are listed. */
public final class TilePresets {
    private static final List<ValueType> FLOATS = List.of(ValueType.F32, ValueType.BF16, ValueType.F16, ValueType.F64);
    private static final Map<String, Long> ROWS_OF_4096 = Map.of("columns", 4096L);

    /** All of them. Names are unique, also among {@link dev.tilewright.builder.Presets}. */
    public static final List<TilePreset> ALL = List.of(
            new TilePreset("softmax", "e to the power of each element, divided by the sum of its row", FLOATS,
                    Target.SM_80, ROWS_OF_4096, RowKernels::softmax));

    private TilePresets() {
    }

    /** The one of this name, if there is one. */
    public static Optional<TilePreset> find(String name) {
        Objects.requireNonNull(name, "name");
        return ALL.stream().filter(preset -> preset.name().equals(name)).findFirst();
    }
}
