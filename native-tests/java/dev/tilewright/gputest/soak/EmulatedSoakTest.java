package dev.tilewright.gputest.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.gpu.Gpu;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The soak's work on every machine, in small. */
class EmulatedSoakTest {

    @Test
    void everyWordIsRightAndNoDeviceMemoryIsLeftBehind() {
        try (Gpu gpu = Gpu.emulated()) {
            long free = gpu.memory().free();
            List<Reading> readings = Soak.run(gpu, new Plan(300, 8, 3, 2, 3000, 5), _ -> { });
            assertEquals(300, readings.getLast().launches());
            assertEquals(free, gpu.memory().free());
        }
    }
}
