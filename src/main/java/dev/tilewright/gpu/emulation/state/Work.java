package dev.tilewright.gpu.emulation.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A task in a stream, with what must have ended before it. Its number is higher than the numbers of all those. */
public final class Work {
    private final long number;
    private final EmulatedContext context;
    private final Task task;
    private List<Work> before;
    private boolean ended;
    private long endedAt;

    public Work(long number, EmulatedContext context, Task task, Collection<Work> before) {
        this.number = number;
        this.context = context;
        this.task = task;
        this.before = new ArrayList<>(before);
        this.before.removeIf(work -> work == null || work.ended);
    }

    public long number() {
        return number;
    }

    public EmulatedContext context() {
        return context;
    }

    public List<Work> before() {
        return before;
    }

    public boolean hasEnded() {
        return ended;
    }

    /** When it ended, by {@link System#nanoTime}. */
    public long endedAt() {
        return endedAt;
    }

    /** Does the task, unless the GPU is lost; a fault is the GPU's. */
    public void run() {
        Device device = context.device();
        try {
            if (device.fault() == null) {
                task.run();
            }
        } catch (DeviceFault fault) {
            device.lose(fault);
        } finally {
            ended = true;
            endedAt = System.nanoTime();
            // What came before is not needed any more, and would keep everything that ever ran.
            before = List.of();
        }
    }
}
