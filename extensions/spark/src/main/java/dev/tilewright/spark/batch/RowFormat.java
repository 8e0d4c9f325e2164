package dev.tilewright.spark.batch;

import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * How rows of some kind are read, and what becomes of their results.
 *
 * @param <I> a row of the data
 * @param <O> a row of the results
 */
public interface RowFormat<I, O> extends Serializable {

    /** A row that stays as it is while the iterator that gave it goes on. */
    I kept(I row);

    /** How many bytes of the heap a row that is kept takes beside what is packed; 0 where that is not known. */
    default long bytes(I row) {
        return 0;
    }

    /** Whether the row has a null there, or among the elements there. */
    boolean isNull(I row, RowColumn column);

    /** How many elements it has there: 1 where they are no array. */
    int length(I row, RowColumn column);

    /** Copies its elements. @param to memory of just their size */
    void write(I row, RowColumn column, MemorySegment to);

    /**
     * A row with its results.
     *
     * @param results the elements of each column that is written, valid during the call alone; null where the row has
     *     no results
     */
    O result(I row, List<MemorySegment> results);
}
