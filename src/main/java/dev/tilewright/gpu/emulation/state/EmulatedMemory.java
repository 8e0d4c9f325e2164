package dev.tilewright.gpu.emulation.state;

import dev.tilewright.gpu.cuda.DriverApi;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The memory of all emulated GPUs. Addresses are made up: no host memory lies there on any machine with 48 address
 * bits, they are odd multiples of 256, far apart, and none is given out twice.
 */
public final class EmulatedMemory {
    private static final long FIRST = 1L << 48;
    private static final long GAP = 1L << 20;
    private static final long ALIGNMENT = 256;

    private final NavigableMap<Long, Allocation> allocations = new TreeMap<>();
    private long next = FIRST;

    /** New memory; refuses more than there is. */
    public Allocation allocate(EmulatedContext context, long bytes, boolean ordered) {
        Device device = context.device();
        Refusal.unless(bytes != 0, DriverApi.INVALID_VALUE);
        Refusal.unless(bytes > 0 && bytes <= device.free(), DriverApi.OUT_OF_MEMORY);
        Allocation allocation = new Allocation(context, next + ALIGNMENT, bytes, ordered);
        next += Math.ceilDiv(bytes + ALIGNMENT, GAP) * GAP + GAP;
        device.use(bytes);
        allocations.put(allocation.address(), allocation);
        return allocation;
    }

    /** The allocation that begins at an address and is not on its way out. */
    public Allocation beginningAt(long address) {
        Allocation allocation = allocations.get(address);
        Refusal.unless(allocation != null && !allocation.isFreeing(), DriverApi.INVALID_VALUE);
        return allocation;
    }

    public void free(Allocation allocation) {
        if (allocations.remove(allocation.address(), allocation)) {
            allocation.free();
        }
    }

    /** What holds an address, or ends there; null for none. */
    public Allocation around(long address) {
        Map.Entry<Long, Allocation> below = allocations.floorEntry(address);
        return below != null && below.getValue().holds(address, 0) ? below.getValue() : null;
    }

    /** The allocation nearest to an address that may lie outside of all; null if there is none at all. */
    public Allocation nearest(long address) {
        Map.Entry<Long, Allocation> near = allocations.floorEntry(address);
        near = near == null ? allocations.firstEntry() : near;
        return near == null ? null : near.getValue();
    }

    /** All allocations of a context. */
    public List<Allocation> of(EmulatedContext context) {
        return allocations.values().stream().filter(allocation -> allocation.context() == context).toList();
    }
}
