package dev.tilewright.hazard;

/**
 * One side of a conflict.
 *
 * @param step its number in the program; 0 for the end of the kernel
 * @param purpose of the step
 * @param line of the step in the emitted source; 0 where that is not known
 * @param kind what it does to the bytes: {@code reads}, {@code writes asynchronously}
 */
public record Access(int step, String purpose, int line, int block, int thread, String kind) {

    /** In words. */
    @Override
    public String toString() {
        return "step " + step + " ('" + purpose + "'" + (line > 0 ? ", line " + line : "") + ") of thread " + thread
                + " of block " + block
                + " " + kind;
    }
}
