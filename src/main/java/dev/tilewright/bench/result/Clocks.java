package dev.tilewright.bench.result;

import java.util.Objects;

/**
 * What a GPU ran at, at one moment.
 *
 * @param multiprocessorMegahertz clock of the multiprocessors; 0 where that is not known
 * @param memoryMegahertz clock of the memory; 0 where that is not known
 * @param throttling why it ran slower than it could, in NVML's words; empty if it did not, or that is not known
 * @param celsius its temperature; 0 where that is not known
 * @param watts what it drew; 0 where that is not known
 */
public record Clocks(int multiprocessorMegahertz, int memoryMegahertz, String throttling, int celsius, int watts) {

    /** Where the clocks are not known. */
    public static final Clocks UNKNOWN = new Clocks(0, 0, "", 0, 0);

    public Clocks {
        Objects.requireNonNull(throttling, "throttling");
    }
}
