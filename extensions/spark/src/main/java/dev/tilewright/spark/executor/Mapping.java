package dev.tilewright.spark.executor;

import dev.tilewright.ptx.Target;
import dev.tilewright.spark.batch.Group;
import dev.tilewright.spark.batch.RowShapes;
import dev.tilewright.spark.batch.RowTensors;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.util.function.Consumer;

/** A mapping as an executor has it: the kernel, and how rows lie in its tensors. Tasks share it. */
public final class Mapping {
    /** Takes an array of a launch. */
    interface Setter {
        void set(String tensor, Group.Place place, long[] shape);
    }

    private final RowTask task;
    private final TileKernel kernel;
    private final RowTensors tensors;

    /** @throws IllegalStateException if the kernel of this machine has other bits than the driver's */
    Mapping(RowTask task) {
        this.task = task;
        this.kernel = task.kernel().get();
        String bits = kernel.signature(target()).bits();
        if (!bits.equals(task.bits())) {
            throw new IllegalStateException("kernel '" + kernel.name() + "' has signature " + bits + " on this "
                    + "executor and " + task.bits() + " on the driver: give both the same jars");
        }
        this.tensors = RowTensors.of(kernel);
    }

    /** The target whose bits the results have. */
    Target target() {
        return Target.parse(task.settings().target());
    }

    /** Shapes of rows; for one thread at a time. */
    public RowShapes shapes() {
        return new RowShapes(tensors, task.extents());
    }

    TileKernel kernel() {
        return kernel;
    }

    RowTask task() {
        return task;
    }

    /** Tells a launch where the tensors of some rows lie. */
    void places(Group group, RowShapes shapes, Setter to) {
        for (Tensor tensor : tensors.cut()) {
            to.set(tensor.name(), group.places().get(tensor.name()), shapes.shape(tensor, group.extents(),
                    group.rows()));
        }
    }

    /** The tensors that are whole. */
    void weights(Consumer<Tensor> each) {
        tensors.whole().forEach(each);
    }

    Weight weight(Tensor tensor) {
        return task.weights().value().byName().get(tensor.name());
    }
}
