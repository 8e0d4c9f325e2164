package dev.tilewright.verify.draw;

import dev.tilewright.program.Launch;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One launch of a drawn kernel.
 *
 * @param buffers what each of the launch's buffers holds before; all of them are compared afterwards
 * @param expected what some of them hold afterwards, by number, worked out without the program
 */
public record DrawnRun(Launch launch, List<byte[]> buffers, Map<Integer, byte[]> expected) {
    public DrawnRun {
        Objects.requireNonNull(launch, "launch");
        buffers = List.copyOf(buffers);
        expected = Map.copyOf(expected);
    }

    /** One of which nothing is known but what the reference says. */
    public DrawnRun(Launch launch, List<byte[]> buffers) {
        this(launch, buffers, Map.of());
    }
}
