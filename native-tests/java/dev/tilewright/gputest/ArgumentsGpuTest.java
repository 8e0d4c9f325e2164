package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.OffsetKernels;
import dev.tilewright.program.RaggedKernels;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tensor maps wider than their memory, and pointers into buffers: on the GPU and in the reference they leave the same
 * bytes.
 */
@OnEveryStage
record ArgumentsGpuTest(Stage stage) {

    @ParameterizedTest
    @EnumSource
    void aRaggedBatchThroughAMapThatWraps(RaggedKernels.Way way) {
        Launch launch = RaggedKernels.launch(way, RaggedKernels.SEQUENCES, 0);
        List<String> left = run(stage.device(Target.SM_90, 1), launch, RaggedKernels.bytes(), 2);
        assertEquals(left.get(0), left.get(1), "the copy");
        assertEquals(run(Stage.IN_ORDER, launch, RaggedKernels.bytes(), 2), left);
    }

    @ParameterizedTest
    @EnumSource
    void aRaggedBatchThroughMapsThatBlocksPublish(RaggedKernels.Way way) {
        Launch launch = RaggedKernels.throughMapsInMemory(way);
        List<String> left = run(stage.device(Target.SM_90A, 1), launch, RaggedKernels.bytes(), 3);
        assertEquals(left.get(0), left.get(1), "the copy");
    }

    @ParameterizedTest
    @CsvSource({"0, 0, 1, 0", "4, 0, 1, 128", "508, 1, 1, 0", "256, 0, 0, 4352", "16, 0, 0, 144"})
    void pointersIntoBuffers(int from, int first, int buffer, int to) {
        Launch launch = new Launch(OffsetKernels.copy(first), 1, List.of(new Argument.Buffer(0, from),
                new Argument.Buffer(buffer, to, 256)));
        assertEquals(run(Stage.IN_ORDER, launch, 8192, 2), run(stage.device(Target.SM_80, 1), launch, 8192, 2));
    }

    /** What the launch leaves in each buffer, all of one size and filled with noise. */
    private static List<String> run(CaseDevice device, Launch launch, int bytes, int count) {
        try (Arena arena = Arena.ofConfined()) {
            SplittableRandom random = new SplittableRandom(5);
            List<MemorySegment> buffers = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                MemorySegment noise = arena.allocate(bytes, 256);
                for (long at = 0; at < bytes; at++) {
                    noise.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
                }
                buffers.add(noise);
            }
            device.run(launch, buffers);
            return buffers.stream().map(b -> HexFormat.of().formatHex(b.toArray(ValueLayout.JAVA_BYTE))).toList();
        }
    }
}
