package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.emit.EmitOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is opened where there is no GPU, and what is said about it. */
class DriversTest {

    @Test
    void withoutAGpuTheReferenceRunsAndTheReasonIsSaid() {
        Devices devices = Devices.probe();
        assumeTrue(devices.list().isEmpty(), "this machine has a GPU");
        List<String> notes = new ArrayList<>();
        try (Driver driver = Drivers.gpuOrReference(notes::add)) {
            assertEquals(Backend.REFERENCE, driver.backend());
        }
        assertEquals(List.of("running on the CPU through the reference executor: " + devices.why()), notes);
        assertEquals("this needs a GPU: " + devices.why(), assertThrows(MissingRequirementException.class, Drivers::gpu).getMessage());
    }

    @Test
    void backendsAreOpenedByName() {
        try (Driver driver = Drivers.open(Backend.REFERENCE, Progress.NONE, warning -> fail(warning))) {
            assertEquals(Backend.REFERENCE, driver.backend());
        }
        Devices devices = Devices.probe();
        assumeTrue(devices.list().isEmpty(), "this machine has a GPU");
        assertEquals("this needs a GPU: " + devices.why(), assertThrows(MissingRequirementException.class,
                () -> Drivers.open(Backend.GPU, Progress.NONE, _ -> { })).getMessage());
    }

    @Test
    void aGpuThatWasNotFoundIsNotOpened() {
        Devices none = new Devices(List.of(), "", "it was sold");
        assertEquals("this needs a GPU: it was sold", assertThrows(MissingRequirementException.class, () -> Drivers.gpu(none, EmitOptions.DEFAULT,
                (_, _, _) -> { }, _ -> { })).getMessage());
    }
}
