package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.state.HostBlock;
import dev.tilewright.gpu.emulation.state.Memory;
import dev.tilewright.gpu.emulation.state.Refusal;
import java.lang.foreign.MemorySegment;

/** {@code cuPointerGetAttribute}: numbers of CUpointer_attribute and CUmemorytype by {@code cuda.h}. */
final class PointerAttributes {
    private static final int CONTEXT = 1;
    private static final int MEMORY_TYPE = 2;
    private static final int DEVICE_POINTER = 3;
    private static final int HOST_POINTER = 4;
    private static final int IS_MANAGED = 8;
    private static final int DEVICE_ORDINAL = 9;
    private static final int RANGE_START_ADDR = 11;
    private static final int RANGE_SIZE = 12;
    private static final int MAPPED = 13;

    private static final int HOST = 1;
    private static final int DEVICE = 2;

    private PointerAttributes() { }

    /** Writes an attribute; refuses an address that the driver does not know. */
    static void get(Machine machine, MemorySegment data, int attribute, long pointer) {
        Memory memory = machine.around(pointer);
        Refusal.unless(memory != null && memory.holds(pointer, 1), DriverApi.INVALID_VALUE);
        boolean host = memory instanceof HostBlock;
        switch (attribute) {
            case CONTEXT -> Calls.put(data, memory.context().handle());
            case MEMORY_TYPE -> Calls.put(data, host ? HOST : DEVICE);
            case DEVICE_POINTER -> Calls.put(data, pointer);
            case HOST_POINTER -> {
                Refusal.unless(host, DriverApi.INVALID_VALUE);
                Calls.put(data, pointer);
            }
            case IS_MANAGED -> Calls.put(data, 0);
            case DEVICE_ORDINAL -> Calls.put(data, memory.context().device().ordinal());
            case RANGE_START_ADDR -> Calls.put(data, memory.address());
            case RANGE_SIZE -> Calls.put(data, memory.bytes());
            case MAPPED -> Calls.put(data, 1);
            default -> throw new Refusal(DriverApi.INVALID_VALUE);
        }
    }
}
