package dev.tilewright.tile.launch;

import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What a launch's tensors say of a kernel's dimensions. */
final class Extents {
    private Extents() { }

    /**
     * The extents by name.
     *
     * @throws IllegalArgumentException if a tensor has another rank, or tensors disagree in a dimension
     */
    static Map<String, Long> of(TileKernel kernel, Map<String, ArrayShape> shapes) {
        Map<String, Long> extents = new HashMap<>();
        Map<String, String> from = new HashMap<>();
        for (Tensor tensor : kernel.tensors()) {
            ArrayShape shape = shapes.get(tensor.name());
            if (shape == null) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "': tensor '" + tensor.name()
                        + "' has no shape, among " + new TreeMap<>(shapes));
            }
            if (shape.extents().size() != tensor.dims().size()) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "': tensor '" + tensor.name()
                        + "' has " + tensor.dims().size() + " dimensions, " + tensor.dims() + ", got the shape "
                        + shape);
            }
            for (int i = 0; i < tensor.dims().size(); i++) {
                Dim dim = tensor.dims().get(i);
                long extent = shape.extents().get(i);
                Long known = kernel.dims().contains(dim) ? extents.putIfAbsent(dim.name(), extent) : null;
                if (known != null && known != extent) {
                    throw new IllegalArgumentException("kernel '" + kernel.name() + "': dimension '" + dim + "' is "
                            + extent + " in tensor '" + tensor.name() + "' and " + known + " in tensor '"
                            + from.get(dim.name()) + "': give arrays that agree in '" + dim + "'");
                }
                from.putIfAbsent(dim.name(), tensor.name());
            }
        }
        kernel.tensors().forEach(tensor -> requireComputed(kernel, tensor, shapes.get(tensor.name()), extents));
        return Map.copyOf(extents);
    }

    /** Extents that are not a dimension: numbers, and extents computed from dimensions. */
    private static void requireComputed(TileKernel kernel, Tensor tensor, ArrayShape shape, Map<String, Long> extents) {
        List<Long> wanted = kernel.shape(tensor, extents);
        for (int i = 0; i < wanted.size(); i++) {
            if (!wanted.get(i).equals(shape.extents().get(i))) {
                Dim dim = tensor.dims().get(i);
                throw new IllegalArgumentException("kernel '" + kernel.name() + "': dimension '" + dim + "' is "
                        + shape.extents().get(i) + " in tensor '" + tensor.name() + "', and the kernel's is "
                        + wanted.get(i) + (dim.size().isPresent() ? "" : " where " + kernel.dims().stream()
                                .filter(dim::isOf).map(d -> d + " = " + extents.get(d.name()))
                                .collect(Collectors.joining(", "))));
            }
        }
    }

    /** Whether all that is written is empty, so that there is nothing to do. */
    static boolean leaveNothing(TileKernel kernel, Map<String, ArrayShape> shapes) {
        return kernel.tensors().stream().filter(tensor -> tensor.role() != Tensor.Role.IN)
                .allMatch(tensor -> shapes.get(tensor.name()).reach() == 0);
    }
}
