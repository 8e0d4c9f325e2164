package dev.tilewright.doctor.need;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.doctor.DoctorReport;
import dev.tilewright.doctor.machine.Machines;
import dev.tilewright.gpu.host.ByteSize;
import dev.tilewright.ptx.Target;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be needed, of machines that have it and of machines that have not. */
class NeedsTest {
    private final Machines machine = new Machines();

    private String unmet(String... needs) {
        return DoctorReport.of(machine.build(), Needs.parse(List.of(needs))).unmet();
    }

    @Test
    void aHealthyMachineHasThemAll() {
        assertEquals("", unmet("gpu", "1-gpu", "1-gpus", "sm_90", "sm_90a", "sm_80", "memory=80GiB", "driver",
                "driver=13.0", "driver=12", "nvrtc", "nvrtc=12.8", "jdk=25", "cache", "nvcc"));
        assertEquals("", unmet());
    }

    @Test
    void eachSaysWhatThereIsInstead() {
        assertEquals("2-gpus is needed, and only 1 is here", unmet("2-gpus"));
        assertEquals("sm_100 is needed, and gpu 0 is sm_90a", unmet("sm_100"));
        assertEquals("memory=81GiB is needed, and gpu 0 has 80 GiB", unmet("memory=81GiB"));
        assertEquals("driver=13.1 is needed, and the driver's CUDA is 13.0", unmet("driver=13.1"));
        assertEquals("nvrtc=13.1 is needed, and NVRTC is 13.0 (/usr/local/cuda/lib64/libnvrtc.so)",
                unmet("nvrtc=13.1"));
        assertEquals("jdk=26 is needed, and this Java is 25.0.3", unmet("jdk=26"));
        machine.nvcc = "";
        assertEquals("2-gpus is needed, and only 1 is here; nvcc is needed, and it is neither below CUDA_HOME nor on "
                + "the PATH", unmet("nvcc", "2-gpus"));
    }

    @Test
    void withoutAGpu() {
        machine.withoutLibcuda("no NVIDIA driver");
        assertEquals("sm_90 and gpu are needed, and there is no GPU: no NVIDIA driver; driver is needed, and no NVIDIA "
                + "driver", unmet("driver", "gpu", "sm_90"));
        machine.failing(100, "CUDA_ERROR_NO_DEVICE");
        machine.settings.put("CUDA_VISIBLE_DEVICES", "9");
        assertEquals("gpu is needed, and there is no GPU: the driver does not start: CUDA_ERROR_NO_DEVICE (100)"
                + " (CUDA_VISIBLE_DEVICES='9')", unmet("gpu"));
        assertEquals("driver is needed, and the driver does not start: CUDA_ERROR_NO_DEVICE (100)", unmet("driver"));
    }

    /** What is needed of a GPU is needed of one GPU, and of as many as are counted. */
    @Test
    void propertiesHoldTogether() {
        machine.gpus = List.of(Machines.gpu(0, 9, 0, 10L << 30), Machines.gpu(1, 8, 0, 80L << 30));
        assertEquals("", unmet("sm_90"));
        assertEquals("", unmet("memory=40GiB"));
        assertEquals("", unmet("2-gpus"));
        assertEquals("1-gpu is needed, and only 0 of the 2 here meet sm_90 and memory=40GiB",
                unmet("sm_90", "memory=40GiB"));
        assertEquals("2-gpus is needed, and only 1 of the 2 here meets sm_90", unmet("sm_90", "2-gpus"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "sm90", "sm_9", "sm_1", "sm_90x", "0-gpus", "-1-gpus", "two-gpus", "2", "memory",
            "memory=", "memory=40",
        "memory=40GB", "memory=-1GiB", "memory=99999999GiB", "driver=", "driver=x", "driver=13.0.1", "nvrtc=a.b", "jdk",
        "jdk=x", "jdk=25.0", "gpu,sm_90", "cash", "\u0661-gpus"})
    void whatIsNone(String text) {
        String message = assertThrows(BadRequestException.class, () -> Needs.parse(List.of(text))).getMessage();
        assertTrue(message.startsWith("--need ") && !message.contains("\n"), message);
    }

    @Property
    void counts(@ForAll @IntRange(min = 1, max = 9999) int least, @ForAll @IntRange(min = 0, max = 9) int here) {
        machine.withGpus(IntStream.generate(() -> 90).limit(here).toArray());
        assertEquals(least <= here, unmet(least + "-gpus").isEmpty());
    }

    @Provide
    Arbitrary<int[]> machines() {
        return Arbitraries.of(75, 80, 86, 89, 90, 100, 120).array(int[].class).ofMinSize(1).ofMaxSize(4);
    }

    /** A target is met where some GPU runs it, counted by the capability's digits alone. */
    @Property
    void architectures(@ForAll("machines") int[] capabilities, @ForAll @IntRange(min = 70, max = 130) int wanted) {
        machine.withGpus(capabilities);
        assertEquals(Arrays.stream(capabilities).anyMatch(c -> c >= wanted), unmet("sm_" + wanted).isEmpty());
        Target own = new Target(wanted / 10, wanted % 10, Target.Variant.ARCHITECTURE);
        assertEquals(wanted >= 90 && Arrays.stream(capabilities).anyMatch(c -> c == wanted),
                unmet(own.toString()).isEmpty());
        long fit = Arrays.stream(capabilities).filter(c -> c >= wanted).count();
        if (fit > 0) {
            assertEquals("", unmet("sm_" + wanted, fit + "-gpus"));
            assertTrue(!unmet("sm_" + wanted, fit + 1 + "-gpus").isEmpty());
        }
    }

    @Property
    void memory(@ForAll @IntRange(min = 0, max = 999_999) int number, @ForAll @IntRange(min = 0, max = 3) int unit) {
        String text = number + List.of("KiB", "MiB", "GiB", "TiB").get(unit);
        long bytes = ByteSize.parse(text).orElseThrow();
        assertEquals(number * Math.pow(1024, unit + 1), bytes);
        machine.gpus = List.of(Machines.gpu(0, 9, 0, bytes));
        assertEquals("", unmet("memory=" + text));
        machine.gpus = List.of(Machines.gpu(0, 9, 0, bytes - 1));
        assertTrue(!unmet("memory=" + text).isEmpty());
    }

    @Property
    void versions(@ForAll @IntRange(min = 11, max = 14) int major, @ForAll @IntRange(max = 12) int minor) {
        boolean here = 100 * major + minor <= 100 * 13;
        assertEquals(here, unmet("driver=" + major + "." + minor).isEmpty());
        assertEquals(here, unmet("nvrtc=" + major + "." + minor).isEmpty());
        assertEquals(major <= 13, unmet("driver=" + major).isEmpty());
    }
}
