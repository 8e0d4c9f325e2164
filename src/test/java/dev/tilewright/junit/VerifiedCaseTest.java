package dev.tilewright.junit;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.verify.CaseKinds;
import dev.tilewright.verify.DamagingDevice;
import dev.tilewright.verify.draw.Kinds;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.AssertionFailedError;

/** A case's line passes where the case passes, and fails where it fails. */
class VerifiedCaseTest {
    private static final CaseKinds KINDS = Kinds.of(Presets.CATALOG, Presets.ALL);

    private static String line(String kind) {
        return new CaseKinds(KINDS.kinds().stream().filter(k -> k.name().equals(kind)).toList()).group(11, 0).getFirst()
                .line().toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy", "instructions", "pipeline"})
    void itFailsOnADeviceThatIsWrong(String kind) {
        String line = line(kind);
        DamagingDevice wrong = new DamagingDevice((_, after) -> after.set(ValueLayout.JAVA_BYTE, 0,
                (byte) (after.get(ValueLayout.JAVA_BYTE, 0) ^ 1)));
        String message = assertThrows(AssertionFailedError.class,
                () -> VerifiedCase.of(line).assertMatches(wrong)).getMessage();
        assertTrue(message.contains(line) && message.contains("this GPU"), message);
    }

    @Test
    void itPassesOnAGpuThatIsRight() {
        try (Gpu gpu = Gpu.emulated()) {
            VerifiedCase.of(line("copy")).assertMatches(gpu);
        }
    }
}
