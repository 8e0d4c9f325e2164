package dev.tilewright.gpu.streaming;

import dev.tilewright.NotNull;
import java.time.Duration;
import java.util.List;

/**
 * The amounts that a run has moved.
 *
 * @param slabBytes bytes of the largest buffer of a slab, all but the last
 * @param slabsOfGpu slabs that each GPU has taken
 * @param bytesUp bytes that went to GPUs
 * @param bytesDown bytes that came back
 * @param time from its start to its end, with getting memory and making kernels ready
 */
public record StreamSummary(long slabBytes, List<Long> slabsOfGpu, long bytesUp, long bytesDown, Duration time) {
    public StreamSummary {
        NotNull.all("slabsOfGpu, time", slabsOfGpu, time);
        slabsOfGpu = List.copyOf(slabsOfGpu);
    }

    /** All slabs. */
    public long slabs() {
        return slabsOfGpu.stream().mapToLong(n -> n).sum();
    }
}
