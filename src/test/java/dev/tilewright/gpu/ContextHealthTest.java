package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.context.ContextHealth;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.gpu.device.CudaError;
import dev.tilewright.gpu.device.CudaException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which failure is blamed, before and after a context is lost. */
class ContextHealthTest {

    private static final CudaError INVALID = new CudaError(1, "CUDA_ERROR_INVALID_VALUE", "invalid argument");
    private static final CudaError ILLEGAL =
            new CudaError(715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "an illegal instruction was encountered");

    private final ContextHealth health = new ContextHealth(Optional::empty);

    @Test
    void successPasses() {
        health.check("cuMemAlloc", 0);
        CudaException.check("cuInit", 0);
        assertEquals(Optional.empty(), health.fault());
    }

    @Test
    void anOrdinaryFailureLosesNothing() {
        CudaException e = health.failure("cuLaunchKernelEx of copy", INVALID);
        assertEquals("cuLaunchKernelEx of copy failed: CUDA_ERROR_INVALID_VALUE (1): invalid argument", e.getMessage());
        assertEquals(Optional.empty(), health.fault());
        assertFalse(e.contextIsLost());
        assertEquals("cuLaunchKernelEx of copy", e.call());
        assertEquals(INVALID, e.error());
    }

    @Test
    void laterFailuresNameTheFirstFault() {
        CudaException first = health.failure("cuStreamSynchronize after copy", ILLEGAL);
        assertEquals("cuStreamSynchronize after copy failed: CUDA_ERROR_ILLEGAL_INSTRUCTION (715): an illegal "
                + "instruction"
                + " was encountered; the context is lost, and this process can run nothing more on the GPU",
                first.getMessage());
        assertTrue(first.contextIsLost());
        assertEquals(Optional.empty(), first.earlierFault());

        CudaException same = health.failure("cuMemAlloc", ILLEGAL);
        assertEquals("cuMemAlloc cannot run: the context was lost before, when cuStreamSynchronize after copy reported"
                + " CUDA_ERROR_ILLEGAL_INSTRUCTION (715): an illegal instruction was encountered", same.getMessage());
        assertTrue(same.contextIsLost());

        CudaException other = health.failure("cuModuleLoadData", INVALID);
        assertEquals("cuModuleLoadData cannot run: the context was lost before, when cuStreamSynchronize after copy"
                + " reported CUDA_ERROR_ILLEGAL_INSTRUCTION (715): an illegal instruction was encountered (this call "
                + "got"
                + " CUDA_ERROR_INVALID_VALUE (1): invalid argument)", other.getMessage());
        assertEquals(health.fault(), other.earlierFault());
        assertEquals("cuStreamSynchronize after copy", health.fault().orElseThrow().call());
    }

    @Test
    void aDeviceKeepsItsFaultFromOneContextToTheNext() {
        assertSame(ContextHealth.of(LibCuda.get(), 1_000), ContextHealth.of(LibCuda.get(), 1_000));
        assertNotSame(ContextHealth.of(LibCuda.get(), 1_000), ContextHealth.of(LibCuda.get(), 1_001));
    }

    @Test
    void ofThreadsThatFailAtOnceOneIsTheFirst() {
        List<CudaException> all = IntStream.range(0, 64).parallel()
                .mapToObj(i -> health.failure("call " + i, ILLEGAL)).toList();
        assertEquals(1, all.stream().filter(e -> e.earlierFault().isEmpty()).count());
        assertEquals(1, all.stream().flatMap(e -> e.earlierFault().stream()).distinct().count());
    }

    @Test
    void stickyIsWhatTheHeaderSays() {
        Set<Integer> sticky = IntStream.rangeClosed(0, 999).boxed()
                .filter(n -> new CudaError(n, "", "").isSticky()).collect(Collectors.toSet());
        assertEquals(Set.of(226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 911), sticky);
    }
}
