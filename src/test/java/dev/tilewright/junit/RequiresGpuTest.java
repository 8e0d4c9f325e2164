package dev.tilewright.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.host.OtherJava;
import dev.tilewright.gpu.host.RequiredGpu;
import dev.tilewright.ptx.Target;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The samples ask for a GPU that no machine has, so that they mean the same wherever these tests run. */
@Isolated("a system property is the process's")
class RequiresGpuTest {
    private static final Map<String, String> REQUIRED = Map.of(RequiredGpu.PROPERTY, "true");
    /** Said explicitly: where these tests run, the environment may say otherwise. */
    private static final Map<String, String> NOT_REQUIRED = Map.of(RequiredGpu.PROPERTY, "false");
    private static final String REASON = new WantedGpus(Target.parse("sm_990"), 1).missingAmong(WantedGpus.here())
            .orElseThrow();

    static class OneMethod {
        @Test
        @RequiresGpu(minimum = "sm_990")
        void onTheGpu() {
            throw new IllegalStateException("it ran");
        }

        @Test
        void anywhere() {
        }
    }

    @RequiresGpu(minimum = "sm_990")
    static class WholeClass {
        @Test
        void first() {
            throw new IllegalStateException("it ran");
        }

        @Test
        void second() {
            throw new IllegalStateException("it ran");
        }
    }

    static class Inheriting extends WholeClass {
    }

    static class Misspelt {
        @Test
        @RequiresGpu(minimum = "hopper")
        void target() {
        }

        @Test
        @RequiresGpu(count = 0)
        void count() {
        }
    }

    @Test
    void whatTheMachineLacksIsSkippedWithTheReason() {
        assertEquals(Map.of("onTheGpu", "skipped: " + REASON, "anywhere", "SUCCESSFUL", "RequiresGpuTest$OneMethod",
                "SUCCESSFUL"), SampleRun.of(OneMethod.class, NOT_REQUIRED));
        assertEquals(Map.of("RequiresGpuTest$WholeClass", "skipped: " + REASON),
                SampleRun.of(WholeClass.class, NOT_REQUIRED));
        assertEquals(Map.of("RequiresGpuTest$Inheriting", "skipped: " + REASON),
                SampleRun.of(Inheriting.class, NOT_REQUIRED));
    }

    @Test
    void whereTheGpuIsRequiredASkipIsAFailure() {
        String failure = "AssertionFailedError: " + REASON + "; a GPU is required here (tilewright.gpu.required)";
        assertEquals(Map.of("onTheGpu", failure, "anywhere", "SUCCESSFUL", "RequiresGpuTest$OneMethod", "SUCCESSFUL"),
                SampleRun.of(OneMethod.class, REQUIRED));
        assertEquals(Map.of("RequiresGpuTest$WholeClass", failure), SampleRun.of(WholeClass.class, REQUIRED));
    }

    /** JUnit asks its own parameters first, and then the system's properties. */
    @Test
    void theSystemPropertyRequiresTheGpuToo() {
        System.setProperty(RequiredGpu.PROPERTY, "yes");
        try {
            assertTrue(SampleRun.of(OneMethod.class, Map.of()).get("onTheGpu")
                    .startsWith("AssertionFailedError: " + REASON));
        } finally {
            System.clearProperty(RequiredGpu.PROPERTY);
        }
    }

    @Test
    void theEnvironmentRequiresTheGpuToo() throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(OtherJava.command(List.of(), SampleRun.class, OneMethod.class.getName()));
        builder.environment().put(RequiredGpu.VARIABLE, "1");
        Process process = builder.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertTrue(output.contains("onTheGpu=AssertionFailedError: " + REASON + "; a GPU is required here"), output);
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "0", "no", "off", " FALSE ", ""})
    void aSkipStaysOneWhereTheGpuIsNotRequired(String text) {
        assertEquals("skipped: " + REASON, SampleRun.of(OneMethod.class, Map.of(RequiredGpu.PROPERTY, text))
                .get("onTheGpu"));
    }

    @Test
    void whatIsNeitherYesNorNoIsAFailure() {
        String outcome = SampleRun.of(OneMethod.class, Map.of(RequiredGpu.PROPERTY, "perhaps")).get("onTheGpu");
        assertTrue(outcome.endsWith("tilewright.gpu.required (TILEWRIGHT_GPU_REQUIRED) must be true or false, got "
                + "'perhaps'"), outcome);
    }

    @Test
    void aMisspeltRequirementIsAFailureAndNoSkip() {
        Map<String, String> outcomes = SampleRun.of(Misspelt.class, NOT_REQUIRED);
        assertTrue(outcomes.get("target").endsWith("'hopper' is not a target: write it as sm_80, sm_90 or sm_90a"),
                outcomes::toString);
        assertTrue(outcomes.get("count").endsWith("@RequiresGpu asks for at least 1 GPU, got count = 0"),
                outcomes::toString);
    }

    @Test
    void theReasonsNameWhatIsThere() {
        Devices none = new Devices(List.of(), "", "no NVIDIA driver (libcuda.so.1) on this machine");
        Devices two = new Devices(List.of(device(0, "NVIDIA A100", 8, 0), device(1, "NVIDIA H100", 9, 0)), "13.0", "");
        assertEquals("this needs a GPU of sm_90 or later: no NVIDIA driver (libcuda.so.1) on this machine",
                missing(none, "sm_90", 1));
        assertEquals("", missing(two, "sm_90", 1));
        assertEquals("", missing(two, "sm_80", 2));
        assertEquals("this needs 2 GPUs of sm_90 or later: of 2 GPUs here 1 is one (GPU 0 is NVIDIA A100, sm_80; "
                + "GPU 1 is NVIDIA H100, sm_90a)", missing(two, "sm_90", 2));
        assertEquals("this needs 3 GPUs of sm_80 or later: of 2 GPUs here 2 are (GPU 0 is NVIDIA A100, sm_80; "
                + "GPU 1 is NVIDIA H100, sm_90a)", missing(two, "sm_80", 3));
        assertEquals("this needs a GPU of sm_100a: of 2 GPUs here none is one (GPU 0 is NVIDIA A100, sm_80; "
                + "GPU 1 is NVIDIA H100, sm_90a)", missing(two, "sm_100a", 1));
    }

    /** On a machine with a GPU the test runs, on another it is skipped. */
    @Test
    @RequiresGpu
    void aGpuThatIsThereIsEnough() {
        assertFalse(WantedGpus.here().list().isEmpty());
    }

    private static String missing(Devices devices, String minimum, int count) {
        return new WantedGpus(Target.parse(minimum), count).missingAmong(devices).orElse("");
    }

    private static DeviceInfo device(int ordinal, String name, int major, int minor) {
        return new DeviceInfo(ordinal, name, major, minor, 80L << 30, 132, 232_448);
    }
}
