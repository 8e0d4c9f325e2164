package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.gpu.device.Devices;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** {@code doctor} says who encodes tensor maps, and why. */
@Isolated("a system property is the process's")
class DoctorEncoderTest {
    private final String before = System.getProperty(EncoderChoice.PROPERTY);

    @BeforeEach
    void noGpu() {
        Assumptions.assumeTrue(Devices.probe().list().isEmpty(), "a GPU is here, and doctor names it");
        System.clearProperty(EncoderChoice.PROPERTY);
    }

    @AfterEach
    void restore() {
        if (before == null) {
            System.clearProperty(EncoderChoice.PROPERTY);
        } else {
            System.setProperty(EncoderChoice.PROPERTY, before);
        }
    }

    @Test
    void theDefault() {
        assertEquals("encoder   ok     tensor maps are encoded by pure Java for sm_90 (the default)", line());
    }

    @Test
    void theProperty() {
        System.setProperty(EncoderChoice.PROPERTY, "both");
        assertEquals("encoder   ok     tensor maps are encoded by pure Java compared with the driver for sm_90"
                + " (-Dtilewright.encoder=both)", line());
        System.setProperty(EncoderChoice.PROPERTY, "c++");
        assertEquals("encoder   broken system property tilewright.encoder must be java, driver or both, got 'c++'"
                + " -> correct it, or leave it out for the default", line());
    }

    private static String line() {
        return PipedCommand.run("", "doctor").lines().stream().filter(l -> l.startsWith("encoder")).findFirst()
                .orElseThrow();
    }
}
