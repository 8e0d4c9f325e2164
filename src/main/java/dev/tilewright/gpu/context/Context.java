package dev.tilewright.gpu.context;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.concurrent.CallsInProgress;
import dev.tilewright.gpu.concurrent.CaptureGate;
import dev.tilewright.gpu.concurrent.CaptureGates;
import dev.tilewright.gpu.concurrent.EachOf;
import dev.tilewright.gpu.concurrent.UseCount;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaError;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.device.DeviceInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A device's primary context, retained once, or a context of other code, and what was taken from it and is not given
 * back yet. Safe for use by several threads.
 *
 * <p>CUDA keeps a current context for each thread of the operating system, so every call goes: {@link #enter}, call,
 * {@link #leave}. What the thread had, it has again afterwards.
 */
public final class Context {
    private final DriverApi api;
    private final DeviceInfo info;
    private final int device;
    private final long handle;
    /** Whether it is the primary one, and retained: else it is other code's to destroy. */
    private final boolean retained;
    private final ContextHealth health;
    private final CurrentContext current;
    private final Leases leases;
    private final LaunchLogs launchLogs = new LaunchLogs();
    /** Calls that it is not closed before. */
    private final UseCount uses = new UseCount();
    /** Whether all work has ended, and none comes any more. */
    private volatile boolean worked;

    /** A driver call. */
    public interface Call {
        int on(DriverApi api);
    }

    /** A driver call that writes up to 64 bits. */
    public interface Question {
        int on(DriverApi api, MemorySegment answer);
    }

    private Context(DriverApi api, DeviceInfo info, int device, long handle, boolean retained, ContextHealth health) {
        this.api = api;
        this.info = info;
        this.device = device;
        this.handle = handle;
        this.retained = retained;
        this.health = health;
        this.leases = new Leases(title());
        this.current = new CurrentContext(api, handle, retained, this::check);
    }

    /**
     * Retains the primary context of a device, which is made if no other code of the process has.
     *
     * @param api the driver, initialised
     */
    public static Context retain(DriverApi api, DeviceInfo info) {
        ContextHealth health = ContextHealth.of(api, info.ordinal());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            health.check("cuDeviceGet", api.cuDeviceGet(out, info.ordinal()));
            int device = out.get(JAVA_INT, 0);
            health.check("cuDevicePrimaryCtxRetain of GPU " + info.ordinal(),
                    api.cuDevicePrimaryCtxRetain(out, device));
            CurrentContext.keep(api, device);
            return new Context(api, info, device, out.get(JAVA_LONG, 0), true, health);
        }
    }

    /**
     * A context of other code. The driver does not look whether it is one: a wrong handle ends the process sooner or
     * later.
     *
     * @param api the driver, initialised
     * @param devices all devices, by ordinal
     */
    public static Context borrow(DriverApi api, List<DeviceInfo> devices, long handle) {
        if (handle == 0) {
            throw new IllegalArgumentException("0 is no CUcontext: was it created?");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG);
            check(api, "cuCtxGetCurrent", api.cuCtxGetCurrent(out));
            long previous = out.get(JAVA_LONG, 0);
            check(api, "cuCtxSetCurrent of the context 0x" + Long.toHexString(handle), api.cuCtxSetCurrent(handle));
            int device;
            try {
                check(api, "cuCtxGetDevice", api.cuCtxGetDevice(out));
                device = out.get(JAVA_INT, 0);
            } finally {
                api.cuCtxSetCurrent(previous);
            }
            for (DeviceInfo info : devices) {
                check(api, "cuDeviceGet", api.cuDeviceGet(out, info.ordinal()));
                if (out.get(JAVA_INT, 0) == device) {
                    return new Context(api, info, device, handle, false, ContextHealth.of(api, info.ordinal()));
                }
            }
        }
        throw new IllegalArgumentException("the context is of none of the GPUs that this process sees");
    }

    private static void check(DriverApi api, String call, int result) {
        if (result != DriverApi.SUCCESS) {
            throw new CudaException(call, CudaError.of(api, result), Optional.empty());
        }
    }

    public DriverApi api() {
        return api;
    }

    public DeviceInfo info() {
        return info;
    }

    /** {@code GPU 0 (NVIDIA H200)}. */
    public String title() {
        return "GPU " + info.ordinal() + " (" + info.name() + ")";
    }

    /** {@code GPU 0}, or {@code a context of other code on GPU 0}: where something is, for messages. */
    public String place() {
        return (retained ? "" : "a context of other code on ") + "GPU " + info.ordinal();
    }

    /** Where this context is, as another sees it: emulated machines each have a GPU 0. */
    public String placeSeenFrom(Context other) {
        return place() + (api == other.api ? "" : " of another emulated machine");
    }

    /** Whether what is in one can be used in the other: machines that are emulated may have the same handles. */
    public boolean isSame(Context other) {
        return api == other.api && handle == other.handle;
    }

    /** The CUdevice. */
    public int device() {
        return device;
    }

    /** The CUcontext. */
    public long handle() {
        return handle;
    }

    /** What keeps captures and what waits for all streams apart. */
    public CaptureGates captureGates() {
        return health.captureGates();
    }

    public boolean isClosed() {
        return !leases.areOpen();
    }

    /** The calls that are being made on the device. */
    public CallsInProgress calls() {
        return health.calls();
    }

    /** Whether a fault has lost the context: nothing in it can be given back, or need be. */
    public boolean isLost() {
        return health.fault().isPresent();
    }

    /**
     * Makes this the calling thread's context.
     *
     * @return what to {@link #leave} with
     * @throws IllegalStateException if the GPU is closed
     */
    public long enter() {
        leases.requireOpen();
        return current.enter();
    }

    /**
     * Makes this the calling thread's context, and allocates nothing.
     *
     * @param answer 8 bytes of native memory that the driver may write to
     */
    public long enter(MemorySegment answer) {
        leases.requireOpen();
        return current.enter(answer);
    }

    /**
     * Gives the calling thread back the context that it had, unless that is destroyed by now. One that had none keeps
     * this one where it is the primary one, and its next call costs less; a context of other code may be destroyed at
     * any time.
     */
    public void leave(long previous) {
        current.leave(previous);
    }

    /** Lets success pass and throws anything else. @param call what was called, as the message shall name it */
    public void check(String call, int result) {
        if (result != DriverApi.SUCCESS) {
            throw failure(call, result);
        }
    }

    /** The exception for a failed call. */
    public CudaException failure(String call, int result) {
        return health.failure(call, CudaError.of(api, result), launchLogs::unfinished);
    }

    /** Makes a call in this context. */
    public void call(String name, Call call) {
        check(name, result(call));
    }

    /**
     * Makes a call in this context, whose result is for the caller to judge. The context is not closed before it has
     * ended.
     */
    public int result(Call call) {
        return uses.during(() -> resultAnyway(call), () -> {
            throw leases.closed();
        });
    }

    private int resultAnyway(Call call) {
        long previous = current.enter();
        try {
            return call.on(api);
        } finally {
            leave(previous);
        }
    }

    /**
     * Waits for all work that the context was given, unless it is lost, or was closed and has waited by itself.
     *
     * @throws CudaException if something that was started before has failed
     */
    public void awaitWork() {
        if (worked || isLost()) {
            return;
        }
        CaptureGate gate = captureGates().synchronization();
        gate.enter();
        try {
            releaseNow("cuCtxSynchronize", DriverApi::cuCtxSynchronize);
        } finally {
            gate.leave();
        }
    }

    /** Makes a call in this context that answers with 64 bits. */
    public long ask(String name, Question question) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(JAVA_LONG);
            call(name, on -> question.on(on, answer));
            return answer.get(JAVA_LONG, 0);
        }
    }

    /** A CUdevice_attribute. */
    public int attribute(int attribute) {
        return (int) ask("cuDeviceGetAttribute " + attribute,
                (on, out) -> on.cuDeviceGetAttribute(out, attribute, device));
    }

    /**
     * Gives something back that was taken from the context; does nothing in a lost one, which has taken it along. For
     * {@link Lease}s. What the driver refuses to take now, as it does while other code captures a graph, it is asked to
     * take again when the context is closed.
     */
    public void release(String name, Call call) {
        try {
            releaseNow(name, call);
        } catch (CudaException e) {
            leases.tryAgainAtTheEnd(() -> releaseNow(name, call));
            throw e;
        }
    }

    private void releaseNow(String name, Call call) {
        if (isLost()) {
            return;
        }
        check(name, resultAnyway(call));
    }

    /**
     * Takes something from the driver and notes its lease: before the context is closed, or not at all. What were taken
     * in between would stay taken.
     *
     * @throws IllegalStateException if the GPU is closed
     */
    public <T> T taking(Supplier<T> take) {
        return leases.taking(take);
    }

    void add(Lease lease) {
        leases.add(lease);
    }

    void remove(Lease lease) {
        leases.remove(lease);
    }

    /** What its streams have launched. */
    public LaunchLogs launchLogs() {
        return launchLogs;
    }

    /**
     * Refuses to {@link #close} while the calling thread captures a stream of the device, and waits for the captures of
     * others: before anything is given back.
     *
     * @throws IllegalStateException if the calling thread captures, or another does not come to an end with it
     */
    public void awaitCaptures() {
        CaptureGate gate = captureGates().synchronization();
        if (gate.isOfThisThread()) {
            throw new IllegalStateException(title() + " cannot be closed while this thread captures a stream of it:"
                    + " close it after the capture");
        }
        gate.enter();
        gate.leave();
    }

    /**
     * Waits for all work, and gives back all that was taken, and the context itself.
     *
     * @throws CudaException the first failure; the rest has been given back all the same
     */
    public void close() {
        RuntimeException first = null;
        // Captures of other threads end before: to wait for all streams would spoil them. Later ones find it closed.
        captureGates().synchronization().enterAtLast();
        try {
            if (!leases.end()) {
                return;
            }
            uses.refuse();
            if (!leases.areNone()) {
                // What is in flight may use host memory that is given back next.
                first = EachOf.failureOf(() -> releaseNow("cuCtxSynchronize", DriverApi::cuCtxSynchronize), first);
            }
            worked = true;
            uses.awaitEnd();
        } finally {
            captureGates().synchronization().leave();
        }
        first = leases.closeAll(first);
        if (retained) {
            current.leaveForGood(device);
        }
        int result = retained ? api.cuDevicePrimaryCtxRelease(device) : DriverApi.SUCCESS;
        if (first != null) {
            throw first;
        }
        if (!isLost()) {
            check("cuDevicePrimaryCtxRelease", result);
        }
    }
}
