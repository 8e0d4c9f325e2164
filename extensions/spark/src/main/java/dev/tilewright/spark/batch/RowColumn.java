package dev.tilewright.spark.batch;

import dev.tilewright.layout.ElementType;
import java.io.Serializable;

/**
 * A tensor of whose first dimension each row of data has one place, and the column that holds what lies there.
 *
 * @param tensor its name in the kernel
 * @param column its name in the data
 * @param type of its elements
 * @param isWritten whether the kernel writes it
 * @param isArray whether a row has an array of elements there, and not one
 * @param ordinal its place among the columns of the data, or of the results where it is written, from 0
 */
public record RowColumn(String tensor, String column, ElementType type, boolean isWritten, boolean isArray, int ordinal)
        implements Serializable {

    /** This column with another place among the columns. */
    public RowColumn at(int other) {
        return new RowColumn(tensor, column, type, isWritten, isArray, other);
    }
}
