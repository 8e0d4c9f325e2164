package dev.tilewright.gpu.streaming;

import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Stream;
import java.util.Objects;

/**
 * Some neighbouring rows on their way through a GPU, in a {@link Slot} that is theirs for the while.
 *
 * @param slot where they are
 * @param index the number of the slab, from 0
 * @param firstRow the number of its first row
 * @param rows how many it has: as many as every other, but the last has the rest
 */
public record Slab(Slot slot, long index, long firstRow, long rows) {
    public Slab {
        Objects.requireNonNull(slot, "slot");
    }

    /** The stream of the slab's copies and launches. */
    public Stream stream() {
        return slot.stream();
    }

    /** The slab's rows of the first source. */
    public Buffer<byte[]> input() {
        return input(0);
    }

    /**
     * The slab's rows of a source.
     *
     * @param number in the order of {@link Rows#from}
     */
    public Buffer<byte[]> input(int number) {
        return slot.input(number).slice(0, rows * slot.rows().inputs().get(number).rowBytes());
    }

    /** The buffer for the slab's rows of the first target; its contents are unspecified before. */
    public Buffer<byte[]> output() {
        return output(0);
    }

    /**
     * The buffer for the slab's rows of a target; its contents are unspecified before.
     *
     * @param number in the order of {@link Rows#to}
     */
    public Buffer<byte[]> output(int number) {
        return slot.output(number).slice(0, rows * slot.rows().outputs().get(number).rowBytes());
    }
}
