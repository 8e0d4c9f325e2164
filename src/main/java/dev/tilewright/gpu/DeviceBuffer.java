package dev.tilewright.gpu;

/**
 * A piece of a device's global memory. Its address is a multiple of 256. Closing it frees the memory; a closed buffer
 * is refused by every call.
 */
public interface DeviceBuffer extends AutoCloseable {

    /** Size in bytes. */
    long bytes();

    /** The device address. Other libraries can use a GPU's; the reference executor's name nothing outside of it. */
    long address();

    @Override
    void close();
}
