package dev.tilewright.program.array;

import dev.tilewright.NotNull;
import java.util.List;

/**
 * How a launch is cut into launches over some rows each, which together leave the same bytes: of some arrays each part
 * has rows of its own, places of their first dimension; all others are whole in every part.
 *
 * @param multiple parts begin at rows whose number is a multiple of this, 1 or more
 * @param read names of arrays that are cut and read
 * @param written names of arrays that are cut and written: all that the kernel writes
 */
public record RowCut(long multiple, List<String> read, List<String> written) {
    public RowCut {
        NotNull.all("read, written", read, written);
        if (multiple < 1) {
            throw new IllegalArgumentException("rows are cut at multiples of at least 1, got " + multiple);
        }
        read = List.copyOf(read);
        written = List.copyOf(written);
    }

    /** Whether each part has rows of its own of this array. */
    public boolean cuts(String array) {
        NotNull.all("array", array);
        return read.contains(array) || written.contains(array);
    }
}
