package dev.tilewright.gpu.emulation.state;

/** One emulated GPU: its memory in use, its primary context, and the fault that lost it. */
public final class Device {
    private final int ordinal;
    private final DeviceModel model;
    private final long pool;
    private final long primary;
    /** Bytes of its memory in use. */
    private long used;
    /** How often the primary context is retained. */
    private int retained;
    /** The primary context; null while it is not retained. */
    private EmulatedContext context;
    private volatile DeviceFault fault;

    public Device(int ordinal, DeviceModel model, Handles handles) {
        this.ordinal = ordinal;
        this.model = model;
        this.pool = handles.add(new Pool(this));
        this.primary = handles.add(new Primary(this));
    }

    /** What the handle of a device's memory pool stands for. */
    public record Pool(Device device) { }

    /** What the handle of a device's primary context stands for, whether that is retained or not. */
    public record Primary(Device device) { }

    public int ordinal() {
        return ordinal;
    }

    public DeviceModel model() {
        return model;
    }

    /** The handle of its default memory pool. */
    public long pool() {
        return pool;
    }

    /** The handle of its primary context: the same each time. */
    public long primary() {
        return primary;
    }

    public long free() {
        return model.memory() - used;
    }

    public void use(long bytes) {
        used += bytes;
    }

    public int retained() {
        return retained;
    }

    public void retained(int times) {
        retained = times;
    }

    public EmulatedContext context() {
        return context;
    }

    public void context(EmulatedContext primary) {
        context = primary;
    }

    /** The fault that lost it; null while it works. */
    public DeviceFault fault() {
        return fault;
    }

    /** Remembers the first fault: nothing runs any more, in no context that comes later either. */
    public void lose(DeviceFault why) {
        if (fault == null) {
            fault = why;
        }
    }

    public void requireWorking() {
        if (fault != null) {
            throw new Refusal(fault.result());
        }
    }
}
