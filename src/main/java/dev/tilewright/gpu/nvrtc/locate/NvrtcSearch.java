package dev.tilewright.gpu.nvrtc.locate;

import java.util.List;
import java.util.Optional;

/**
 * The result of a search for NVRTC: the one that will be used, and every place that was looked at before it.
 *
 * @param found the first that can be used; empty if there is none
 * @param rejected the places before it, in order, with what was wrong with each
 */
public record NvrtcSearch(Optional<NvrtcLocation> found, List<Rejection> rejected) {

    /**
     * A place without an NVRTC that can be used.
     *
     * @param rule the rule that led there
     * @param place a file, a folder, or a setting with its value
     * @param reason why not
     */
    public record Rejection(NvrtcRule rule, String place, String reason) {

        @Override
        public String toString() {
            return rule + ": " + place + ": " + reason;
        }
    }

    public NvrtcSearch {
        rejected = List.copyOf(rejected);
    }
}
