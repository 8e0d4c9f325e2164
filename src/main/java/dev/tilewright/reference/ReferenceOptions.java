package dev.tilewright.reference;

/**
 * How the reference runs a program.
 *
 * @param parallel whether blocks may run on several CPU threads at once; the result is the same, because blocks are
 *     independent. A memory segment that only the calling thread may touch turns it off
 * @param poison what every byte of shared memory holds when a block starts
 */
public record ReferenceOptions(boolean parallel, byte poison) {

    /** Parallel, with shared memory that starts as 0xCD bytes. */
    public static final ReferenceOptions DEFAULT = new ReferenceOptions(true, (byte) 0xCD);

    /** The same options with blocks run one after the other. */
    public ReferenceOptions sequential() {
        return new ReferenceOptions(false, poison);
    }
}
