package dev.tilewright.spark.executor;

import dev.tilewright.spark.KernelSource;
import dev.tilewright.spark.Nulls;
import dev.tilewright.spark.batch.RowColumn;
import dev.tilewright.spark.compile.DriverCompiler;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.broadcast.Broadcast;

/**
 * What every task of a mapping has.
 *
 * @param id of the mapping
 * @param kernel the kernel
 * @param bits what its signature says on the driver, for the target of the settings
 * @param columns one for each tensor that rows have places of, as declared
 * @param weights what is the same for all rows
 * @param scalars by name
 * @param extents of dimensions, as far as they are the same for all rows
 * @param nulls what becomes of rows with nulls
 * @param settings the application's
 * @param compiler what compiles kernels for a cluster; null where each executor does
 */
public record RowTask(String id, KernelSource kernel, String bits, List<RowColumn> columns,
        Broadcast<Weight.All> weights, Map<String, Number> scalars, Map<String, Long> extents, Nulls nulls,
        Settings settings, DriverCompiler compiler) implements Serializable {

    /** This task with other places of the columns that are read, in their order. */
    public RowTask reading(List<Integer> ordinals) {
        Iterator<Integer> next = ordinals.iterator();
        return new RowTask(id, kernel, bits, columns.stream().map(column -> column.isWritten() ? column
                : column.at(next.next())).toList(), weights, scalars, extents, nulls, settings, compiler);
    }

    /** {@code [x] -> [y]}: the columns that are read and written, as plans show it. */
    @Override
    public String toString() {
        return columns(false) + " -> " + columns(true);
    }

    private List<String> columns(boolean written) {
        return columns.stream().filter(column -> column.isWritten() == written).map(RowColumn::column).toList();
    }
}
