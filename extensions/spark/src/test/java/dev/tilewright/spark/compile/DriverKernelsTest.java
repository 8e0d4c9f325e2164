package dev.tilewright.spark.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DriverKernelsTest {

    @Test
    void aDriverWithoutNvrtcLeavesItToExecutors(@TempDir Path folder) {
        System.setProperty("tilewright.nvrtc", folder.resolve("none").toString());
        try {
            assertEquals(Optional.empty(), DriverKernels.compiler());
        } finally {
            System.clearProperty("tilewright.nvrtc");
        }
        assertTrue(DriverKernels.compiler().isPresent());
    }
}
