package dev.tilewright.gpu.emulation.state;

import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** An allocation of device memory. */
public final class Allocation implements Memory {
    private static final byte FRESH = (byte) 0xAB;
    private static final long ALIGNMENT = 256;

    private final EmulatedContext context;
    private final long address;
    private final boolean ordered;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;
    /** Whether the stream that it was allocated on has come there. */
    private boolean ready;
    /** Whether it is to be freed when a stream comes there. */
    private boolean freeing;

    /** @param ordered whether it was allocated on a stream */
    public Allocation(EmulatedContext context, long address, long bytes, boolean ordered) {
        this.context = context;
        this.address = address;
        this.ordered = ordered;
        this.ready = !ordered;
        try {
            segment = arena.allocate(bytes, ALIGNMENT).fill(FRESH);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new Refusal(DriverApi.OUT_OF_MEMORY);
        }
    }

    @Override
    public EmulatedContext context() {
        return context;
    }

    @Override
    public String title() {
        return bytes() + " bytes of device memory at 0x" + Long.toHexString(address);
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long bytes() {
        return segment.byteSize();
    }

    @Override
    public MemorySegment segment() {
        if (!arena.scope().isAlive()) {
            throw new DeviceFault(DriverApi.ILLEGAL_ADDRESS, title() + " are used after they were freed");
        }
        if (!ready) {
            throw new DeviceFault(DriverApi.ILLEGAL_ADDRESS, title()
                    + " are used before the stream that they were allocated on has come there");
        }
        return segment;
    }

    @Override
    public boolean isReachableFrom(EmulatedContext other) {
        return other.reaches(context);
    }

    /** Whether it comes from a memory pool. */
    public boolean isOrdered() {
        return ordered;
    }

    public void ready() {
        ready = true;
    }

    public boolean isFreeing() {
        return freeing;
    }

    public void freeing() {
        freeing = true;
    }

    public void free() {
        context.device().use(-bytes());
        arena.close();
    }
}
