package dev.tilewright.hazard;

import dev.tilewright.NotNull;

/**
 * An access of a thread in a step, as one side of a finding.
 *
 * @param location of the step
 * @param block the thread's block
 * @param thread its number in the block
 * @param kind what it does, such as {@code reads} or {@code asynchronously writes}
 */
public record Access(StepLocation location, int block, int thread, String kind) {
    public Access {
        NotNull.all("location, kind", location, kind);
    }

    /** The number of the step; 0 for the end of the kernel. */
    public int step() {
        return location.step();
    }

    /** In words: {@code step 3 ('read it', CUDA line 95, Blur.java:17) of thread 7 of block 0 reads}. */
    @Override
    public String toString() {
        return location + " of thread " + thread + " of block " + block + " " + kind;
    }
}
