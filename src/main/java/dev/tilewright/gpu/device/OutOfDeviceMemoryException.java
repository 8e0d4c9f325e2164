package dev.tilewright.gpu.device;

import dev.tilewright.NotNull;
import java.util.Optional;

/** A GPU does not have the memory that was asked for. */
public final class OutOfDeviceMemoryException extends CudaException {
    private final long asked;
    private final DeviceMemory memory;

    /**
     * What says how much there is.
     *
     * @param function the driver's function that was called
     * @param asked bytes
     * @param memory what the device has
     */
    public OutOfDeviceMemoryException(String function, CudaError error, DeviceInfo device, long asked,
            DeviceMemory memory) {
        NotNull.all("function, error, device, memory", function, error, device, memory);
        super(function, error, function + " of " + asked + " bytes failed: GPU " + device.ordinal() + " ("
                + device.name() + ") has " + memory.free() + " of its " + memory.total()
                + " bytes free; close buffers that are no longer needed, or take smaller pieces", Optional.empty());
        this.asked = asked;
        this.memory = memory;
    }

    /** Bytes that were asked for. */
    public long asked() {
        return asked;
    }

    /** The device's memory at that time. */
    public DeviceMemory memory() {
        return memory;
    }
}
