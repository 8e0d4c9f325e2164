package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCheck;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The builders' launches, on a GPU with both encoders asked about every tensor map: they would throw where these
 * differ.
 */
@OnEveryStage
record EncodedLaunchGpuTest(Stage stage) {

    @TestFactory
    Stream<DynamicTest> launchesMoveTheRightBytes() {
        return IntStream.range(0, Presets.ALL.size()).filter(i -> stage.takes(i, 4)).mapToObj(Presets.ALL::get)
                .map(preset -> DynamicTest.dynamicTest(preset.name(), () -> {
            if (stage == Stage.REFERENCE) {
                launch(preset, stage.device(Target.SM_90));
                return;
            }
            TestGpu.hopper();
            try (Gpu gpu = TestGpu.open(EncoderChoice.BOTH)) {
                assertEquals("pure Java compared with the driver", gpu.tensorMapEncoder().name());
                launch(preset, CaseDevice.of(gpu));
            }
        }));
    }

    private static void launch(Preset preset, CaseDevice device) {
        for (ElementType type : List.of(ElementType.U8, ElementType.BF16, ElementType.F32, ElementType.F64)) {
            long row = 16L / type.bytes();
            for (List<Long> shape : List.of(List.of(1L, row), List.of(77L, 11 * row), List.of(3L, 100L, 3 * row))) {
                CopyCase copyCase = new CopyCase(preset, Schedule.DEFAULT, type, shape, 2, 0, shape.hashCode());
                assertEquals(Optional.empty(), CopyCheck.run(device, copyCase), copyCase::toString);
            }
        }
    }
}
