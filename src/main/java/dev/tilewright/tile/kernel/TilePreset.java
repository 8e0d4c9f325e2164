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
 * @param extents that a listing of its program is made for where none are said, by dimension: those of tiles, or that
 *     decide how large tiles are
 * @param kernels makes the kernel for a type
 */
public record TilePreset(String name, String summary, List<ValueType> types, Target minimumTarget,
        Map<String, Long> extents, Function<ValueType, TileKernel> kernels) {

    public TilePreset {
        NotNull.all("name, summary, types, minimumTarget, extents, kernels", name, summary, types, minimumTarget,
                extents, kernels);
        extents = Collections.unmodifiableMap(new TreeMap<>(NotNull.entries("extents", extents)));
        types = List.copyOf(types);
        if (types.isEmpty()) {
            throw new IllegalArgumentException("preset '" + name + "' has no type of elements: name one or more");
        }
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
