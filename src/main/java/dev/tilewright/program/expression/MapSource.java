package dev.tilewright.program.expression;

import java.util.Objects;

/**
 * The tensor map of a tensor copy: a kernel parameter, or 128 bytes of global memory that the kernel itself put there.
 */
public sealed interface MapSource permits Parameter.TensorMap, MapSource.InMemory {

    /** Dimensions of the tensor, 1 to 5. */
    int rank();

    /** What messages call it: {@code tensor map 'source_map'}. */
    String title();

    /**
     * A map in global memory, at an address that is a multiple of 128. A thread that starts copies through it must have
     * acquired it ({@code Body.acquireMap}) since it was last published ({@code Body.publishMap}).
     */
    record InMemory(Address.Global at, int rank) implements MapSource {
        public InMemory {
            Objects.requireNonNull(at, "at");
            if (rank < 1 || rank > 5) {
                throw new IllegalArgumentException(
                        "a tensor map in '" + at.pointer().name() + "' must have rank 1 to 5, got " + rank);
            }
        }

        @Override
        public String title() {
            return "the tensor map in '" + at.pointer().name() + "'";
        }
    }
}
