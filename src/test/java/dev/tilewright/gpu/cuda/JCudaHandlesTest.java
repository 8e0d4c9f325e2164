package dev.tilewright.gpu.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUstream;
import jcuda.runtime.cudaStream_t;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Numbers in and out of JCuda's handles, with no driver and no native code. */
class JCudaHandlesTest {

    @Property
    void anAddressGoesInAndComesOut(@ForAll long address) {
        assertEquals(address, JCudaHandles.of(JCudaHandles.wrap(new CUdeviceptr(), address)));
    }

    @Property
    void aByteOffsetCounts(@ForAll long address, @ForAll int first, @ForAll int second) {
        CUdeviceptr moved = JCudaHandles.wrap(new CUdeviceptr(), address).withByteOffset(first).withByteOffset(second);
        assertEquals(address + first + second, JCudaHandles.of(moved));
    }

    @Test
    void newHandlesAndNullAreZero() {
        assertEquals(0, JCudaHandles.of(new CUfunction()));
        assertEquals(0, JCudaHandles.of(new CUstream(new cudaStream_t())));
        assertEquals(0, JCudaHandles.of(null));
    }
}
