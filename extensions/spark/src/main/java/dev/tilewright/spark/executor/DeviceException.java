package dev.tilewright.spark.executor;

/** A device failed: what it said, without what cannot travel from an executor to the driver. */
final class DeviceException extends RuntimeException {
    private static final long serialVersionUID = 1;

    DeviceException(String message) {
        super(message);
    }
}
