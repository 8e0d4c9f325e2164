package dev.tilewright.spark.executor;

/** What computes on an executor. Its tasks share it. */
interface Device {

    /** Bytes that slots and weights may take together. */
    long bound();

    /** @throws dev.tilewright.gpu.device.OutOfDeviceMemoryException if others have taken the memory */
    DeviceSlot slot(long bytes);

    Resident load(Mapping mapping);

    /** Whether nothing runs there any more. */
    boolean isLost();

    void close();
}
