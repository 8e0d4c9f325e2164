package dev.tilewright.gpu;

import java.util.Objects;
import java.util.Optional;

/** A GPU does not have the memory that was asked for. */
public final class OutOfDeviceMemoryException extends CudaException {
    private final long asked;
    private final DeviceMemory memory;

    OutOfDeviceMemoryException(String function, CudaError error, DeviceInfo device, long asked, DeviceMemory memory) {
        super(function, error, function + " of " + asked + " bytes failed: GPU " + device.ordinal() + " ("
                + device.name() + ") has " + memory.free() + " of its " + memory.total()
                + " bytes free; close buffers that are no longer needed, or take smaller pieces", Optional.empty());
        this.asked = asked;
        this.memory = Objects.requireNonNull(memory, "memory");
    }

    /** Bytes that were asked for. */
    public long asked() {
        return asked;
    }

    /** What the device had then. */
    public DeviceMemory memory() {
        return memory;
    }
}
