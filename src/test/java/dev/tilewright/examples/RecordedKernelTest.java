package dev.tilewright.examples;

import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.junit.KernelRecording;
import dev.tilewright.junit.RecordedArray;
import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * A project keeps what a GPU made of its kernel: made by {@code -Dtilewright.record=true} on a machine with a GPU, held
 * against the reference executor everywhere else.
 */
class RecordedKernelTest {
    private static final Path RECORDING =
            Path.of(System.getProperty("tilewright.root", "."), "src/test/recordings/scale.jsonl.gz");

    @Test
    void scalesAsTheGpuDid() {
        ElementwiseKernel kernel = TensorCopy.of(ElementType.F32).tile(8, 32).swizzle(Swizzle.B128)
                .step(ElementStep.SCALE)
                .build();
        try (KernelRecording recording = KernelRecording.at(RECORDING)) {
            recording.check("64 x 64", kernel, Scalars.of("scalar", 2),
                    RecordedArray.drawn(ElementType.F32, 42, 64, 64));
            recording.check("ragged", kernel, Scalars.of("scalar", -0.5),
                    RecordedArray.drawn(ElementType.F32, 7, 101, 36));
        }
    }
}
