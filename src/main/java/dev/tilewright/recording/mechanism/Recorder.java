package dev.tilewright.recording.mechanism;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.json.JsonFields;
import dev.tilewright.recording.RecordingWriter;
import dev.tilewright.recording.RecordingsWindow;
import dev.tilewright.reference.fault.ReferenceException;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Records what a GPU does. Each case is run by the reference executor first, so that one that would fault or wait
 * for ever does not reach the device; what that leaves is not recorded, but counted where the device does otherwise.
 *
 * @param seed what the cases are drawn from
 */
public record Recorder(Gpu gpu, long seed) {
    /** Cases whose kernels are compiled at once, on all processors. */
    private static final int AT_ONCE = 512;

    /** How the rows of a kind went. @param otherwise rows in which the reference leaves other bytes than the device */
    public record Count(String kind, int rows, int otherwise) { }

    /** A case that is ready to be run. */
    private record Ready(ObjectNode row, Experiment experiment, byte[] expected) { }

    /**
     * Adds rows of a kind to a recording.
     *
     * @throws IllegalStateException if the device fails, or the reference refuses a case, naming it
     */
    public Count record(RecordedMechanism mechanism, int cases, RecordingWriter out) {
        int otherwise = 0;
        try (Experiments bench = new Experiments(gpu)) {
            for (int from = 0; from < cases; from += AT_ONCE) {
                List<Ready> ready = IntStream.range(from, Math.min(cases, from + AT_ONCE)).parallel()
                        .mapToObj(i -> ready(mechanism, i, bench)).toList();
                for (Ready each : ready) {
                    byte[] after = run(bench, each);
                    otherwise += Arrays.equals(after, each.expected()) ? 0 : 1;
                    mechanism.outcome(each.row(), each.experiment(), after);
                    out.row(each.row());
                }
            }
        }
        return new Count(mechanism.kind(), cases, otherwise);
    }

    private static byte[] run(Experiments bench, Ready ready) {
        try {
            return bench.run(ready.experiment());
        } catch (CudaException e) {
            throw new IllegalStateException("this case was not survived: " + ready.row() + ": " + e.getMessage(), e);
        }
    }

    private Ready ready(RecordedMechanism mechanism, int index, Experiments bench) {
        ObjectNode row = JsonNodeFactory.instance.objectNode().put("kind", mechanism.kind());
        mechanism.draw(row, random(mechanism.kind(), index), index);
        try {
            Experiment experiment = mechanism.experiment(new JsonFields(row));
            byte[] expected = experiment.onReference();
            bench.prepare(experiment);
            return new Ready(row, experiment, expected);
        } catch (ReferenceException | IllegalArgumentException e) {
            throw new IllegalStateException("a case was drawn that cannot be run: " + row + ": " + e.getMessage(), e);
        }
    }

    /** What the case of a number is drawn from: cases do not depend on how many there are, nor on other kinds. */
    private SplittableRandom random(String kind, int index) {
        return new SplittableRandom(RecordingsWindow.splitmix64(seed * 31 + kind.hashCode()) + index);
    }
}
