package dev.tilewright.gpu.context;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.LibCuda;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The context that is current on the calling thread. The driver is asked for it each time: other code on the thread may
 * have changed it, and a virtual thread may have moved.
 */
final class CurrentContext {
    /** Where cuCtxGetCurrent puts its answer, one for each thread of the operating system, so that a call is cheap. */
    private static final ThreadLocal<MemorySegment> CURRENT =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(JAVA_LONG));

    /** What {@link #enter} gives where the thread has this context already, or may keep it. */
    private static final long KEEP = 0;
    /** What it gives where the thread had none and shall have none. */
    private static final long NONE = -1;

    /**
     * The devices whose primary contexts this process keeps until it ends, as CUDA's own runtime does: a thread may
     * still have one as its current context, and libcuda does not look whether that is there before it uses it
     * (measured with driver 580: SIGSEGV).
     */
    private static final Set<Integer> KEPT = ConcurrentHashMap.newKeySet();

    private final DriverApi api;
    private final long handle;
    private final boolean retained;
    private final Check check;

    /** Lets success pass and throws anything else. */
    @FunctionalInterface
    interface Check {
        void result(String call, int result);
    }

    /** @param retained whether it is a device's primary context, which threads may keep */
    CurrentContext(DriverApi api, long handle, boolean retained, Check check) {
        this.api = api;
        this.handle = handle;
        this.retained = retained;
        this.check = check;
    }

    /** Keeps the primary context of a device until the process ends. */
    static void keep(DriverApi api, int device) {
        if (api instanceof LibCuda && KEPT.add(device)) {
            try (Arena arena = Arena.ofConfined()) {
                if (api.cuDevicePrimaryCtxRetain(arena.allocate(JAVA_LONG), device) != DriverApi.SUCCESS) {
                    KEPT.remove(device);
                }
            }
        }
    }

    /** Makes it the calling thread's. @return what to {@link #leave} with */
    long enter() {
        // Virtual threads come by the million, and keep nothing.
        if (!Thread.currentThread().isVirtual()) {
            return enter(CURRENT.get());
        }
        try (Arena arena = Arena.ofConfined()) {
            return enter(arena.allocate(JAVA_LONG));
        }
    }

    /** Makes it the calling thread's. @param answer 8 bytes of native memory that the driver may write to */
    long enter(MemorySegment answer) {
        int result = api.cuCtxGetCurrent(answer);
        if (result != DriverApi.SUCCESS) {
            check.result("cuCtxGetCurrent", result);
        }
        long previous = answer.get(JAVA_LONG, 0);
        if (previous == handle) {
            return KEEP;
        }
        result = api.cuCtxSetCurrent(handle);
        if (result != DriverApi.SUCCESS) {
            check.result("cuCtxSetCurrent", result);
        }
        return previous != 0 ? previous : retained ? KEEP : NONE;
    }

    void leave(long previous) {
        if (previous != KEEP) {
            api.cuCtxSetCurrent(previous == NONE ? 0 : previous);
        }
    }

    /** The calling thread shall not go on with a context that may be destroyed; of others, the next call finds out. */
    void leaveForGood(int device) {
        if (api instanceof LibCuda && KEPT.contains(device)) {
            return;
        }
        MemorySegment current = CURRENT.get();
        if (api.cuCtxGetCurrent(current) == DriverApi.SUCCESS && current.get(JAVA_LONG, 0) == handle) {
            api.cuCtxSetCurrent(0);
        }
    }
}
