package dev.tilewright.tile.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.NotNull;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * A tile kernel by name, for elements of several types.
 *
 * @param name what the command calls it
 * @param summary one line that says what it does
 * @param types of the elements that it is made for, the usual one first
 * @param minimumTarget the least capable target that it runs on
 * @param sizes extents of the launches that are tuned and measured, by dimension. A listing of its program is made for
 *     the first where none are said
 * @param most extents that launches do not exceed which are drawn, or made small to be checked, where larger ones
 *     would take long, by dimension
 * @param kernels makes the kernel for a type
 */
public record TilePreset(String name, String summary, List<ValueType> types, Target minimumTarget,
        List<Map<String, Long>> sizes, Map<String, Long> most, Function<ValueType, TileKernel> kernels) {

    public TilePreset {
        NotNull.all("name, summary, types, minimumTarget, sizes, most, kernels", name, summary, types, minimumTarget,
                sizes, most, kernels);
        most = Collections.unmodifiableMap(new TreeMap<>(NotNull.entries("most", most)));
        sizes = sizes.stream().map(extents -> Collections.unmodifiableMap(new TreeMap<>(NotNull.entries("sizes",
                extents)))).toList();
        types = List.copyOf(types);
        if (sizes.isEmpty()) {
            throw new IllegalArgumentException("preset '" + name + "' has no size: name one or more");
        }
        if (types.isEmpty()) {
            throw new IllegalArgumentException("preset '" + name + "' has no type of elements: name one or more");
        }
    }

    /** One whose launches are small where tiles are. */
    public TilePreset(String name, String summary, List<ValueType> types, Target minimumTarget,
            List<Map<String, Long>> sizes, Function<ValueType, TileKernel> kernels) {
        this(name, summary, types, minimumTarget, sizes, Map.of(), kernels);
    }

    /** Extents that a listing of its program is made for where none are said: the first of its sizes. */
    public Map<String, Long> extents() {
        return sizes.getFirst();
    }

    /** The name of its kernel of a type in a table of schedules: {@code softmax bf16}. */
    public String title(ValueType type) {
        Objects.requireNonNull(type, "type");
        return name + " " + type;
    }

    /**
     * The types that it is tuned and measured for: the usual one, and one of 16 bits besides.
     */
    public List<ValueType> measuredTypes() {
        return types.stream().filter(type -> type == types.getFirst() || type == ValueType.BF16
                || types.getFirst() == ValueType.BF16 && type == ValueType.F16).toList();
    }

    /** The sizes that it is tuned and measured for with elements of a type: all with the usual one, else the first. */
    public List<Map<String, Long>> sizes(ValueType type) {
        Objects.requireNonNull(type, "type");
        return type == types.getFirst() ? sizes : sizes.subList(0, 1);
    }

    /** The kernel for elements of its usual type. */
    public TileKernel kernel() {
        return kernels.apply(types.getFirst());
    }

    /**
     * The kernel for elements of a type.
     *
     * @throws BadRequestException if it is made for others
     */
    public TileKernel kernel(ValueType type) {
        Objects.requireNonNull(type, "type");
        if (!types.contains(type)) {
            throw new BadRequestException("preset '" + name + "' has elements of "
                    + String.join(", ", types.stream().map(ValueType::toString).toList()) + ", got " + type);
        }
        return kernels.apply(type);
    }

    /** {@code softmax: each row's …}. */
    @Override
    public String toString() {
        return name + ": " + summary;
    }
}
