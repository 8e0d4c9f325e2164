package dev.tilewright.gpu;

import jcuda.driver.CUdeviceptr;

/** Global memory of a GPU, from cuMemAlloc. */
final class CudaBuffer implements DeviceBuffer {
    private final CudaDriver driver;
    private final CUdeviceptr pointer;
    private final long address;
    private final long bytes;
    private boolean open = true;

    CudaBuffer(CudaDriver driver, CUdeviceptr pointer, long address, long bytes) {
        this.driver = driver;
        this.pointer = pointer;
        this.address = address;
        this.bytes = bytes;
    }

    /** JCuda's handle, while the buffer is open. */
    CUdeviceptr pointer() {
        if (!open) {
            throw new IllegalStateException("the device buffer of " + bytes + " bytes is closed");
        }
        return pointer;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public long address() {
        pointer();
        return address;
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            driver.free(pointer);
        }
    }
}
