package dev.tilewright.hazard.shadow;

/**
 * Bytes of memory.
 *
 * @param shared whether they are in shared memory, else in global memory
 * @param of the number of the block whose shared memory it is, or of the piece of global memory
 * @param at offset of the first byte in that memory
 */
public record ByteRange(boolean shared, int of, long at, long bytes) { }
