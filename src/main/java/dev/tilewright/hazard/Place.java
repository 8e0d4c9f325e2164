package dev.tilewright.hazard;

import java.util.Objects;

/**
 * Bytes that a finding is about.
 *
 * @param shared whether they are in shared memory, else in global memory
 * @param block whose shared memory it is; of no meaning for global memory
 * @param name of the shared region, or of the parameter
 * @param offset of the first byte within it
 */
public record Place(boolean shared, int block, String name, long offset, long bytes) {
    public Place {
        Objects.requireNonNull(name, "name");
    }

    /** In words. */
    @Override
    public String toString() {
        return "bytes " + offset + " to " + (offset + bytes - 1) + " of " + (shared ? "shared " : "") + "'" + name
                + "'";
    }
}
