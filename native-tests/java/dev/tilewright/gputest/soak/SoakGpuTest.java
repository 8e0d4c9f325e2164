package dev.tilewright.gputest.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.gpu.Gpu;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ten thousand launches on a GPU. Other tests use the same process and the same GPU: memory is not judged here. */
@Tag("gpu")
class SoakGpuTest {

    @Test
    void tenThousandLaunchesFromSixteenThreads() {
        Assumptions.assumeFalse(Gpu.list().isEmpty(), "no GPU");
        try (Gpu gpu = Gpu.open()) {
            List<Reading> readings = Soak.run(gpu, new Plan(10_000, 16, 4, 2, 1 << 16, 3), _ -> { });
            assertEquals(10_000, readings.getLast().launches());
        }
    }
}
