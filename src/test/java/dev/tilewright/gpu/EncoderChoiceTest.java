package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.BadRequestException;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapEncoder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("a system property is the process's")
class EncoderChoiceTest {
    private final String before = System.getProperty(EncoderChoice.PROPERTY);

    @BeforeEach
    void unset() {
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
    void javaWhereItKnowsTheLayout() {
        assertEquals(EncoderChoice.JAVA, EncoderChoice.configured(Target.SM_90));
        assertEquals(EncoderChoice.JAVA, EncoderChoice.configured(Target.SM_90A));
        assertEquals(EncoderChoice.DRIVER, EncoderChoice.configured(Target.SM_100));
        assertEquals(EncoderChoice.DRIVER, EncoderChoice.configured(Target.SM_80));
    }

    @Test
    void thePropertyOverrides() {
        for (EncoderChoice choice : EncoderChoice.values()) {
            System.setProperty(EncoderChoice.PROPERTY, choice.name().toLowerCase(java.util.Locale.ROOT));
            assertEquals(choice, EncoderChoice.configured(Target.SM_90));
            assertEquals(choice, EncoderChoice.configured(Target.SM_100));
        }
        System.setProperty(EncoderChoice.PROPERTY, "");
        assertEquals("system property tilewright.encoder must be java, driver or both, got ''",
                assertThrows(BadRequestException.class, () -> EncoderChoice.configured(Target.SM_90)).getMessage());
    }

    @Test
    void titlesAreTheEncodersNames() {
        TensorMapEncoder driver = new StandInDriver().encoder(0);
        for (EncoderChoice choice : EncoderChoice.values()) {
            assertEquals(choice.title(), choice.encoder(driver).name());
        }
        assertSame(driver, EncoderChoice.DRIVER.encoder(driver));
    }
}
