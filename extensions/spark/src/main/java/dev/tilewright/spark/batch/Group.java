package dev.tilewright.spark.batch;

import java.util.Map;

/**
 * Rows of one shape, which one launch takes.
 *
 * @param extents of dimensions, all but the number of rows
 * @param rows how many
 * @param places where each tensor that is cut lies, by name
 */
public record Group(Map<String, Long> extents, int rows, Map<String, Place> places) {

    /**
     * Where a tensor lies in the memory of a window.
     *
     * @param offset of its first byte
     * @param bytesOfRow of one row
     */
    public record Place(long offset, long bytesOfRow) { }
}
