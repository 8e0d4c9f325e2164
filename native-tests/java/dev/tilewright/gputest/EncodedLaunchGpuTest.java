package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.Presets;
import dev.tilewright.gpu.CudaDriver;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.CopyCheck;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The builders' launches, on a GPU with both encoders asked about every tensor map: they would throw where these differ. */
@OnEveryStage
record EncodedLaunchGpuTest(Stage stage) {

    @TestFactory
    Stream<DynamicTest> launchesMoveTheRightBytes() {
        return Presets.ALL.stream().map(preset -> DynamicTest.dynamicTest(preset.name(), () -> {
            try (Driver driver = driver()) {
                for (ElementType type : List.of(ElementType.U8, ElementType.BF16, ElementType.F32, ElementType.F64)) {
                    long row = 16L / type.bytes();
                    for (List<Long> shape : List.of(List.of(1L, row), List.of(77L, 11 * row), List.of(3L, 100L, 3 * row))) {
                        CopyCase copyCase = new CopyCase(preset, Map.of(), type, shape, 2, 0, shape.hashCode());
                        assertEquals(Optional.empty(), CopyCheck.run(driver, copyCase), copyCase::toString);
                    }
                }
            }
        }));
    }

    private Driver driver() {
        if (stage == Stage.REFERENCE) {
            return stage.driver(Target.SM_90);
        }
        TestGpu.hopper();
        CudaDriver driver = TestGpu.open(EncoderChoice.BOTH);
        assertEquals("pure Java compared with the driver", driver.tensorMapEncoder().name());
        return driver;
    }
}
