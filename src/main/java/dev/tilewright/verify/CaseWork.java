package dev.tilewright.verify;

import dev.tilewright.program.Launch;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * What a case runs and compares.
 *
 * @param buffers those of the launch, by their numbers
 * @param direct what else says the right result, sharing no code with the reference; empty if nothing does
 */
public record CaseWork(Launch launch, List<CaseBuffer> buffers, Optional<Direct> direct) {

    public CaseWork {
        buffers = List.copyOf(buffers);
    }

    /** A computation of the result that has nothing to do with kernels. */
    @FunctionalInterface
    public interface Direct {
        /**
         * Does to memory what the launch must do.
         *
         * @param buffers by their numbers, each with its contents before the launch; for compared buffers, the contents
         *     afterwards count
         */
        void apply(List<MemorySegment> buffers);
    }
}
