package dev.tilewright.gpu.emulation.state;

import dev.tilewright.gpu.cuda.DriverApi;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The page-locked host memory that the driver knows. */
public final class PageLockedMemory {
    private final NavigableMap<Long, HostBlock> blocks = new TreeMap<>();

    public HostBlock allocate(EmulatedContext context, long bytes) {
        Refusal.unless(bytes != 0, DriverApi.INVALID_VALUE);
        Refusal.unless(bytes > 0, DriverApi.OUT_OF_MEMORY);
        try {
            return add(HostBlock.allocated(context, bytes));
        } catch (OutOfMemoryError e) {
            throw new Refusal(DriverApi.OUT_OF_MEMORY);
        }
    }

    public HostBlock register(EmulatedContext context, long address, long bytes) {
        Refusal.unless(address != 0 && bytes > 0 && address + bytes > address, DriverApi.INVALID_VALUE);
        Map.Entry<Long, HostBlock> below = blocks.lowerEntry(address + bytes);
        boolean free = below == null || below.getValue().address() + below.getValue().bytes() <= address;
        Refusal.unless(free, Results.HOST_MEMORY_ALREADY_REGISTERED);
        return add(HostBlock.registered(context, address, bytes));
    }

    private HostBlock add(HostBlock block) {
        blocks.put(block.address(), block);
        return block;
    }

    /** The block that begins at an address and was registered, or not; refuses any other. */
    public HostBlock beginningAt(long address, boolean registered, int otherwise) {
        HostBlock block = blocks.get(address);
        Refusal.unless(block != null && block.isRegistered() == registered, otherwise);
        return block;
    }

    public void free(HostBlock block) {
        blocks.remove(block.address());
        block.free();
    }

    /** The block that an address is in; null for pageable memory. */
    public HostBlock holding(long address) {
        Map.Entry<Long, HostBlock> below = blocks.floorEntry(address);
        return below != null && below.getValue().holds(address, 1) ? below.getValue() : null;
    }

    /** All blocks of a context. */
    public List<HostBlock> of(EmulatedContext context) {
        return blocks.values().stream().filter(block -> block.context() == context).toList();
    }
}
