package dev.tilewright.spark.plan;

import dev.tilewright.spark.Nulls;
import dev.tilewright.spark.batch.RowColumn;
import dev.tilewright.spark.executor.ColumnTask;
import dev.tilewright.spark.executor.RowTask;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Batches with the columns that a kernel writes behind their own; each is valid until the next. */
public final class ColumnBatches implements Iterator<ColumnarBatch> {
    private final RowTask task;
    private final Iterator<ColumnarBatch> batches;
    private final ColumnTask computes;

    /** For the task of this thread. */
    public ColumnBatches(RowTask task, Iterator<ColumnarBatch> batches) {
        this.task = task;
        this.batches = batches;
        this.computes = new ColumnTask(task);
    }

    @Override
    public boolean hasNext() {
        return batches.hasNext();
    }

    @Override
    public ColumnarBatch next() {
        ColumnarBatch batch = batches.next();
        int rows = batch.numRows();
        BitSet nulls = new BitSet();
        Map<String, MemorySegment> sources = new HashMap<>();
        for (RowColumn column : task.columns()) {
            if (!column.isWritten()) {
                ColumnVector vector = batch.column(column.ordinal());
                if (!vector.dataType().equals(ColumnTypes.of(column.type()))) {
                    throw new IllegalArgumentException("column '" + column.column() + "' of a batch is "
                            + vector.dataType().catalogString() + ", and the schema says "
                            + ColumnTypes.of(column.type()).catalogString() + ": give the schema that batches have");
                }
                findNulls(vector, rows, column, nulls);
                sources.put(column.tensor(), ColumnMemory.of(vector, column.type(), rows));
            }
        }
        Map<String, MemorySegment> results = rows == 0 ? Map.of() : computes.results(rows, sources);
        ColumnVector[] all = new ColumnVector[batch.numCols() + (int) task.columns().stream()
                .filter(RowColumn::isWritten).count()];
        for (int i = 0; i < batch.numCols(); i++) {
            all[i] = batch.column(i);
        }
        for (RowColumn column : task.columns()) {
            if (column.isWritten()) {
                all[batch.numCols() + column.ordinal()] = new SegmentColumn(column.type(),
                        results.getOrDefault(column.tensor(), MemorySegment.NULL), nulls);
            }
        }
        return new ColumnarBatch(all, rows);
    }

    private void findNulls(ColumnVector vector, int rows, RowColumn column, BitSet nulls) {
        if (!vector.hasNull()) {
            return;
        }
        for (int i = 0; i < rows; i++) {
            if (vector.isNullAt(i)) {
                if (task.nulls() == Nulls.REFUSE) {
                    throw new IllegalArgumentException(Nulls.refusal(column.column(), task.kernel().get().name()));
                }
                nulls.set(i);
            }
        }
    }
}
