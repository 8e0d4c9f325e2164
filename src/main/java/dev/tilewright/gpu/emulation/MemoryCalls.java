package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.MemoryApi;
import dev.tilewright.gpu.emulation.state.Allocation;
import dev.tilewright.gpu.emulation.state.Device;
import dev.tilewright.gpu.emulation.state.EmulatedContext;
import dev.tilewright.gpu.emulation.state.EmulatedStream;
import dev.tilewright.gpu.emulation.state.HostBlock;
import dev.tilewright.gpu.emulation.state.Refusal;
import dev.tilewright.gpu.emulation.state.Results;
import dev.tilewright.gpu.emulation.state.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** {@link MemoryApi} of the emulated driver. */
abstract class MemoryCalls extends DeviceCalls implements MemoryApi {
    private static final int HOST_ALLOC_FLAGS = 7;
    private static final int HOST_REGISTER_FLAGS = 15;
    private static final int RELEASE_THRESHOLD = 4;

    MemoryCalls(Machine machine) {
        super(machine);
    }

    @Override
    public int cuMemGetInfo(MemorySegment free, MemorySegment total) {
        return inContext(context -> {
            put(free, context.device().free());
            put(total, context.device().model().memory());
        });
    }

    @Override
    public int cuMemAlloc(MemorySegment pointer, long bytes) {
        return outsideCaptures(context -> {
            roomFor(bytes, context);
            put(pointer, machine().deviceMemory().allocate(context, bytes, false).address());
        });
    }

    /** Lets streams free what they are to free before memory is said to be short. */
    private void roomFor(long bytes, EmulatedContext context) {
        if (bytes > context.device().free()) {
            machine().finish(context);
        }
    }

    /** Waits for the device first, as the real one does (CUDA Programming Guide, "Implicit Synchronization"). */
    @Override
    public int cuMemFree(long pointer) {
        return outsideCaptures(context -> {
            Allocation allocation = machine().deviceMemory().beginningAt(pointer);
            Refusal.unless(allocation.context() == context, DriverApi.INVALID_VALUE);
            machine().finish(context);
            context.device().requireWorking();
            machine().deviceMemory().free(allocation);
        });
    }

    @Override
    public int cuMemAllocAsync(MemorySegment pointer, long bytes, long stream) {
        return inContext(context -> {
            EmulatedStream on = own(stream, context);
            // Graphs that allocate are not emulated.
            Refusal.unless(on.capture() == null, DriverApi.NOT_SUPPORTED);
            machine().requireNoImplicitCapture(on);
            roomFor(bytes, context);
            Allocation allocation = machine().deviceMemory().allocate(context, bytes, true);
            put(pointer, allocation.address());
            machine().submit(on, allocation::ready);
        });
    }

    @Override
    public int cuMemFreeAsync(long pointer, long stream) {
        return inContext(context -> {
            EmulatedStream on = own(stream, context);
            Refusal.unless(on.capture() == null, DriverApi.NOT_SUPPORTED);
            machine().requireNoImplicitCapture(on);
            Allocation allocation = machine().deviceMemory().beginningAt(pointer);
            Refusal.unless(allocation.isOrdered(), DriverApi.INVALID_VALUE);
            allocation.freeing();
            machine().submit(on, () -> machine().deviceMemory().free(allocation));
        });
    }

    @Override
    public int cuMemPoolSetAttribute(long pool, int attribute, MemorySegment value) {
        return anywhere(() -> {
            machine().handles().get(pool, Device.Pool.class, DriverApi.INVALID_VALUE);
            Refusal.unless(attribute >= 1 && attribute <= RELEASE_THRESHOLD && value.address() != 0,
                    DriverApi.INVALID_VALUE);
        });
    }

    @Override
    public int cuMemPoolTrimTo(long pool, long bytes) {
        return anywhere(() -> machine().handles().get(pool, Device.Pool.class, DriverApi.INVALID_VALUE));
    }

    @Override
    public int cuMemHostAlloc(MemorySegment pointer, long bytes, int flags) {
        return outsideCaptures(context -> {
            Refusal.unless((flags & ~HOST_ALLOC_FLAGS) == 0, DriverApi.INVALID_VALUE);
            put(pointer, machine().hostMemory().allocate(context, bytes).address());
        });
    }

    @Override
    public int cuMemFreeHost(long pointer) {
        return outsideCaptures(context -> free(machine().hostMemory().beginningAt(pointer, false,
                DriverApi.INVALID_VALUE)));
    }

    @Override
    public int cuMemHostRegister(long pointer, long bytes, int flags) {
        return outsideCaptures(context -> {
            Refusal.unless((flags & ~HOST_REGISTER_FLAGS) == 0, DriverApi.INVALID_VALUE);
            machine().hostMemory().register(context, pointer, bytes);
        });
    }

    @Override
    public int cuMemHostUnregister(long pointer) {
        return outsideCaptures(context -> free(machine().hostMemory().beginningAt(pointer, true,
                Results.HOST_MEMORY_NOT_REGISTERED)));
    }

    /** Nothing may be left that touches it: it is real memory. */
    private void free(HostBlock block) {
        for (Device device : machine().devices()) {
            if (device.context() != null) {
                machine().finish(device.context());
            }
        }
        block.context().device().requireWorking();
        machine().hostMemory().free(block);
    }

    @Override
    public int cuPointerGetAttribute(MemorySegment data, int attribute, long pointer) {
        return inContext(context -> PointerAttributes.get(machine(), data, attribute, pointer));
    }

    /** The device memory of a range of addresses. */
    private CopyPlace device(long address, long bytes) {
        Allocation allocation = machine().deviceMemory().around(address);
        Refusal.unless(allocation != null && allocation.holds(address, bytes) && !allocation.isFreeing(),
                DriverApi.INVALID_VALUE);
        return new CopyPlace.Known(allocation, address - allocation.address());
    }

    /** The host memory of a range of addresses: page-locked as a whole, or pageable. */
    private CopyPlace host(long address, long bytes) {
        Refusal.unless(address != 0 && machine().deviceMemory().around(address) == null, DriverApi.INVALID_VALUE);
        HostBlock block = machine().hostMemory().holding(address);
        if (block == null) {
            return new CopyPlace.Pageable(address);
        }
        Refusal.unless(block.holds(address, bytes), DriverApi.INVALID_VALUE);
        return new CopyPlace.Known(block, address - block.address());
    }

    /** A stream of the context. */
    private EmulatedStream own(long stream, EmulatedContext context) {
        EmulatedStream found = machine().stream(stream, context);
        Refusal.unless(found.context() == context, DriverApi.INVALID_HANDLE);
        return found;
    }

    /** Pageable memory has been read when this returns (CUDA driver API, "API synchronization behavior"). */
    @Override
    public int cuMemcpyHtoDAsync(long to, long from, long bytes, long stream) {
        return inContext(context -> {
            EmulatedStream on = own(stream, context);
            if (bytes == 0) {
                return;
            }
            CopyPlace target = device(to, bytes);
            CopyPlace source = host(from, bytes);
            if (source instanceof CopyPlace.Pageable && on.capture() == null) {
                source = staged(source, bytes);
            }
            machine().submit(on, new CopyTask(target, source, bytes));
        });
    }

    private static CopyPlace staged(CopyPlace source, long bytes) {
        MemorySegment staging = Arena.ofAuto().allocate(bytes);
        return new CopyPlace.Staged(staging.copyFrom(source.bytes(bytes)));
    }

    /** A copy to pageable memory has ended when this returns (the same). */
    @Override
    public int cuMemcpyDtoHAsync(long to, long from, long bytes, long stream) {
        return inContext(context -> {
            EmulatedStream on = own(stream, context);
            if (bytes == 0) {
                return;
            }
            CopyPlace target = host(to, bytes);
            Work copy = machine().submit(on, new CopyTask(target, device(from, bytes), bytes));
            if (target instanceof CopyPlace.Pageable) {
                machine().scheduler().await(copy);
            }
        });
    }

    @Override
    public int cuMemcpyDtoDAsync(long to, long from, long bytes, long stream) {
        return inContext(context -> {
            EmulatedStream on = own(stream, context);
            if (bytes != 0) {
                machine().submit(on, new CopyTask(device(to, bytes), device(from, bytes), bytes));
            }
        });
    }

    @Override
    public int cuMemcpyPeerAsync(long to, long toContext, long from, long fromContext, long bytes, long stream) {
        return inContext(context -> {
            EmulatedStream on = own(stream, context);
            EmulatedContext target = context(toContext);
            EmulatedContext source = context(fromContext);
            if (bytes != 0) {
                machine().submit(on, new CopyTask(of(target, to, bytes), of(source, from, bytes), bytes));
            }
        });
    }

    private CopyPlace of(EmulatedContext context, long address, long bytes) {
        CopyPlace place = device(address, bytes);
        Refusal.unless(place instanceof CopyPlace.Known known && known.memory().context() == context,
                DriverApi.INVALID_VALUE);
        return place;
    }

    @Override
    public int cuMemsetD8Async(long to, byte value, long bytes, long stream) {
        return inContext(context -> {
            EmulatedStream on = own(stream, context);
            if (bytes != 0) {
                machine().submit(on, new FillTask(device(to, bytes), value, bytes));
            }
        });
    }
}
