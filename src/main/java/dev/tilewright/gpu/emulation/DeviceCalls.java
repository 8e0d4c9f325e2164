package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.cuda.DeviceApi;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.emulation.state.Device;
import dev.tilewright.gpu.emulation.state.EmulatedContext;
import dev.tilewright.gpu.emulation.state.Refusal;
import dev.tilewright.gpu.emulation.state.Results;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;

/** {@link DeviceApi} of the emulated driver. */
abstract class DeviceCalls extends Calls implements DeviceApi {
    private static final int VERSION = 13_000;
    private static final int UUID_BYTES = 16;

    private final ErrorNames errors = new ErrorNames();

    DeviceCalls(Machine machine) {
        super(machine);
    }

    @Override
    public int cuInit(int flags) {
        return entered(() -> {
            Refusal.unless(flags == 0, DriverApi.INVALID_VALUE);
            machine().initialize();
        });
    }

    /** 13.0; as with the real one, {@link #cuInit} need not have been called. */
    @Override
    public int cuDriverGetVersion(MemorySegment version) {
        if (version.address() == 0) {
            return DriverApi.INVALID_VALUE;
        }
        put(version, VERSION);
        return DriverApi.SUCCESS;
    }

    @Override
    public int cuDeviceGetCount(MemorySegment count) {
        return anywhere(() -> put(count, machine().devices().size()));
    }

    @Override
    public int cuDeviceGet(MemorySegment device, int ordinal) {
        return anywhere(() -> put(device, machine().device(ordinal).ordinal()));
    }

    @Override
    public int cuDeviceGetName(MemorySegment name, int bytes, int device) {
        return anywhere(() -> put(name, machine().device(device).model().name(), bytes));
    }

    @Override
    public int cuDeviceGetUuid(MemorySegment uuid, int device) {
        return anywhere(() -> {
            Device of = machine().device(device);
            UUID made = UUID.nameUUIDFromBytes((of.ordinal() + of.model().name()).getBytes(StandardCharsets.UTF_8));
            ByteBuffer bytes = ByteBuffer.allocate(UUID_BYTES).putLong(made.getMostSignificantBits())
                    .putLong(made.getLeastSignificantBits());
            Refusal.unless(uuid.address() != 0, DriverApi.INVALID_VALUE);
            uuid.reinterpret(UUID_BYTES).copyFrom(MemorySegment.ofArray(bytes.array()));
        });
    }

    @Override
    public int cuDeviceGetPCIBusId(MemorySegment name, int bytes, int device) {
        return anywhere(() -> put(name, DeviceAttributes.busId(machine().device(device)), bytes));
    }

    private static void put(MemorySegment to, String text, int bytes) {
        Refusal.unless(to.address() != 0 && bytes > 0, DriverApi.INVALID_VALUE);
        byte[] cut = Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), bytes);
        cut[bytes - 1] = 0;
        to.reinterpret(bytes).copyFrom(MemorySegment.ofArray(cut));
    }

    @Override
    public int cuDeviceGetAttribute(MemorySegment value, int attribute, int device) {
        return anywhere(() -> put(value, DeviceAttributes.of(machine().device(device), attribute)));
    }

    @Override
    public int cuDeviceTotalMem(MemorySegment bytes, int device) {
        return anywhere(() -> put(bytes, machine().device(device).model().memory()));
    }

    @Override
    public int cuDeviceCanAccessPeer(MemorySegment can, int device, int peer) {
        return anywhere(() -> put(can, machine().device(device) != machine().device(peer) ? 1 : 0));
    }

    @Override
    public int cuDeviceGetDefaultMemPool(MemorySegment pool, int device) {
        return anywhere(() -> put(pool, machine().device(device).pool()));
    }

    @Override
    public int cuDevicePrimaryCtxRetain(MemorySegment context, int device) {
        return anywhere(() -> {
            Device of = machine().device(device);
            if (of.context() == null) {
                of.context(new EmulatedContext(of));
            }
            put(context, of.context().handle());
            of.retained(of.retained() + 1);
        });
    }

    /** Succeeds on a GPU that is lost too, as was measured on an H200. */
    @Override
    public int cuDevicePrimaryCtxRelease(int device) {
        return anywhere(() -> {
            Device of = machine().device(device);
            Refusal.unless(of.retained() > 0, DriverApi.INVALID_CONTEXT);
            of.retained(of.retained() - 1);
            if (of.retained() == 0) {
                machine().destroy(of.context());
            }
        });
    }

    @Override
    public int cuCtxGetCurrent(MemorySegment context) {
        return anywhere(() -> put(context, machine().current() == null ? 0L : machine().current().primary()));
    }

    @Override
    public int cuCtxSetCurrent(long context) {
        return anywhere(() -> machine().current(context == 0 ? null : device(context)));
    }

    private Device device(long context) {
        return machine().handles().get(context, Device.Primary.class, DriverApi.INVALID_CONTEXT).device();
    }

    /** The context of a handle; refuses one that is not retained. */
    final EmulatedContext context(long handle) {
        EmulatedContext context = device(handle).context();
        Refusal.unless(context != null, DriverApi.INVALID_CONTEXT);
        return context;
    }

    @Override
    public int cuCtxGetDevice(MemorySegment device) {
        return anywhere(() -> {
            Refusal.unless(machine().current() != null, DriverApi.INVALID_CONTEXT);
            put(device, machine().current().ordinal());
        });
    }

    @Override
    public int cuCtxEnablePeerAccess(long peerContext, int flags) {
        return inContext(context -> {
            EmulatedContext peer = context(peerContext);
            Refusal.unless(flags == 0, DriverApi.INVALID_VALUE);
            Refusal.unless(peer != context, DriverApi.INVALID_CONTEXT);
            Refusal.unless(peer.device().model().major() == context.device().model().major(),
                    Results.PEER_ACCESS_UNSUPPORTED);
            Refusal.unless(context.peers().add(peer), DriverApi.PEER_ACCESS_ALREADY_ENABLED);
        });
    }

    @Override
    public int cuCtxSynchronize() {
        return outsideCaptures(context -> {
            context.streams().stream().filter(stream -> stream.capture() != null).findFirst()
                    .ifPresent(machine()::requireNotCaptured);
            machine().finish(context);
        });
    }

    @Override
    public int cuGetErrorName(int error, MemorySegment pointer) {
        return errors.name(error, pointer);
    }

    @Override
    public int cuGetErrorString(int error, MemorySegment pointer) {
        return errors.text(error, pointer);
    }
}
