package dev.tilewright.gpu.emulation.state;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Page-locked host memory: allocated by the driver, or a program's own and registered. It is the host's own memory. */
public final class HostBlock implements Memory {
    private static final byte FRESH = (byte) 0xAB;
    private static final long PAGE = 4096;

    private final EmulatedContext context;
    private final MemorySegment segment;
    /** Where it lives if the driver allocated it; null if it was registered. */
    private final Arena arena;

    private HostBlock(EmulatedContext context, MemorySegment segment, Arena arena) {
        this.context = context;
        this.segment = segment;
        this.arena = arena;
    }

    /** Memory of the driver. @throws OutOfMemoryError if there is not as much */
    public static HostBlock allocated(EmulatedContext context, long bytes) {
        Arena arena = Arena.ofShared();
        try {
            return new HostBlock(context, arena.allocate(bytes, PAGE).fill(FRESH), arena);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw e;
        }
    }

    /** Memory of the program. */
    public static HostBlock registered(EmulatedContext context, long address, long bytes) {
        return new HostBlock(context, MemorySegment.ofAddress(address).reinterpret(bytes), null);
    }

    @Override
    public EmulatedContext context() {
        return context;
    }

    @Override
    public String title() {
        return bytes() + " bytes of " + (isRegistered() ? "registered" : "pinned") + " host memory at 0x"
                + Long.toHexString(address());
    }

    @Override
    public long address() {
        return segment.address();
    }

    @Override
    public long bytes() {
        return segment.byteSize();
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public boolean isReachableFrom(EmulatedContext other) {
        return true;
    }

    public boolean isRegistered() {
        return arena == null;
    }

    public void free() {
        if (arena != null) {
            arena.close();
        }
    }
}
