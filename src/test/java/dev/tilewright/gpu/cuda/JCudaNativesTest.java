package dev.tilewright.gpu.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tilewright.MissingRequirementException;
import org.junit.jupiter.api.Test;

/** What is said when JCuda cannot work: here because its library needs libcuda.so.1. */
class JCudaNativesTest {

    @Test
    void aLibraryThatDoesNotLoadIsSaidWithWhatToDo() {
        assumeFalse(LibCuda.presence().present(), "this machine has an NVIDIA driver");
        assertEquals("JCuda's native library does not load (Error while loading native library"
                + " \"JCudaDriver-12.6.0-linux-x86_64\"): put jcuda-natives-12.6.0-linux-x86_64.jar on the class path",
                assertThrows(MissingRequirementException.class, JCudaNatives::load).getMessage());
        // From the second time on the class itself is missing.
        assertThrows(MissingRequirementException.class, JCudaNatives::load);
    }
}
