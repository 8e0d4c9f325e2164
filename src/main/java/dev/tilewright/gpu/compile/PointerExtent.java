package dev.tilewright.gpu.compile;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import java.util.List;

/**
 * How many bytes a {@link CudaFunction} reaches through one of its pointers: some for each unit of a product of integer
 * parameters. With 4 bytes times {@code rows} times {@code columns} a launch of 10 rows and 20 columns needs a buffer
 * of at least 800 bytes. Where one of the integers is 0 or negative it needs none.
 *
 * @param pointer the pointer's name
 * @param bytes at least 0
 * @param times names of integer parameters; none for an extent that is the same in every launch
 */
public record PointerExtent(String pointer, long bytes, List<String> times) {

    public PointerExtent {
        NotNull.all("pointer, times", pointer, times);
        times = List.copyOf(times);
        if (bytes < 0) {
            throw new IllegalArgumentException("pointer '" + pointer + "' needs at least 0 bytes, got " + bytes);
        }
    }

    /** {@code 4 bytes x rows x columns}. */
    @Override
    public String toString() {
        return Counted.of(bytes, "byte") + (times.isEmpty() ? "" : " x " + String.join(" x ", times));
    }
}
