package dev.tilewright.reference.box;

import java.lang.foreign.MemorySegment;

/**
 * Where the rows of a tensor lie. A map may describe far more than the memory behind it: an address is the map's own
 * plus coordinates times strides, all modulo 2^64, and only what a box touches has to be there (measured on an H200;
 * maps for ragged batches count on both).
 *
 * @param home the memory that the map's address belongs to, in which most boxes lie as a whole; empty if there is none
 * @param start where the map's address is, counted from the home's first byte; it may lie outside
 * @param elsewhere the other memory
 */
public record TensorMemory(MemorySegment home, long start, Elsewhere elsewhere) {

    /** A place in some memory. */
    public record Place(MemorySegment memory, long offset) { }

    /** All memory, by its distance from the map's address. */
    public interface Elsewhere {

        /**
         * Where n bytes lie.
         *
         * @param offset bytes from the map's address, modulo 2^64
         * @return null if no memory has all of them
         */
        Place find(long offset, long bytes);

        /** For a message, behind "reads": what lies where {@link #find} finds nothing. */
        String describe(long offset, long bytes);
    }

    /** One piece of memory, whose byte 0 the map's address is, and nothing else. */
    public static TensorMemory of(MemorySegment tensor) {
        return new TensorMemory(tensor, 0, new Elsewhere() {
            @Override
            public Place find(long offset, long bytes) {
                return null;
            }

            @Override
            public String describe(long offset, long bytes) {
                return "bytes " + offset + " to " + (offset + bytes - 1) + " of a tensor whose memory has "
                        + tensor.byteSize() + " bytes";
            }
        });
    }

    /** Whether n bytes lie at home. @param offset bytes from the map's address, modulo 2^64 */
    boolean isAtHome(long offset, long bytes) {
        long first = start + offset;
        return first >= 0 && first <= home.byteSize() - bytes;
    }

    /** Where n bytes lie; null if no memory has all of them. @param offset bytes from the map's address, modulo 2^64 */
    Place find(long offset, long bytes) {
        return isAtHome(offset, bytes) ? new Place(home, start + offset) : elsewhere.find(offset, bytes);
    }
}
