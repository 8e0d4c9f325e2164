package dev.tilewright.spark.executor;

import dev.tilewright.gpu.device.OutOfDeviceMemoryException;
import dev.tilewright.spark.batch.NoRoomException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A device's memory, for all tasks of the executor together: slots and weights never take more than its bound. Who
 * needs more than is free waits until others give back; what is idle goes first. Slots and mappings are kept for the
 * next task.
 */
final class DeviceRoom {
    private static final long SMALLEST = 64 << 10;
    private static final long LOOK_MILLIS = 100;
    private static final int MOST_MAPPINGS = 32;
    private static final long MOST_NANOS_HOLDING = 10_000_000_000L;

    /** @param thread of the task that has it */
    private record Taken(long bytes, Thread thread) { }

    private record Kept(DeviceSlot slot, long bytes) { }

    private static final class Use {
        private final Resident resident;
        private int tasks;

        Use(Resident resident) {
            this.resident = resident;
        }
    }

    private final Device device;
    private final long mostNanosHolding;
    private final List<Kept> idle = new ArrayList<>();
    private final Map<DeviceSlot, Taken> taken = new HashMap<>();
    /** By id; the one that was not used for longest is first. */
    private final Map<String, Use> mappings = new LinkedHashMap<>(16, 0.75f, true);
    private long bound;
    private long used;

    DeviceRoom(Device device) {
        this(device, MOST_NANOS_HOLDING);
    }

    /** @param mostNanosHolding how long a task waits that has some already: others may wait for that */
    DeviceRoom(Device device, long mostNanosHolding) {
        this.device = device;
        this.mostNanosHolding = mostNanosHolding;
        this.bound = device.bound();
    }

    Device device() {
        return device;
    }

    /** Bytes that are taken or kept. */
    synchronized long used() {
        return used;
    }

    /** Bytes that tasks hold now. */
    synchronized long inTasks() {
        return taken.values().stream().mapToLong(Taken::bytes).sum();
    }

    /** The size of a slot that holds this many bytes: a power of two, so that the next task finds one that fits. */
    static long capacity(long bytes) {
        return bytes <= SMALLEST ? SMALLEST : Math.max(Long.highestOneBit(bytes - 1) << 1, SMALLEST);
    }

    /** A slot, at once or not at all. */
    synchronized Optional<DeviceSlot> tryTake(long bytes) {
        long wanted = Math.min(capacity(bytes), Math.max(bytes, bound));
        for (Iterator<Kept> each = idle.iterator(); each.hasNext();) {
            Kept kept = each.next();
            if (kept.bytes >= bytes) {
                each.remove();
                taken.put(kept.slot, new Taken(kept.bytes, Thread.currentThread()));
                return Optional.of(kept.slot);
            }
        }
        makeRoom(wanted);
        if (used + wanted > bound) {
            return Optional.empty();
        }
        try {
            return Optional.of(newSlot(wanted));
        } catch (OutOfDeviceMemoryException e) {
            // Others have memory of this device, too.
            bound = used + wanted - 1;
            freeIdle();
            ExecutorDevices.LOG.warn("tasks have at most {} bytes from now on: {}", bound, e.getMessage());
            return used == 0 ? Optional.of(onlySlot(wanted)) : Optional.empty();
        }
    }

    /** A slot where no task has one: what is not there now will not be given back. */
    private DeviceSlot onlySlot(long bytes) {
        try {
            return newSlot(bytes);
        } catch (OutOfDeviceMemoryException e) {
            bound = bytes / 2;
            throw new NoRoomException(e.getMessage());
        }
    }

    private DeviceSlot newSlot(long bytes) {
        DeviceSlot slot = device.slot(bytes);
        used += bytes;
        taken.put(slot, new Taken(bytes, Thread.currentThread()));
        return slot;
    }

    /** A slot, when there is memory for it. @param alive throws if the task was cancelled */
    DeviceSlot take(long bytes, Runnable alive) {
        long begin = System.nanoTime();
        while (true) {
            alive.run();
            synchronized (this) {
                if (bytes > bound) {
                    throw new NoRoomException("a batch takes " + bytes + " bytes, and all tasks of this "
                            + "executor may have " + bound + ": raise spark.tilewright.memory, or give "
                            + "shorter rows, or smaller batches of columns");
                }
                Optional<DeviceSlot> slot = tryTake(bytes);
                if (slot.isPresent()) {
                    return slot.get();
                }
                if (holdsSome() && System.nanoTime() - begin > mostNanosHolding) {
                    throw new NoRoomException("a task whose kernels follow each other holds memory of a batch and "
                            + "found none for the next, of " + bytes + " bytes, as others wait for it, too: raise "
                            + "spark.tilewright.memory, or make spark.tilewright.batch smaller");
                }
                pause();
            }
        }
    }

    /** Whether this thread's task has slots already: those of a kernel whose results another takes. */
    private boolean holdsSome() {
        Thread thread = Thread.currentThread();
        return taken.values().stream().anyMatch(one -> one.thread == thread);
    }

    /** Gives back a slot, which is free to be used. */
    synchronized void give(DeviceSlot slot) {
        long bytes = taken.remove(slot).bytes;
        if (device.isLost()) {
            used -= bytes;
            slot.free();
        } else {
            idle.add(new Kept(slot, bytes));
        }
        notifyAll();
    }

    /** The mapping, made ready where it is not yet. Each call is followed by one of {@link #leave}. */
    Resident enter(RowTask task, Runnable alive) {
        while (true) {
            alive.run();
            synchronized (this) {
                Use use = mappings.get(task.id());
                if (use == null) {
                    Mapping mapping = new Mapping(task);
                    long[] bytes = new long[1];
                    mapping.weights(tensor -> bytes[0] += mapping.weight(tensor).bytes().length);
                    if (bytes[0] > bound) {
                        throw new NoRoomException("the weights of kernel '" + mapping.kernel().name() + "' take "
                                + bytes[0] + " bytes, and all tasks of this executor may have " + bound
                                + ": raise spark.tilewright.memory");
                    }
                    makeRoom(bytes[0]);
                    if (used + bytes[0] <= bound) {
                        use = new Use(device.load(mapping));
                        used += use.resident.bytes();
                        mappings.put(task.id(), use);
                    }
                }
                if (use != null) {
                    use.tasks++;
                    return use.resident;
                }
                pause();
            }
        }
    }

    /** A task does not need a mapping any more. */
    synchronized void leave(String id) {
        Use use = mappings.get(id);
        // It is gone where the device was lost.
        if (use != null) {
            use.tasks--;
        }
        notifyAll();
    }

    private void pause() {
        try {
            wait(LOOK_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while it waited for memory of a device", e);
        }
    }

    /** Frees what no task uses, until this many more bytes fit within the bound. */
    private void makeRoom(long bytes) {
        while (used + bytes > bound && !idle.isEmpty()) {
            free(idle.removeFirst());
        }
        for (Iterator<Use> each = mappings.values().iterator(); each.hasNext()
                && (used + bytes > bound || mappings.size() >= MOST_MAPPINGS);) {
            Use use = each.next();
            if (use.tasks == 0) {
                each.remove();
                used -= use.resident.bytes();
                use.resident.free();
            }
        }
    }

    private void freeIdle() {
        while (!idle.isEmpty()) {
            free(idle.removeFirst());
        }
    }

    private void free(Kept kept) {
        used -= kept.bytes;
        kept.slot.free();
    }

    /** Ends the device; what tasks still hold they free themselves. */
    synchronized void close() {
        freeIdle();
        mappings.clear();
        device.close();
    }
}
