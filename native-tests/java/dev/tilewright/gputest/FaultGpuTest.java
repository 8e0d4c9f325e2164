package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.fault.ReferenceException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * What users see when a kernel goes wrong on the GPU. Each fault loses its context, so each has a process of its own.
 */
class FaultGpuTest {

    @Tag("gpu")
    @ResourceLock(TestGpu.FAULTS)
    @Test
    void aBoundedWaitTurnsAHangIntoAnError() throws Exception {
        TestGpu.atLeast(Target.SM_90);
        String output = inAnotherProcess("hang");
        assertTrue(output.contains("first: cuStreamSynchronize failed: "), output);
        assertTrue(output.contains("lost: true"), output);
    }

    @Tag("gpu")
    @ResourceLock(TestGpu.FAULTS)
    @Test
    void aLaterCallDoesNotTakeTheBlame() throws Exception {
        TestGpu.atLeast(Target.SM_90);
        String output = inAnotherProcess("hang");
        String second = output.lines().filter(l -> l.startsWith("second: ")).findFirst().orElse(output);
        assertTrue(second.contains("cuMemAlloc") && second.contains("cuStreamSynchronize"), output);
    }

    /** Without a GPU: the same kernel is refused by the reference. */
    @Test
    void theReferenceNamesTheHang() {
        TileProgram hang = FaultyKernel.program();
        ReferenceException e = assertThrows(ReferenceException.class,
                () -> Reference.run(new Launch(hang, 1, List.of()), List.of()));
        assertTrue(e.getMessage().contains("never"), e.getMessage());
    }

    private static String inAnotherProcess(String what) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                FaultyKernel.class.getName(), what).redirectErrorStream(true).start();
        byte[] output = process.getInputStream().readAllBytes();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the faulty kernel's process does not end");
        String text = new String(output, StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), text);
        return text;
    }
}
