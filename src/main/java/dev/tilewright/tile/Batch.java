package dev.tilewright.tile;

import dev.tilewright.NotNull;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Whether a kernel's results are batch invariant: along one dimension each place of what is written depends on the same
 * place of what is read, and on what does not have the dimension, alone. It has the same bits whatever else is in the
 * launch, how much of it, and in what order.
 *
 * @param dim the dimension; empty where there is none
 * @param reason why there is none; the empty text where there is
 */
public record Batch(Optional<Dim> dim, String reason) {
    static final String LINE = "batch: ";

    public Batch {
        NotNull.all("dim, reason", dim, reason);
    }

    /**
     * The dimension of a tensor along which the batch's members lie, also if each has several consecutive places, such
     * as the pixels of an image; empty for a tensor that all members share.
     */
    public OptionalInt position(Tensor tensor) {
        NotNull.all("tensor", tensor);
        List<Dim> dims = tensor.dims();
        return IntStream.range(0, dims.size()).filter(i -> dim.isPresent() && dims.get(i).isOf(dim.get())).findFirst();
    }

    /** A line of a signature. */
    @Override
    public String toString() {
        return dim.map(d -> LINE + "along '" + d + "' a place depends on the same place of what is read alone")
                .orElse(LINE + "no dimension whose places are apart: " + reason);
    }
}
