package dev.tilewright.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.doctor.machine.ComputeMode;
import dev.tilewright.doctor.machine.Machines;
import dev.tilewright.doctor.machine.NvrtcFacts;
import dev.tilewright.doctor.need.Needs;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The closing line of {@code doctor}, for machines that are not at hand. */
class SummaryTest {
    private static final NvrtcFacts NONE = new NvrtcFacts("", "", "", List.of(), "", false, List.of(),
            List.of("/usr/lib: empty"), List.of());
    private static final String COMPILES = "compiles for 4 targets and runs kernels on the CPU; ";

    private static void assertSays(String expected, Machines machine) {
        assertEquals(expected, DoctorReport.of(machine.build(), Needs.parse(List.of())).summary());
    }

    @Test
    void withAGpu() {
        assertSays(COMPILES + "launches them on gpu 0", new Machines());
        assertSays(COMPILES + "launches them on gpu 0, gpu 2", new Machines().withGpus(90, 75, 80));
        Machines machine = new Machines();
        machine.nvrtc = NONE;
        assertSays("runs kernels on the CPU; compiles none yet: nvrtc: none in 1 places that were looked at (--debug "
                + "lists them);"
                + " launches them on gpu 0 once NVRTC is there", machine);
    }

    @Test
    void withoutOneSaysWhy() {
        assertSays(COMPILES + "launches none on a GPU: no NVIDIA driver (libcuda.so.1) on this machine",
                Machines.bare());
        assertSays(COMPILES + "launches none on a GPU: cuInit: it fails: CUDA_ERROR_NO_DEVICE (100)",
                new Machines().failing(100, "CUDA_ERROR_NO_DEVICE"));
        assertSays(COMPILES + "launches none on a GPU: gpu 0: NVIDIA Test, compute capability 7.5, 80 GiB, 132 "
                + "multiprocessors, 227 KiB of"
                + " shared memory per block", new Machines().withGpus(75));
        Machines prohibited = new Machines();
        prohibited.gpus = List.of(Machines.gpu(0, 9, 0, 80L << 30, ComputeMode.PROHIBITED));
        assertSays(COMPILES + "launches none on a GPU: mode 0: compute mode " + ComputeMode.PROHIBITED
                + ": no process may use it", prohibited);
    }
}
