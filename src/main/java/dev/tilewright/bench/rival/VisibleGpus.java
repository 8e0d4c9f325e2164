package dev.tilewright.bench.rival;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Which GPU a rival measures on: the first that it sees. {@code CUDA_VISIBLE_DEVICES} puts the one that ours are
 * measured on before the others; a list ends for CUDA at the first number that is of no GPU.
 */
final class VisibleGpus {
    static final String VARIABLE = "CUDA_VISIBLE_DEVICES";
    private static final int MOST = 32;

    private VisibleGpus() { }

    /**
     * The variable's value; empty where it may stay as it is.
     *
     * @param gpu ordinal, as this process sees GPUs
     * @param now what the variable is in this process
     */
    static Optional<String> first(int gpu, Optional<String> now) {
        if (gpu == 0) {
            return Optional.empty();
        }
        List<String> all = new ArrayList<>(now.map(list -> List.of(list.split(",")))
                .orElseGet(() -> IntStream.range(0, MOST).mapToObj(String::valueOf).toList()));
        if (gpu >= all.size()) {
            return Optional.empty();
        }
        all.addFirst(all.remove(gpu));
        return Optional.of(all.stream().map(String::strip).collect(Collectors.joining(",")));
    }

    /** For a process that is to be started. */
    static void choose(int gpu, ProcessBuilder builder) {
        first(gpu, Optional.ofNullable(builder.environment().get(VARIABLE)))
                .ifPresent(list -> builder.environment().put(VARIABLE, list));
    }
}
