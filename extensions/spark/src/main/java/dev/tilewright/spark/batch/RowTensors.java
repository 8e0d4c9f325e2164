package dev.tilewright.spark.batch;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launchable;
import dev.tilewright.tile.Batch;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What of a kernel's tensors goes along with rows of data, and what every launch has whole. Rows may only be cut into
 * batches where none depends on the others: where the kernel is batch invariant along the first dimension of each
 * tensor that has it.
 *
 * @param kernel the kernel
 * @param rows dimension whose places are rows
 * @param cut tensors of whose first dimension a row has one place, as declared
 * @param whole tensors that are the same for all rows, as declared
 */
public record RowTensors(TileKernel kernel, Dim rows, List<Tensor> cut, List<Tensor> whole) {

    /** @throws IllegalArgumentException if the kernel's rows depend on each other, or lie in another dimension */
    public static RowTensors of(TileKernel kernel) {
        Batch batch = kernel.batch();
        Dim rows = batch.dim().orElseThrow(() -> new IllegalArgumentException("kernel '" + kernel.name() + "' cannot "
                + "go through rows in batches, as they depend on each other: " + batch.reason()));
        for (Tensor tensor : kernel.tensors()) {
            if (batch.position(tensor).isPresent() && !tensor.dims().getFirst().equals(rows)) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "': tensor '" + tensor.name() + "' is "
                        + tensor.dims() + ", and rows of data lie along '" + rows + "': declare it with '" + rows
                        + "' as first dimension");
            }
            if (tensor.role() == Tensor.Role.IN_OUT) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "': tensor '" + tensor.name() + "' is "
                        + "read and written, and columns are not changed: read one tensor and write another");
            }
        }
        List<Tensor> cut = kernel.tensors().stream().filter(t -> batch.position(t).isPresent()).toList();
        return new RowTensors(kernel, rows, cut, kernel.tensors().stream().filter(t -> !cut.contains(t)).toList());
    }

    /** The types that tensors have in memory, by name. */
    public Map<String, ElementType> types() {
        return kernel.arrays().stream().collect(Collectors.toMap(Launchable.Array::name, Launchable.Array::type));
    }

    /** The dimensions of what one row has of a tensor: none of one element. */
    static List<Dim> dimsOfRow(Tensor tensor) {
        return tensor.dims().subList(1, tensor.dims().size());
    }

    /** Whether a row has an array of it, and not one element. */
    public static boolean isArray(Tensor tensor) {
        return tensor.dims().size() > 1;
    }
}
