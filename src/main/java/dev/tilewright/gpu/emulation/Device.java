package dev.tilewright.gpu.emulation;

/** One emulated GPU: its memory in use, its primary context, and what it did not survive. */
final class Device {
    private final int ordinal;
    private final DeviceModel model;
    private final long pool;
    private final long primary;
    /** Bytes of its memory in use. */
    private long used;
    /** How often the primary context is retained. */
    private int retained;
    /** The primary context; null while it is not retained. */
    private Context context;
    private DeviceFault fault;

    Device(int ordinal, DeviceModel model, Handles handles) {
        this.ordinal = ordinal;
        this.model = model;
        this.pool = handles.add(new Pool(this));
        this.primary = handles.add(new Primary(this));
    }

    /** What the handle of a device's memory pool stands for. */
    record Pool(Device device) { }

    /** What the handle of a device's primary context stands for, whether that is retained or not. */
    record Primary(Device device) { }

    int ordinal() {
        return ordinal;
    }

    DeviceModel model() {
        return model;
    }

    /** The handle of its default memory pool. */
    long pool() {
        return pool;
    }

    /** The handle of its primary context: the same each time. */
    long primary() {
        return primary;
    }

    long free() {
        return model.memory() - used;
    }

    void use(long bytes) {
        used += bytes;
    }

    int retained() {
        return retained;
    }

    void retained(int times) {
        retained = times;
    }

    Context context() {
        return context;
    }

    void context(Context primary) {
        context = primary;
    }

    /** What it did not survive; null while it works. */
    DeviceFault fault() {
        return fault;
    }

    /** Remembers the first fault: nothing runs any more, in no context that comes later either. */
    void lose(DeviceFault why) {
        if (fault == null) {
            fault = why;
        }
    }

    void requireWorking() {
        if (fault != null) {
            throw new Refusal(fault.result());
        }
    }
}
